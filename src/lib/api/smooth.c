/* SPDX-License-Identifier: MIT */
/* Smooth. In the host's memory the variant reads images where they are, in bands of rows for
 * several threads. Small images of a stack are copied side by side, each with its border, and are
 * computed as one: loops over a row take some hundred samples at a time. */
#include "src/lib/api/device.h"

#include "kernels/common/engine.h"
#include "kernels/common/numbers.h"
#include "src/lib/base/work_queue.h"
#include "src/lib/run/run.h"
#include "src/lib/image/halo.h"

#include <string.h>

#define THREAD_BANDS 4 /* of a thread, so that one that is late leaves some to others */
#define BAND_HALOS 16  /* rows of a band, in halos, at least: the halo's own are filtered twice */
#define SIDE_ROWS 256  /* of images side by side, border included: all of it fits the cache */
/* Bytes from what is copied to what is prefetched. Small images begin in another page each, where
 * processors look no further by themselves: 64^2 bytes take .82 of the time at halo 1, .89 at 4. */
#define COPY_AHEAD 8192

static bool has_border(const struct call *call)
{
    return call->src.border >= call_halo(call);
}

/* Of an image among others: the borders on its left and right are its own. */
static int64_t cell_width(const struct call *call)
{
    return call->src.width + 2 * call_halo(call);
}

/* Bytes of a row of images side by side, at most. */
static int64_t side_bytes(const struct call *call)
{
    return call->src.type == SMOOTHIMG_U16 ? 1024 : 2048;
}

/* Pixels from which on images are as fast by themselves. */
static int64_t side_width(const struct call *call)
{
    return (call->src.type == SMOOTHIMG_U8 ? 512 : 128) / call->src.channels;
}

/* Whether the borders of images side by side take less time than is won: measured with all types of
 * samples, 16 to 256 pixels wide, of one and three channels, at halos 1, 4 and 16. */
static bool side_by_side_pays(const struct call *call, int64_t width)
{
    return width < side_width(call) && call_halo(call) <= max(width / 8, 4);
}

/* How many images fit side by side. */
static int64_t most_side_by_side(const struct call *call)
{
    if (call->src.count == 1 || !side_by_side_pays(call, call->src.width) ||
        call->dst.height < call->src.height || call->src.height + 2 * call_halo(call) > SIDE_ROWS ||
        has_border(call))
        return 1;
    return max(side_bytes(call) / (cell_width(call) * pixel_bytes_of(call)), 1);
}

/* Sets the number of threads, and the height of a band: each thread has the same number of them. */
static void plan_bands(struct call *call)
{
    const int64_t height = call->dst.height, halo = call->request.filter->halo_y;
    int64_t share, bands;

    call->threads = call_threads(call);
    share = (height * call->src.count - 1) / call->threads + 1;
    bands = call->threads == 1 ? 1 : min(share / (BAND_HALOS * max(halo, 1)), THREAD_BANDS);
    call->band_rows = min((share - 1) / max(bands, 1) + 1, height);
    call->side_by_side = min(most_side_by_side(call), (call->src.count - 1) / call->threads + 1);
    if (call->side_by_side > 1)
        call->band_rows = height; /* they are computed whole */
    call->bands = (height - 1) / call->band_rows + 1;
}

/* Rows first..last-1 of image i. */
static struct job band_job(const struct call *call, int64_t i, int64_t first, int64_t last)
{
    struct job job = call_job(call, i, first, last);

    if (!has_border(call))
        job.beside = (struct beside){.above = call->first_row + first,
                                     .below = call->src.height - call->first_row - last};
    return job;
}

/* The highest band, or whole rows of images side by side. */
static struct job largest_job(const struct call *call)
{
    struct job job = band_job(call, 0, 0, call->band_rows);

    if (call->side_by_side > 1) {
        job.src.width = job.dst.width = side_bytes(call) / pixel_bytes_of(call);
        job.beside = (struct beside){job.halo, job.halo, job.halo, job.halo};
    }
    return job;
}

/* Of the rows of a job's source; maxval only tells the bytes of a sample. */
static struct shape shape_of(const struct call *call, const struct job *job)
{
    return (struct shape){job->src.width, job->src.height, job->src.channels,
                          type_maxval(call->src.type)};
}

