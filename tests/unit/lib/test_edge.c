/* SPDX-License-Identifier: MIT */
/* The edge rules against lines written out in full. */
#include "kernels/common/edge.h"
#include "tests/unit/unit.h"

#include <string.h>

#define BEYOND 9 /* positions on either side of the lines below */

/* For each edge rule the lines abcd, ab and a with what is beside them; '.': a zero. */
static const struct known {
    enum edge edge;
    const char *lines[3];
} knowns[] = {
    {EDGE_CLAMP, {"aaaaaaaaaabcdddddddddd", "aaaaaaaaaabbbbbbbbbb", "aaaaaaaaaaaaaaaaaaa"}},
    {EDGE_REFLECT, {"aabcddcbaabcddcbaabcdd", "aabbaabbaabbaabbaabb", "aaaaaaaaaaaaaaaaaaa"}},
    {EDGE_MIRROR, {"dcbabcdcbabcdcbabcdcba", "babababababababababa", "aaaaaaaaaaaaaaaaaaa"}},
    {EDGE_WRAP, {"dabcdabcdabcdabcdabcda", "babababababababababa", "aaaaaaaaaaaaaaaaaaa"}},
    {EDGE_ZERO, {".........abcd.........", ".........ab.........", ".........a........."}},
};

static void check_line(enum edge edge, const char *line)
{
    const int64_t length = (int64_t)strlen(line) - 2 * BEYOND;

    for (int64_t i = -BEYOND; i < length + BEYOND; i++) {
        const char want = line[i + BEYOND];
        const int64_t index = edge_index(edge, i, length);

        CHECK(index == (want == '.' ? -1 : want - 'a'), "rule %d, length %d, position %d: %d", edge,
              (int)length, (int)i, (int)index);
    }
}

/* A line longer than 32 bits count. */
static void check_long_line(void)
{
    const int64_t length = ((int64_t)1 << 32) + 3;

    CHECK(edge_index(EDGE_CLAMP, length + 5, length) == length - 1, "clamp");
    CHECK(edge_index(EDGE_REFLECT, length + 5, length) == length - 6, "reflect");
    CHECK(edge_index(EDGE_MIRROR, length + 5, length) == length - 7, "mirror");
    CHECK(edge_index(EDGE_WRAP, length + 5, length) == 5, "wrap");
    CHECK(edge_index(EDGE_WRAP, -5, length) == length - 5, "wrap, before");
    CHECK(edge_place(EDGE_WRAP, length, 7, length - 7, 0) == 0, "wrap, beside");
}

int main(void)
{
    check_long_line();
    for (size_t i = 0; i < sizeof knowns / sizeof *knowns; i++)
        for (int line = 0; line < 3; line++)
            check_line(knowns[i].edge, knowns[i].lines[line]);
    return unit_result();
}
