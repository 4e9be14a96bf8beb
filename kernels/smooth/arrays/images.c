/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/arrays/images.h"

#include "kernels/smooth/arrays/layout.h"
#include "kernels/common/axes.h"
#include "kernels/common/numbers.h"
#include "kernels/common/sample.h"

#define AXES 3 /* rows, columns, channels */

static void take_weights(const struct request *request, int axis, int64_t halo,
                         const uint64_t *weights, struct image_state *state)
{
    for (int64_t k = 0; k <= halo; k++)
        state->weights[axis][k] = (struct array_weight){u128_of(0, weights[halo + k]), false};
    state->exceeds = state->exceeds || axis_sum(weights, halo) > (uint64_t)1 << ARRAY_COARSE_BITS;
    state->taps[axis] = (struct array_taps){state->weights[axis], false, (enum edge)request->edge};
}

static enum sample_type type_of(const struct request *request)
{
    return request->maxval == FLOAT_SAMPLES ? SAMPLE_F32
           : request->src.sample_bytes == 1 ? SAMPLE_U8
                                            : SAMPLE_U16;
}

static void set_axis(struct array_job *job, int axis, int64_t before, int64_t extent, int64_t after,
                     int64_t src, int64_t dst)
{
    job->shape[axis] = before + extent + after;
    job->first[axis] = before;
    job->extent[axis] = extent;
    job->src.strides[axis] = src;
    job->dst.strides[axis] = dst;
}

/* The image of a piece, which is a part of a source that has so much beside it, as arrays, without
 * addresses: what is only measured has none. Both axes are filtered, be it by one tap: the engine
 * lays any piece out as it does the largest one. */
static struct array_job job_of(const struct piece *piece, const struct beside *beside,
                               const struct image_state *state)
{
    const struct request *request = piece->request;
    const struct view *src = &piece->src, *dst = &piece->dst;
    const int64_t bytes = src->sample_bytes, pixel = src->channels * bytes;
    const enum sample_type type = type_of(request);
    struct array_job job = {.axes = AXES,
                            .src = {NULL, type, {0}},
                            .dst = {NULL, type, {0}},
                            .filtered = 2,
                            .axis = {0, 1},
                            .halo = {request->halo_y, request->halo_x},
                            .bits = ARRAY_COARSE_BITS,
                            .terms = 1,
                            .taps = state->taps,
                            .weighing = request->weighted   ? ARRAY_BY_ALPHA
                                        : request->skip_nan ? ARRAY_WITHOUT_NAN
                                                            : ARRAY_ALIKE,
                            .threads = request->threads,
                            .isa = request->isa};

    set_axis(&job, 0, beside->above, src->height, beside->below, src->stride_bytes,
             dst->stride_bytes);
    set_axis(&job, 1, beside->left, src->width, beside->right, pixel, pixel);
    set_axis(&job, 2, 0, src->channels, 0, bytes, bytes);
    return job;
}

/* The largest piece, with all that the filter reaches beside it, takes the most memory. */
const char *arrays_of_images_make(const struct request *request, void *memory)
{
    struct image_state *state = memory;
    const struct beside *beside = &request->beside;
    const struct beside most = {
        max(beside->left, request->halo_x), max(beside->right, request->halo_x),
        max(beside->above, request->halo_y), max(beside->below, request->halo_y)};
    const struct piece piece = {.request = request, .src = request->src, .dst = request->dst};
    struct array_job job;

    state->exceeds = false;
    take_weights(request, 0, request->halo_y, request->weights_y, state);
    take_weights(request, 1, request->halo_x, request->weights_x, state);
    job = job_of(&piece, &most, state);
    array_state_make(&job, &state->arrays);
    return NULL;
}

size_t arrays_of_images_scratch_bytes(const struct request *request, const void *memory)
{
    const struct image_state *state = memory;

    (void)request;
    return array_state_scratch_bytes(&state->arrays);
}

/* Results are clamped to the type's range: here to the image's. */
static void clamp(const struct view *image, uint32_t maxval)
{
    for (int64_t y = 0; y < image->height; y++)
        for (int64_t x = 0; x < image->width; x++)
            for (int32_t channel = 0; channel < image->channels; channel++)
                if (sample_get(image, y, x, channel) > maxval)
                    sample_set(image, y, x, channel, maxval);
}

const char *arrays_of_images_run(const struct piece *piece)
{
    const struct image_state *state = piece->state;
    struct array_job job = job_of(piece, &piece->beside, state);
    struct array_taps taps[2];
    struct array_job simple;

    job.src.origin = (char *)piece->src.origin - job.first[0] * job.src.strides[0] -
                     job.first[1] * job.src.strides[1];
    job.dst.origin = piece->dst.origin;
    array_simplify(&job, &simple, taps);
    simple.exact_only = state->arrays.job.exact_only;
    array_state_run(&state->arrays, &simple, piece->scratch);
    if (state->exceeds && piece->request->maxval != FLOAT_SAMPLES)
        clamp(&piece->dst, piece->request->maxval);
    return NULL;
}

void image_boxes_make(const struct request *request, int64_t rows, int64_t pixels,
                      struct image_boxes *boxes)
{
    boxes->request = *request;
    boxes->request.threads = 1;
    boxes->request.src.height = min(rows, request->src.height);
    boxes->request.src.width = min(pixels, request->src.width);
    arrays_of_images_make(&boxes->request, &boxes->state);
}

size_t image_boxes_scratch_bytes(const struct image_boxes *boxes)
{
    return arrays_of_images_scratch_bytes(&boxes->request, &boxes->state);
}

static struct view box_of(const struct view *image, int64_t y, int64_t rows, int64_t x,
                          int64_t pixels)
{
    struct view box = *image;

    box.origin =
        (char *)image->origin + y * image->stride_bytes + x * image->channels * image->sample_bytes;
    box.height = rows;
    box.width = pixels;
    return box;
}

/* A box is a piece that has the rest of its own piece beside it. */
void image_boxes_run(const struct image_boxes *boxes, const struct piece *piece, int64_t y,
                     int64_t rows, int64_t x, int64_t pixels, void *scratch)
{
    struct piece box = *piece;

    box.request = &boxes->request;
    box.state = &boxes->state;
    box.src = box_of(&piece->src, y, rows, x, pixels);
    box.dst = box_of(&piece->dst, y, rows, x, pixels);
    box.beside.above += y;
    box.beside.below += piece->src.height - y - rows;
    box.beside.left += x;
    box.beside.right += piece->src.width - x - pixels;
    box.scratch = scratch;
    arrays_of_images_run(&box);
}