/* Sets what a thread's memory holds for the largest job: images side by side with their borders,
 * and their results; and after them the scratch. */
static enum status measure(struct call *call, const struct job *job, const struct variant *variant,
                           struct error *error)
{
    const struct shape shape = shape_of(call, job);
    enum status status = STATUS_OK;

    call->sources_bytes = call->results_bytes = 0;
    if (call->side_by_side > 1)
        status = image_measure(&shape, job->halo, &call->sources_bytes, error);
    if (call->side_by_side > 1 && status == STATUS_OK)
        status = image_measure(&shape, 0, &call->results_bytes, error);
    call->sources_bytes = round_up(max(call->sources_bytes, 1), ROW_ALIGNMENT);
    call->results_bytes = round_up(call->results_bytes, ROW_ALIGNMENT);
    call->memory_bytes =
        (size_t)(call->sources_bytes + call->results_bytes) + scratch_bytes_of(variant, job);
    return status;
}

/* Copies rows that are short: a call of memcpy takes as long as its copy. */
static void copy_rows(const struct view *from, const struct view *to)
{
    const size_t bytes = (size_t)(from->width * from->channels * from->sample_bytes);
    const char *source = from->origin;
    char *target = to->origin;

    for (int64_t y = 0; y < from->height; y++) {
        size_t at = 0;

        for (size_t i = 0; i < bytes; i += 64) { /* a line of the caches */
            __builtin_prefetch(source + COPY_AHEAD + i);
            __builtin_prefetch(target + COPY_AHEAD + i, 1);
        }
        for (; at + 16 <= bytes; at += 16)
            memcpy(target + at, source + at, 16);
        if (bytes >= 16) /* over what is there */
            memcpy(target + bytes - 16, source + bytes - 16, 16);
        else
            memcpy(target, source, bytes);
        source += from->stride_bytes;
        target += to->stride_bytes;
    }
}

/* Copies source i into *image, with the border that the edge rule gives. */
static void copy_source(const struct call *call, int64_t i, const struct image *image)
{
    const struct filter_weights *filter = call->request.filter;
    const struct view src = image_view(&call->src, i, 0, call->src.height);
    struct image copy = *image;

    copy_rows(&src, &copy.view);
    halo_fill(&copy, filter->edge, filter->halo_x, filter->halo_y);
}

/* Image i of some side by side, the first of them being 0. */
static struct image image_of_several(const struct call *call, const struct image *several,
                                     int64_t i)
{
    struct image image = *several;

    image.view.origin = (char *)image.view.origin + i * cell_width(call) * pixel_bytes_of(call);
    image.view.width = call->src.width;
    return image;
}

/* Images side by side, as a work_piece. */
static enum status smooth_several(void *context, int thread, int64_t piece, struct error *error)
{
    const struct call *call = context;
    struct memory *memory = &call->context->memory[thread];
    const int64_t first = piece * call->side_by_side;
    const int64_t count = min(call->side_by_side, call->src.count - first);
    const struct job largest = largest_job(call);
    struct job job = engine_plan_job(&call->plan, &largest);
    const enum status status = memory_need(memory, call->memory_bytes, error);
    struct shape shape = shape_of(call, &largest);
    struct image src, dst;

    if (status != STATUS_OK)
        return status;
    shape.width = count * cell_width(call) - 2 * call_halo(call);
    image_place(&src, &shape, job.halo, memory->data);
    image_place(&dst, &shape, 0, (char *)memory->data + call->sources_bytes);
    for (int64_t i = 0; i < count; i++) {
        const struct image image = image_of_several(call, &src, i);

        copy_source(call, first + i, &image);
    }
    job.src = src.view, job.dst = dst.view;
    job.scratch = (char *)memory->data + call->sources_bytes + call->results_bytes;
    if (run_outcome(job.engine, run_stack(job.engine, &job), error) != STATUS_OK)
        return error->status;
    for (int64_t i = 0; i < count; i++) {
        const struct image image = image_of_several(call, &dst, i);
        const struct view result = image_view(&call->dst, first + i, 0, call->dst.height);

        copy_rows(&image.view, &result);
    }
    return STATUS_OK;
}

