/* SPDX-License-Identifier: MIT */
#include "src/bench/variants/stage.h"

#include "src/files/image/compare.h"
#include "kernels/common/parallel.h"
#include "src/lib/filter/registry.h"
#include "src/bench/run/run.h"
#include "kernels/common/sample.h"

#include <stdio.h>
#include <string.h>

/* The number of products of a weight and a sample that the reference computes in about two seconds
 * on one processor. With floats a product takes 14 times as long. */
#define PRODUCTS_EACH 2000000000
#define FLOAT_PRODUCTS_EACH (PRODUCTS_EACH / 14)
#define PATCHES 16

enum status stage_make(struct stage *stage, enum op op, const struct image *picture, int64_t halo,
                       bool weighted, int threads, int block, struct gpu *gpu, struct error *error)
{
    const struct filter filter = {
        .x = {.halo = halo}, .y = {.halo = halo}, .norm = NORM_SUM, .edge = EDGE_CLAMP};
    const struct shape from = image_shape(picture), shape = run_result_shape(op, &from);
    enum status status;

    memset(stage, 0, sizeof *stage);
    stage->op = op;
    stage->picture = picture;
    stage->gpu = gpu;
    status = image_alloc(&stage->wanted, &shape, error);
    if (status == STATUS_OK)
        status = image_alloc(&stage->got, &shape, error);
    if (status == STATUS_OK && op == OP_SMOOTH)
        status = plane_filter_make(&filter, &stage->weights, error);
    if (status != STATUS_OK)
        return status;
    memset(stage->got.memory, 0, stage->got.memory_bytes);
    stage->request =
        request_of(op, &stage->weights, picture->maxval, picture->view, stage->got.view);
    stage->request.weighted = op == OP_SMOOTH && weighted && picture->view.channels > 1;
    stage->request.threads = threads;
    stage->request.block = block;
    return STATUS_OK;
}

void stage_free(struct stage *stage)
{
    image_free(&stage->wanted);
    image_free(&stage->got);
}

void stage_poison(struct stage *stage)
{
    const struct image *right = &stage->wanted;
    const size_t bytes = image_row_bytes(right);

    for (int64_t y = 0; y < right->view.height; y++) {
        const unsigned char *wanted = image_row(right, y);
        unsigned char *got = image_row(&stage->got, y);

        for (size_t i = 0; i < bytes; i++)
            got[i] = (unsigned char)~wanted[i];
    }
}

/* Returns how many samples of an image the reference computes in about two seconds. */
static int64_t affordable_samples(const struct stage *stage)
{
    const int64_t taps = 2 * stage->request.halo + 1;
    const int64_t products =
        stage->request.maxval == FLOAT_SAMPLES ? FLOAT_PRODUCTS_EACH : PRODUCTS_EACH;

    return products * (int64_t)parallel_processors() / (taps * taps);
}

bool stage_is_long(const struct stage *stage)
{
    const struct view *src = &stage->request.src;

    return stage->op == OP_SMOOTH &&
           src->width * src->height * src->channels > affordable_samples(stage);
}

/* Returns the request for a rectangle of the result. Its source is the same rectangle of the
 * picture. The filter may also read the pixels around this rectangle (part.beside). */
static struct request part_of(const struct request *request, int64_t y, int64_t x, int64_t height,
                              int64_t width)
{
    struct request part = *request;

    part.src.origin = sample_address(&request->src, y, x, 0);
    part.dst.origin = sample_address(&request->dst, y, x, 0);
    part.src.height = part.dst.height = height;
    part.src.width = part.dst.width = width;
    part.beside.left += x;
    part.beside.right += request->src.width - x - width;
    part.beside.above += y;
    part.beside.below += request->src.height - y - height;
    return part;
}

/* Computes rows first..last-1 by the reference. Ignores errors: the reference variant of smooth
 * does not fail. */
static void smooth_rows(const void *context, int band, int64_t first, int64_t last)
{
    const struct request *request = context;
    const struct request part = part_of(request, first, 0, last - first, request->src.width);
    struct variant reference;
    struct error unused;

    (void)band;
    registry_variant(OP_SMOOTH, "reference", &reference);
    run_request(&reference, &part, NULL, &unused);
}

/* Returns true if a patch (rectangle) of stage->wanted, which a fast variant computed, equals the
 * result that the reference computes there. */
static bool patch_is_right(struct stage *stage, int64_t y, int64_t x, int64_t height, int64_t width)
{
    const struct request part = part_of(&stage->request, y, x, height, width);
    struct view wanted = part.dst;

    wanted.origin = sample_address(&stage->wanted.view, y, x, 0);
    wanted.stride_bytes = stage->wanted.view.stride_bytes;
    parallel_rows(parallel_processors(), height, smooth_rows, &part);
    return compare_views(&wanted, &part.dst).samples == 0;
}

static int64_t within(int64_t value, int64_t min, int64_t max)
{
    return value < min ? min : value > max ? max : value;
}

/* Compares PATCHES rectangles of stage->wanted with the results that the reference computes there.
 * The rectangles lie on the diagonal from the upper left corner to the lower right corner. Let N be
 * affordable_samples / PATCHES. A rectangle has at most N samples, but at least one pixel. If a row
 * of the picture has at most N samples, the rectangle has whole rows, at most about 1 / PATCHES of
 * all rows. Else it is a part of one row. */
static enum status check_patches(struct stage *stage, char *checked, size_t size,
                                 struct error *error)
{
    const struct view *src = &stage->request.src;
    const int64_t pixels = affordable_samples(stage) / PATCHES / src->channels;
    const int64_t width = within(pixels, 1, src->width);
    const int64_t height = within(pixels / width, 1, (src->height + PATCHES - 1) / PATCHES);

    for (int i = 0; i < PATCHES; i++) {
        const int64_t y = (src->height - height) * i / (PATCHES - 1);
        const int64_t x = (src->width - width) * i / (PATCHES - 1);

        if (!patch_is_right(stage, y, x, height, width))
            return fail(error, STATUS_DIFFERENT,
                        "smooth cpu differs from the reference within the %lld x %lld pixels at "
                        "x %lld, y %lld, so that nothing can be checked by it",
                        (long long)width, (long long)height, (long long)x, (long long)y);
    }
    snprintf(checked, size,
             "every sample against cpu, itself against the reference in %d patches of %lld x %lld "
             "pixels",
             PATCHES, (long long)width, (long long)height);
    return STATUS_OK;
}

enum status stage_compute_wanted(struct stage *stage, char *checked, size_t size,
                                 struct error *error)
{
    const bool is_long = stage_is_long(stage);
    struct request request = stage->request;
    struct variant variant;
    enum status status = STATUS_OK;

    request.dst = stage->wanted.view;
    request.threads = parallel_processors();
    memset(stage->wanted.memory, 0xA5, stage->wanted.memory_bytes);
    snprintf(checked, size, "every sample against the reference");
    registry_variant(stage->op, "reference", &variant);
    if (is_long)
        variant = *registry_best(stage->op, ON_CPU, NULL);
    if (stage->op != OP_SMOOTH || is_long)
        status = run_request(&variant, &request, NULL, error);
    else
        parallel_rows(request.threads, request.dst.height, smooth_rows, &request);
    return status == STATUS_OK && is_long ? check_patches(stage, checked, size, error) : status;
}
