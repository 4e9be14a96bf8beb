/* SPDX-License-Identifier: MIT */
/* Every variant of this build on small images in memory whose results are known. */
#include "src/lib/filter/registry.h"
#include "src/lib/filter/plan.h"
#include "tests/unit/unit.h"
#include "tests/unit/run_variant.h"

#include <string.h>

#define WIDTH 3
#define HEIGHT 3

/* Of halo 1: 200 (w(0)^2, w(0) w(1), w(1)^2) = (191.4, 2.1, 0.02), w(0) = 0.97827, w(1) = 0.01087.
 */
static const uint8_t dot[HEIGHT][WIDTH] = {{0, 0, 0}, {0, 200, 0}, {0, 0, 0}};
static const uint8_t smoothed[HEIGHT][WIDTH] = {{0, 2, 0}, {2, 191, 2}, {0, 2, 0}};
static const uint8_t ramp[HEIGHT][WIDTH] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
static const uint8_t transposed[HEIGHT][WIDTH] = {{1, 4, 7}, {2, 5, 8}, {3, 6, 9}};
static const uint8_t reversed[HEIGHT][WIDTH] = {{9, 8, 7}, {6, 5, 4}, {3, 2, 1}};

static const struct known {
    const uint8_t (*src)[WIDTH], (*dst)[WIDTH];
    int64_t halo;
} knowns[OP_COUNT] = {
    [OP_SMOOTH] = {dot, smoothed, 1},
    [OP_TRANSPOSE] = {ramp, transposed, 0},
    [OP_REVERSE] = {ramp, reversed, 0},
};

static struct image image_of(const uint8_t (*rows)[WIDTH])
{
    const struct shape shape = {WIDTH, HEIGHT, 1, 255};
    struct image image;
    struct error error;

    NEED(image_alloc(&image, &shape, &error) == STATUS_OK);
    for (int64_t y = 0; y < HEIGHT; y++)
        memcpy(image_row(&image, y), rows[y], WIDTH);
    return image;
}

static void check_variant(const struct variant *variant, struct gpu *gpu)
{
    const struct known *known = &knowns[variant->op];
    const struct filter filter = {
        .x = {.halo = known->halo}, .y = {.halo = known->halo}, .edge = EDGE_CLAMP};
    struct image src = image_of(known->src), dst;
    struct plane_filter weights;
    const struct asked asked = {.filter = &weights, .threads = 2};
    struct error error;

    NEED(plane_filter_make(&filter, &weights, &error) == STATUS_OK);
    strcpy(src.tuple_type, "KIND");
    CHECK(run_variant(variant, &src, &asked, gpu, &dst, &error) == STATUS_OK, "%s", error.text);
    CHECK(strcmp(dst.tuple_type, "KIND") == 0, "%s: the image's kind", variant->name);
    for (int64_t y = 0; y < HEIGHT; y++)
        CHECK(memcmp(image_row(&dst, y), known->dst[y], WIDTH) == 0, "%s %s, row %d",
              op_words[variant->op], variant->name, (int)y);
    image_free(&src);
    image_free(&dst);
}

static void check_failures(void)
{
    const struct filter_axis too_bright = {.halo = 4, .sigma = 0.09};
    const struct shape endless = {INT64_MAX, 1, 1, 255};
    uint64_t weights[9];
    struct image image;
    struct error error;

    CHECK(gauss_table(&too_bright, NORM_ANALYTIC, weights, &error) == STATUS_INVALID, "%s",
          error.text);
    CHECK(image_alloc(&image, &endless, &error) == STATUS_NO_MEMORY, "%s", error.text);
    CHECK(gpu_open(99, &(struct gpu *){NULL}, &error) == STATUS_DEVICE, "%s", error.text);
}

int main(void)
{
    struct gpu *gpu = NULL;
    struct error error;

    gpu_open(0, &gpu, &error); /* a build without a GPU has no variant that needs one */
    for (const struct registered *row = registry; row->stem; row++)
        if (row->variant && (row->variant->backend == ON_CPU || gpu))
            check_variant(row->variant, gpu);
    check_failures();
    gpu_close(gpu);
    return unit_result();
}
