/* SPDX-License-Identifier: MIT */
/* Describes images as jobs for the engines of arrays. A piece is the part of a request that is
 * computed at a time; around it there are more samples, which the filter reads ("beside",
 * variant.h). */
#include "kernels/smooth/arrays/images.h"

#include "kernels/common/axes.h"
#include "kernels/common/numbers.h"

static void take_weights(const struct request *request, int axis, struct axis_weights from,
                         struct image_weights *weights)
{
    for (int64_t k = 0; k <= from.halo; k++)
        weights->weights[axis][k] =
            (struct array_weight){u128_of(0, from.weights[from.halo + k]), false};
    weights->exceeds = weights->exceeds || axis_sum(from) > 1;
    weights->taps[axis] =
        (struct array_taps){weights->weights[axis], false, (enum edge)request->edge};
}

void image_weights_make(const struct request *request, struct image_weights *weights)
{
    weights->exceeds = false;
    take_weights(request, 0, weights_down(request), weights);
    take_weights(request, 1, weights_along(request), weights);
}

/* Appends an axis of before + extent + after coordinates, of which the `extent` middle ones are
 * computed. src, dst: bytes from a coordinate to the next in each array. Returns the axis's index.
 */
static int add_axis(struct array_job *job, int64_t before, int64_t extent, int64_t after,
                    int64_t src, int64_t dst)
{
    const int axis = job->axes++;

    job->shape[axis] = before + extent + after;
    job->first[axis] = before;
    job->extent[axis] = extent;
    job->src.strides[axis] = src;
    job->dst.strides[axis] = dst;
    return axis;
}

/* Describes the images of a piece, and the samples beside them, as an array. Does not set
 * addresses, since image_job_largest() has none. The axes depend on the request only, because the
 * memory for the largest piece must suffice for any other. For the same reason both axes are
 * filtered, even if with a single tap. */
static struct array_job job_of(const struct piece *piece, const struct beside *beside,
                               const struct image_weights *weights)
{
    const struct request *request = piece->request;
    const struct view *src = &piece->src, *dst = &piece->dst;
    const int64_t bytes = src->sample_bytes, pixel = src->channels * bytes;
    const enum sample_type type = request->maxval == FLOAT_SAMPLES ? SAMPLE_F32
                                  : bytes == 1                     ? SAMPLE_U8
                                                                   : SAMPLE_U16;
    struct array_job job = {.src = {NULL, type, {0}},
                            .dst = {NULL, type, {0}},
                            .filtered = 2,
                            .halo = {request->halo_y, request->halo_x},
                            .bits = ARRAY_COARSE_BITS,
                            .terms = 1,
                            .taps = weights->taps,
                            .weighing = request->weighted   ? ARRAY_BY_ALPHA
                                        : request->skip_nan ? ARRAY_WITHOUT_NAN
                                                            : ARRAY_ALIKE,
                            .threads = request->threads,
                            .isa = request->isa};

    if (request->images > 1)
        add_axis(&job, 0, piece->images, 0, request->src_apart, request->dst_apart);
    job.axis[0] = add_axis(&job, beside->above, src->height, beside->below, src->stride_bytes,
                           dst->stride_bytes);
    job.axis[1] = add_axis(&job, beside->left, src->width, beside->right, pixel, pixel);
    if (src->channels > 1)
        add_axis(&job, 0, src->channels, 0, bytes, bytes);
    return job;
}

struct array_job image_job_largest(const struct request *request, int64_t images,
                                   const struct image_weights *weights)
{
    const struct beside *beside = &request->beside;
    const struct beside most = {
        max(beside->left, request->halo_x), max(beside->right, request->halo_x),
        max(beside->above, request->halo_y), max(beside->below, request->halo_y)};
    const struct piece piece = {
        .request = request, .src = request->src, .dst = request->dst, .images = images};

    return job_of(&piece, &most, weights);
}

struct array_job image_job(const struct piece *piece, const struct image_weights *weights)
{
    struct array_job job = job_of(piece, &piece->beside, weights);

    job.src.origin = (char *)piece->src.origin;
    for (int i = 0; i < job.filtered; i++)
        job.src.origin =
            (char *)job.src.origin - job.first[job.axis[i]] * job.src.strides[job.axis[i]];
    job.dst.origin = piece->dst.origin;
    return job;
}
