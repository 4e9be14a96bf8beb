/* SPDX-License-Identifier: MIT */
/* Images that are difficult for one part of smooth_cpu, in every instruction set, against the
 * reference. */
#include "kernels/common/isa.h"
#include "kernels/common/sample.h"
#include "src/lib/image/halo.h"
#include "tests/variants/isa_check.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"
#include "tests/unit/run_variant.h"

#include <string.h>

static const struct isa *isa;
extern const struct variant variant_smooth_cpu, variant_smooth_reference;

static struct image smooth(const struct variant *variant, const struct image *src,
                           const struct filter *filter)
{
    struct plane_filter weights;
    const struct asked asked = {
        .filter = &weights, .weighted = src->view.channels > 1, .threads = 1, .isa = isa};
    struct image dst;
    struct error error;

    NEED(plane_filter_make(filter, &weights, &error) == STATUS_OK);
    NEED(run_variant(variant, src, &asked, NULL, 0, &dst, &error) == STATUS_OK);
    return dst;
}

/* The border is filled. */
static void check_filled(const struct image *image, const struct filter *filter, const char *what,
                         int64_t value)
{
    struct image wanted, got;

    wanted = smooth(&variant_smooth_reference, image, filter);
    got = smooth(&variant_smooth_cpu, image, filter);
    CHECK(same_pixels(&wanted, &got), "%s, %s %d", isa->name, what, (int)value);
    image_free(&wanted);
    image_free(&got);
}

static void check(struct image *image, const struct filter *filter, const char *what, int64_t value)
{
    halo_fill(image, filter->edge, image->halo, image->halo);
    check_filled(image, filter, what, value);
}

/* Samples of 16 bits are computed two rows at a time, and each row is tested for repairs by itself.
 * A flat row needs none; in a chequer a wide filter puts every sample next to a half, so that all
 * rows do. Where the chequer begins or ends, one row of a pair needs a repair and the other does
 * not, by turns the second and the first. */
static void test_rows(void)
{
    const struct filter filter = {
        .x = {12, 2}, .y = {12, 2}, .norm = NORM_SUM, .edge = EDGE_MIRROR};

    for (int64_t i = 0; i < 8; i++) {
        const int64_t begin = 12 + i / 2;
        struct image image = scratch_image(64, 64, 1, 65535, filter.x.halo, 1);

        for (int64_t y = 0; y < 64; y++)
            for (int64_t x = 0; x < 64; x++)
                ((uint16_t *)image_row(&image, y))[x] =
                    (y < begin) == i % 2 ? 100 + (uint16_t)((x + y) & 1) : 40000;
        check(&image, &filter, i % 2 ? "chequer above row" : "flat above row", begin);
        image_free(&image);
    }
}

/* Pixels that alpha weighs are not cut: one may have more samples than a segment usually has. */
static void test_wide_pixels(void)
{
    const struct filter filter = {.x = {.halo = 1}, .y = {.halo = 1}};
    struct image image = scratch_image(3, 2, 1100, 255, filter.x.halo, 2);

    check(&image, &filter, "channels", 1100);
    image_free(&image);
}

/* Images much lower than the halo, whose border repeats their rows, several segments wide: by
 * halo_y in 8 bits, in doubles, and weighted in either kind of reals. */
static void test_flat(void)
{
    static const struct {
        int64_t width, height;
        int32_t channels;
        uint32_t maxval;
        int64_t halo_y;
    } kinds[] = {{700, 12, 1, 255, 96}, {700, 1, 1, 255, 8},     {600, 2, 1, 65535, 300},
                 {500, 1, 4, 255, 10},  {300, 3, 2, 65535, 100}, {1, 30, 1, 255, 250}};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (enum edge edge = EDGE_CLAMP; edge <= EDGE_ZERO; edge++) {
            const struct filter filter = {
                .x = {5, 2}, .y = {kinds[i].halo_y, 0}, .norm = NORM_SUM, .edge = edge};
            struct image image = scratch_image(kinds[i].width, kinds[i].height, kinds[i].channels,
                                               kinds[i].maxval, filter.y.halo, (unsigned)edge);

            check(&image, &filter, "flat, halo_y", filter.y.halo);
            image_free(&image);
        }
}

