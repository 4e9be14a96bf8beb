/* SPDX-License-Identifier: MIT */
#include "src/bench/variants/stage.h"

#include "src/lib/image/compare.h"
#include "kernels/common/parallel.h"
#include "src/lib/filter/registry.h"
#include "src/lib/run/run.h"
#include "kernels/common/sample.h"

#include <stdio.h>
#include <string.h>

/* Products that the reference may compute on each processor: about two seconds. A float's takes 14
 * times as long. */
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
    status = image_alloc(&stage->wanted, &shape, 0, error);
    if (status == STATUS_OK)
        status = image_alloc(&stage->got, &shape, 0, error);
    if (status == STATUS_OK && op == OP_SMOOTH)
        status = filter_weights_make(&filter, &stage->weights, error);
    if (status != STATUS_OK)
        return status;
    memset(stage->got.memory, 0, stage->got.memory_bytes);
    stage->job = request_job(&(struct request){.filter = &stage->weights,
                                               .weighted = weighted && picture->view.channels > 1,
                                               .threads = threads,
                                               .block = block},
                             op, picture->maxval, picture->view, stage->got.view);
    return STATUS_OK;
}

void stage_stack(struct stage *stage, int64_t images)
{
    struct job *job = &stage->job;
    const int64_t halo = stage->picture->halo;
    const int64_t pitch = (job->src.height + 2 * halo) / images; /* all but the outer borders */

    if (images < 2)
        return;
    job->images = images;
    job->src.height = job->dst.height = pitch - 2 * halo;
    job->src_apart = pitch * job->src.stride_bytes;
    job->dst_apart = pitch * job->dst.stride_bytes;
    memset(stage->wanted.memory, 0, stage->wanted.memory_bytes); /* between the images too */
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

/* How many samples of an image the reference computes in about two seconds. */
static int64_t affordable_samples(const struct stage *stage)
{
    const int64_t taps = 2 * stage->job.halo + 1;
    const int64_t products =
        stage->job.maxval == FLOAT_SAMPLES ? FLOAT_PRODUCTS_EACH : PRODUCTS_EACH;

    return products * (int64_t)parallel_processors() / (taps * taps) /
           (stage->job.images > 1 ? stage->job.images : 1);
}

bool stage_is_long(const struct stage *stage)
{
    const struct view *src = &stage->job.src;

    return stage->op == OP_SMOOTH &&
           src->width * src->height * src->channels > affordable_samples(stage);
}

/* The job for a rectangle of the picture and of the result. The picture around the rectangle serves
 * as its border. */
static struct job part_of(const struct job *job, int64_t y, int64_t x, int64_t height,
                          int64_t width)
{
    struct job part = *job;

    part.src.origin = sample_address(&job->src, y, x, 0);
    part.dst.origin = sample_address(&job->dst, y, x, 0);
    part.src.height = part.dst.height = height;
    part.src.width = part.dst.width = width;
    return part;
}

/* The reference of smooth cannot fail. */
static void smooth_rows(const void *context, int band, int64_t first, int64_t last)
{
    const struct job *job = context;
    const struct job part = part_of(job, first, 0, last - first, job->src.width);

    (void)band;
    registry_reference(OP_SMOOTH)->run(&part);
}

/* Compares a patch of `wanted`, which a fast variant computed, with the reference. */
static bool patch_is_right(struct stage *stage, int64_t y, int64_t x, int64_t height, int64_t width)
{
    const struct job part = part_of(&stage->job, y, x, height, width);
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

/* Compares PATCHES patches from the upper left corner to the lower right one; of whole rows if
 * affordable_samples permits. */
static enum status check_patches(struct stage *stage, char *checked, size_t size,
                                 struct error *error)
{
    const struct view *src = &stage->job.src;
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

/* One image. */
static enum status compute_image(struct stage *stage, char *checked, size_t size,
                                 struct error *error)
{
    const bool is_long = stage_is_long(stage);
    const struct variant *variant = registry_reference(stage->op);
    struct job job = stage->job;
    enum status status = STATUS_OK;

    job.dst = stage->wanted.view;
    job.images = 1;
    job.threads = parallel_processors();
    memset(stage->wanted.memory, 0xA5, stage->wanted.memory_bytes);
    snprintf(checked, size, "every sample against the reference");
    if (is_long)
        variant = registry_best(stage->op, ON_CPU, NULL);
    if (stage->op != OP_SMOOTH || is_long)
        status = run_job(variant, &job, NULL, error);
    else
        parallel_rows(job.threads, job.dst.height, smooth_rows, &job);
    return status == STATUS_OK && is_long ? check_patches(stage, checked, size, error) : status;
}

/* The images of a stack. */
static enum status compute_images(struct stage *stage, char *checked, size_t size,
                                  struct error *error)
{
    const struct job *job = &stage->job;
    struct stage one = *stage;
    struct image *wanted = &one.wanted;
    enum status status = STATUS_OK;

    wanted->view.height = job->src.height;
    wanted->memory_bytes = (size_t)(job->src.height * wanted->view.stride_bytes);
    for (int64_t i = 0; i < job->images && status == STATUS_OK; i++) {
        one.job.src = stack_image(job->src, i, job->src_apart);
        one.job.dst = stack_image(job->dst, i, job->dst_apart);
        wanted->view.origin =
            image_row(&stage->wanted, i * (job->dst_apart / job->dst.stride_bytes));
        wanted->memory = wanted->view.origin;
        status = compute_image(&one, checked, size, error);
    }
    return status;
}

enum status stage_compute_wanted(struct stage *stage, char *checked, size_t size,
                                 struct error *error)
{
    return stage->job.images > 1 ? compute_images(stage, checked, size, error)
                                 : compute_image(stage, checked, size, error);
}
