/* SPDX-License-Identifier: MIT */
/* The edge rules against lines written out in full, and borders against the rules. */
#include "src/lib/image/halo.h"
#include "kernels/common/sample.h"
#include "tests/unit/unit.h"

#include <string.h>

#define BEYOND 9 /* positions of border on either side of the lines below */

/* For each edge rule the lines abcd, ab and a with their borders; '.': a zero. */
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

/* The sample that the rule gives for (y, x), which may lie in the border. Rows and columns are
 * independent of each other. */
static uint32_t bordered(const struct image *image, enum edge edge, int64_t y, int64_t x, int32_t c)
{
    const int64_t from_y = edge_index(edge, y, image->view.height);
    const int64_t from_x = edge_index(edge, x, image->view.width);

    return from_y < 0 || from_x < 0 ? 0 : sample_get(&image->view, from_y, from_x, c);
}

/* Beyond the two halos the border stays as it is. */
static void check_border(enum edge edge, const struct shape *shape, int64_t halo_x, int64_t halo_y)
{
    const int64_t halo = halo_x > halo_y ? halo_x : halo_y;
    struct image image;
    struct error error;
    long wrong = 0;

    NEED(image_alloc(&image, shape, halo, &error) == STATUS_OK);
    memset(image.memory, 0xA5, image.memory_bytes);
    for (int64_t y = 0; y < shape->height; y++)
        for (int64_t x = 0; x < shape->width; x++)
            for (int32_t c = 0; c < shape->channels; c++)
                sample_set(&image.view, y, x, c,
                           (uint32_t)(1 + y * 50 + x * 7 + c) %
                               (shape->maxval == FLOAT_SAMPLES ? UINT32_MAX : shape->maxval));
    halo_fill(&image, edge, halo_x, halo_y);
    for (int64_t y = -halo; y < shape->height + halo; y++)
        for (int64_t x = -halo; x < shape->width + halo; x++)
            for (int32_t c = 0; c < shape->channels; c++) {
                const bool filled = x >= -halo_x && x < shape->width + halo_x && y >= -halo_y &&
                                    y < shape->height + halo_y;
                const uint32_t poison = 0xA5A5A5A5 >> (32 - 8 * image.view.sample_bytes);

                wrong += sample_get(&image.view, y, x, c) !=
                         (filled ? bordered(&image, edge, y, x, c) : poison);
            }
    CHECK(wrong == 0, "%ld samples of rule %d, %dx%d, halo %d,%d", wrong, edge, (int)shape->width,
          (int)shape->height, (int)halo_x, (int)halo_y);
    image_free(&image);
}

int main(void)
{
    static const struct shape shapes[] = {
        {1, 1, 1, 255},   {1, 7, 2, 255},           {5, 1, 1, 65535}, {4, 3, 3, 65535},
        {30, 20, 1, 200}, {4, 3, 3, FLOAT_SAMPLES}, {9, 2, 3, 255},   {9, 2, 4, 255}};
    static const int64_t wide[] = {63, 64, 65, 128, 129, 200};

    check_long_line();
    for (size_t i = 0; i < sizeof knowns / sizeof *knowns; i++) {
        for (int line = 0; line < 3; line++)
            check_line(knowns[i].edge, knowns[i].lines[line]);
        for (size_t j = 0; j < sizeof shapes / sizeof *shapes; j++)
            for (int64_t halo_x = 0; halo_x < 16; halo_x += 5)
                for (int64_t halo_y = 0; halo_y < 16; halo_y += 5)
                    check_border(knowns[i].edge, &shapes[j], halo_x, halo_y);
        for (size_t j = 0; j < sizeof shapes / sizeof *shapes; j++)
            for (size_t k = 0; k < sizeof wide / sizeof *wide; k++)
                check_border(knowns[i].edge, &shapes[j], wide[k], 1);
    }
    return unit_result();
}
