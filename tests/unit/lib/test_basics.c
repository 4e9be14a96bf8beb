/* SPDX-License-Identifier: MIT */
/* Tests images in memory, their comparison, and errors. */
#include "src/files/image/compare.h"
#include "src/files/image/image.h"
#include "kernels/common/sample.h"
#include "tests/unit/framed.h"
#include "tests/unit/unit.h"
#include "src/lib/base/escape.h"

#include <string.h>

static void check_alignment(void)
{
    static const struct shape shapes[] = {
        {1, 1, 1, 1}, {7, 3, 3, 65535}, {64, 2, 1, 255}, {3000, 1500, 1, 65535}};
    struct image image;
    struct error error;

    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        memset(&image, 1, sizeof image);
        NEED(image_alloc(&image, &shapes[i], &error) == STATUS_OK);
        CHECK(!image.mask && !*image.tuple_type, "what is not set is empty");
        CHECK(image.memory_bytes >= (size_t)shapes[i].height * image_row_bytes(&image), "%zu",
              image.memory_bytes);
        for (int64_t y = 0; y < shapes[i].height; y++)
            CHECK((uintptr_t)image_row(&image, y) % ROW_ALIGNMENT == 0, "row %d", (int)y);
        memset(image.memory, 1, image.memory_bytes);
        image_free(&image);
        CHECK(!image.memory, "freed");
        image_free(&image);
    }
}

static void check_impossible_sizes(void)
{
    static const struct shape shapes[] = {{INT32_MAX, INT32_MAX, INT32_MAX, 65535},
                                          {INT64_MAX, 1, 1, 255},
                                          {1, INT64_MAX, 1, 255},
                                          {INT32_MAX, INT32_MAX, 1, 255}};
    struct image image;
    struct error error;

    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        memset(&image, 1, sizeof image);
        CHECK(image_alloc(&image, &shapes[i], &error) == STATUS_NO_MEMORY, "shape %zu", i);
        CHECK(!image.memory, "nothing to free");
        /* The last shape fits in the address space, but in no machine's memory. */
        CHECK((image_lay_out(&image, &shapes[i]) == INT64_MAX) == (i < 3), "shape %zu", i);
    }
}

static void check_comparison(void)
{
    const struct shape shape = {100, 3, 2, 65535};
    struct image a, b;
    struct error error;
    struct difference difference;

    NEED(image_alloc(&a, &shape, &error) == STATUS_OK);
    NEED(framed_alloc(&b, &shape, 4, &error) == STATUS_OK);
    for (int64_t y = 0; y < shape.height; y++) {
        memset(image_row(&a, y), 1, image_row_bytes(&a));
        memset(image_row(&b, y), 1, image_row_bytes(&b));
    }
    CHECK(compare_views(&a.view, &b.view).samples == 0, "the same");
    sample_set(&b.view, 1, 70, 1, 9);
    sample_set(&b.view, 2, 65, 0, 9);
    difference = compare_views(&a.view, &b.view);
    CHECK(difference.samples == 2, "%d", (int)difference.samples);
    CHECK(difference.x == 70 && difference.y == 1 && difference.channel == 1, "the first");
    CHECK(difference.wanted == 0x101 && difference.got == 9, "its values");
    image_free(&a);
    image_free(&b);
}

/* compare_views() compares the bits of floats: -0 differs from 0, and a NaN differs from a NaN with
 * other bits. */
static void check_float_comparison(void)
{
    const struct shape shape = {3, 1, 1, FLOAT_SAMPLES};
    const uint32_t a[] = {0x3dcccccd, 0, 0x7fc00000}, b[] = {0x3dcccccd, 0x80000000, 0x7fc00001};
    struct image one, other;

    image_lay_out(&one, &shape);
    image_lay_out(&other, &shape);
    one.view.origin = (void *)a;
    other.view.origin = (void *)b;
    CHECK(compare_views(&one.view, &other.view).samples == 2, "zero and NaN");
    CHECK(strcmp(sample_text(a[0], 4).text, "0.100000001 (0x3dcccccd)") == 0, "a float");
    CHECK(strcmp(sample_text(b[1], 4).text, "-0 (0x80000000)") == 0, "a negative zero");
    CHECK(strcmp(sample_text(65535, 2).text, "65535") == 0, "an integer");
}

static void check_long_error(void)
{
    static char name[5000];
    struct error error;

    memset(name, 'n', sizeof name - 1);
    CHECK(fail(&error, STATUS_OUTPUT, "%s: no", name) == STATUS_OUTPUT, "the status");
    CHECK(strlen(error.text) == sizeof error.text - 1, "cut at its end");
}

/* In text for a terminal, control characters become escape sequences. A sequence that does not fit
 * at the end of the buffer is left out, not cut. */
static void check_visible(void)
{
    static const struct {
        const char *text, *shown;
        size_t room;
    } cases[] = {{"plain \\ gr\xc3\xbcn", "plain \\ gr\xc3\xbcn", 64},
                 {"a\x1b[31m\n\x7f", "a\\033[31m\\012\\177", 64},
                 {"\xc2\x9b|\xc2\xa0|\xe2\x82\xac", "\\302\\233|\xc2\xa0|\xe2\x82\xac", 64},
                 {"\t\t", "\\011", 8},
                 {"abc", "ab", 3},
                 {"\xc2", "\xc2", 3},
                 {"", "", 1}};
    struct error error;
    char shown[64];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        escape_copy(shown, cases[i].room, cases[i].text);
        CHECK(strcmp(shown, cases[i].shown) == 0, "case %zu: '%s'", i, shown);
    }
    fail(&error, STATUS_INPUT, "%s", "\x1bx");
    CHECK(strcmp(error.text, "\\033x") == 0, "'%s'", error.text);
}

int main(void)
{
    check_alignment();
    check_impossible_sizes();
    check_visible();
    check_comparison();
    check_float_comparison();
    check_long_error();
    return unit_result();
}
