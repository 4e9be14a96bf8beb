/* SPDX-License-Identifier: MIT */
/* Images that are difficult for one part of smooth_cpu, in every instruction set, against the
 * reference. */
#include "kernels/common/isa.h"
#include "src/lib/image/halo.h"
#include "tests/variants/isa_check.h"
#include "src/lib/filter/run.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

static const struct isa *isa;
extern const struct variant variant_smooth_cpu, variant_smooth_reference;

static struct image smooth(const struct variant *variant, const struct image *src,
                           const struct filter *filter)
{
    struct filter_weights weights;
    const struct run_options options = {
        .filter = &weights, .weighted = src->view.channels > 1, .threads = 1, .isa = isa};
    struct image dst;
    struct error error;

    NEED(filter_weights_make(filter, &weights, &error) == STATUS_OK);
    NEED(run_variant(variant, src, &options, 0, &dst, &error) == STATUS_OK);
    return dst;
}

static void check(struct image *image, const struct filter *filter, const char *what, int64_t value)
{
    struct image wanted, got;

    halo_fill(image, filter->edge, image->halo, image->halo);
    wanted = smooth(&variant_smooth_reference, image, filter);
    got = smooth(&variant_smooth_cpu, image, filter);
    CHECK(same_pixels(&wanted, &got), "%s, %s %d", isa->name, what, (int)value);
    image_free(&wanted);
    image_free(&got);
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

int main(void)
{
    static const char *const names[] = {"base", "avx2", "avx512", "vnni"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const int other = isa_check(names[i]);

        CHECK(other == 0 || other == ISA_MISSING, "%s", names[i]);
        isa = isa_find(names[i]);
        if (other == 0) {
            test_rows();
            test_wide_pixels();
        }
    }
    return unit_result();
}