/* A band, as a work_piece. */
static enum status smooth_band(void *context, int thread, int64_t piece, struct error *error)
{
    const struct call *call = context;
    struct memory *memory = &call->context->memory[thread];
    const int64_t i = piece / call->bands, first = piece % call->bands * call->band_rows;
    const int64_t last = min(first + call->band_rows, call->dst.height);
    const struct job unplanned = band_job(call, i, first, last);
    struct job job = engine_plan_job(&call->plan, &unplanned);
    const enum status status = memory_need(memory, call->memory_bytes, error);

    if (status != STATUS_OK)
        return status;
    job.scratch = memory->data;
    return run_outcome(job.engine, run_stack(job.engine, &job), error);
}

static enum status run_pieces(struct call *call, struct error *error)
{
    const int64_t count = call->src.count;

    return call->side_by_side > 1
               ? work_queue_run_apart(call->threads, (count - 1) / call->side_by_side + 1,
                                      smooth_several, call, error)
               : work_queue_run_apart(call->threads, call->bands * count, smooth_band, call, error);
}

/* The bands of all images, by one plan. */
static enum status smooth_on_host(struct call *call, struct error *error)
{
    struct job job;
    enum status status;

    plan_bands(call);
    job = largest_job(call);
    status = engine_plan_make(call_variant(call, &job), &job, &call->plan, error);
    if (status == STATUS_OK) {
        job = engine_plan_job(&call->plan, &job);
        call->context->chosen = job.engine->name;
        status = measure(call, &job, job.engine, error);
    }
    return status == STATUS_OK ? run_pieces(call, error) : status;
}

/* STATUS_INVALID or STATUS_UNSUPPORTED if the filter does not fit the pixels. No variant weighs
 * floats by alpha: kernels/smooth/floats/floats.h says why. */
static enum status check_filter(const struct call *call, struct error *error)
{
    if (call->request.weighted && call->src.channels < 2)
        return fail(error, STATUS_INVALID,
                    "src: 1 channel; a filter that is weighted by alpha needs at least 2");
    if (call->request.weighted && call->src.type == SMOOTHIMG_F32)
        return fail(error, STATUS_UNSUPPORTED,
                    "src: floats are not weighted by alpha; use a filter without it, which smooths "
                    "each channel by itself");
    return STATUS_OK;
}

enum status smooth_images(struct call *call, struct error *error)
{
    const enum status status = check_filter(call, error);

    if (status != STATUS_OK)
        return status;
    return call->src.memory == SMOOTHIMG_CUDA ? run_on_device(call, error)
                                              : smooth_on_host(call, error);
}

/* Makes the call one of smaller images that are side by side and have as many rows as can be. False
 * if there is none. */
static bool put_side_by_side(struct call *call)
{
    call->band_rows = min(call->src.height, SIDE_ROWS - 2 * call_halo(call));
    call->side_by_side = 2;
    return call->src.count > 1 && call->band_rows > 0 &&
           2 * pixel_bytes_of(call) <= side_bytes(call) &&
           side_by_side_pays(call, min(call->src.width, side_width(call) - 1));
}

static enum status reserve_for_largest(struct call *call, struct error *error)
{
    struct smoothimg_context *context = call->context;
    const struct job job = largest_job(call);
    enum status status = measure(call, &job, call_variant(call, &job), error);

    for (int i = 0; i < context->threads && status == STATUS_OK; i++)
        status = memory_need(&context->memory[i], call->memory_bytes, error);
    return status;
}

/* call: of smooth, whose images have no data. */
static enum status reserve_on_host(struct call *call, struct error *error)
{
    enum status status;

    call->src.border = 0; /* an image without needs most */
    plan_bands(call);
    call->side_by_side = 1;
    status = reserve_for_largest(call, error);
    if (status == STATUS_OK && put_side_by_side(call))
        status = reserve_for_largest(call, error);
    return status;
}

enum status reserve_images(struct call *call, struct error *error)
{
    const enum status status = check_filter(call, error);

    if (status != STATUS_OK)
        return status;
    return call->src.memory == SMOOTHIMG_CUDA ? reserve_on_device(call, error)
                                              : reserve_on_host(call, error);
}