/* Flat images whose means are halves, so that all samples are computed exactly: isolated pixels, by
 * turns of one colour and the next. The second row differs from the first by its alpha. */
static void test_flat_halves(void)
{
    for (enum edge edge = EDGE_CLAMP; edge <= EDGE_ZERO; edge++) {
        const struct filter filter = {.x = {40, 30}, .y = {130, 0}, .norm = NORM_SUM, .edge = edge};
        struct image image = scratch_image(200, 2, 2, 65535, filter.y.halo, 1);

        for (int64_t y = 0; y < 2; y++)
            for (int64_t x = 0; x < 200; x++) {
                sample_set(&image.view, y, x, 0, 100 + (uint32_t)(x / 8 % 2));
                sample_set(&image.view, y, x, 1, x % 8 == 0 ? 65535 - (uint32_t)y : 0);
            }
        check(&image, &filter, "flat, halves, edge", edge);
        image_free(&image);
    }
}

/* Alpha of a picture with parts in which it is the same, rows high enough for a window: opaque, but
 * for the pixel at (x, y); nothing; faint, but for another; less faint. */
static uint32_t alpha_in_parts(const struct view *view, int64_t y, int64_t x, uint32_t maxval)
{
    if (y < 30)
        return y == 17 && x == view->width - 6 ? maxval - 1 : maxval;
    if (y < 51)
        return y == 40 && x == 5;
    if (y < 75)
        return y == 60 && x == view->width / 2 ? 6 : 7;
    return 9;
}

/* Rows that are computed without a look at alpha, or not at all, between others; two segments. */
static void test_even_alpha(void)
{
    for (int i = 0; i < 36; i++) {
        const struct filter filter = {.x = {1 + i % 3, 0},
                                      .y = {2 + i % 2 * 2, 0},
                                      .norm = i % 9 == 4 ? NORM_ANALYTIC : NORM_SUM,
                                      .edge = (enum edge)(i % 5)};
        const uint32_t maxval = i / 3 % 2 ? 65535 : 255;
        const int32_t channels = 2 + i / 6 % 3;
        struct image image = scratch_image(1400 / channels, 90, channels, maxval, 4, (unsigned)i);
        const struct view *view = &image.view;

        for (int64_t y = 0; y < view->height; y++)
            for (int64_t x = 0; x < view->width; x++)
                sample_set(view, y, x, channels - 1, alpha_in_parts(view, y, x, maxval));
        check(&image, &filter, "alpha in parts, case", i);
        image_free(&image);
    }
}

/* Few rows of a high image, none like another, or rows that are alike but for their ends: the
 * border need not be a copy of the rows in the request. */
static void test_foreign_border(bool alike)
{
    const struct filter filter = {.x = {9, 3}, .y = {32, 12}, .norm = NORM_SUM};
    struct image all = scratch_image(64 + 2 * 32, 4 + 2 * 32, 1, 255, 0, 3), band = all;

    for (int64_t y = 0; y < all.view.height && alike; y++)
        memset((char *)image_row(&all, y) + 32, 100, 64);
    band.view.origin = (char *)image_row(&all, 32) + 32;
    band.view.width = 64;
    band.view.height = 4;
    band.halo = 32;
    check_filled(&band, &filter, "foreign border, alike", alike);
    image_free(&all);
}

int main(void)
{
    static const char *const names[] = {"base", "avx2", "avx512", "vnni", "neon"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const int other = isa_check(names[i]);

        CHECK(other == 0 || other == ISA_MISSING, "%s", names[i]);
        isa = isa_find(names[i]);
        if (other == 0) {
            test_rows();
            test_wide_pixels();
            test_flat();
            test_flat_halves();
            test_even_alpha();
            test_foreign_border(false);
            test_foreign_border(true);
        }
    }
    return unit_result();
}
