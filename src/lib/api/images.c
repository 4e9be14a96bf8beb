/* SPDX-License-Identifier: MIT */
#include "src/lib/api/images.h"

#include "kernels/common/numbers.h"

#include <stdlib.h>

/* --- Stacks of images, images that overlap, and bands of rows. */

int64_t view_pixel_bytes(const struct view *view)
{
    return (int64_t)view->channels * view->sample_bytes;
}

void images_take_stack(struct dims *outer, struct request *request)
{
    const struct view *src = &request->src, *dst = &request->dst;
    const struct dim *axis = outer->dim;

    request->images = 1;
    /* The least distance of images that lie one after the other: the bytes from an image's first
     * sample to the end of its last row. */
    request->src_apart = src->stride_bytes * (src->height - 1) + src->width * view_pixel_bytes(src);
    request->dst_apart = dst->stride_bytes * (dst->height - 1) + dst->width * view_pixel_bytes(dst);
    if (outer->count == 0 || axis->src < request->src_apart || axis->dst < request->dst_apart)
        return;
    request->images = axis->extent;
    request->src_apart = axis->src;
    request->dst_apart = axis->dst;
    dims_drop(outer, 0);
}

bool images_overlap(const struct request *request)
{
    const struct view *src = &request->src, *dst = &request->dst;
    const uintptr_t from = (uintptr_t)src->origin, to = (uintptr_t)dst->origin;
    const uintptr_t pitch = (uintptr_t)src->stride_bytes;
    const int64_t row = src->width * view_pixel_bytes(src);
    int64_t apart;

    if (src->stride_bytes != dst->stride_bytes ||
        (request->images > 1 && ((uintptr_t)request->src_apart % pitch != 0 ||
                                 (uintptr_t)request->dst_apart % pitch != 0)))
        return true;
    apart = (int64_t)(to >= from ? (to - from) % pitch : pitch - (from - to) % pitch);
    return apart < row || apart + row > src->stride_bytes;
}

struct request request_rows(const struct request *all, int64_t first, int64_t last)
{
    const int64_t after = all->src.height - last;
    struct request rows = *all;

    rows.src.origin = (char *)all->src.origin + first * all->src.stride_bytes;
    rows.dst.origin = (char *)all->dst.origin + first * all->dst.stride_bytes;
    rows.src.height -= first + after;
    rows.dst.height -= first + after;
    rows.beside.above += first;
    rows.beside.below += after;
    rows.images = 1;
    rows.src_apart = rows.dst_apart = 0;
    return rows;
}

/* --- Describes arrays as images. */

/* For a filter along one axis: samples that are contiguous along other axes become the channels of
 * a pixel. If there are more than MOST_CHANNELS of them, they become a row. */
#define MOST_CHANNELS 16

/* How the arrays' axes form images. An axis on which src has a single place has the step 0 in src,
 * and one on which dst has a single place, the step 0 in dst. */
struct layout {
    int64_t sample, pixel; /* bytes */
    struct dim y, x;       /* y: down the columns; x: along the rows */
    struct dims *others;   /* the axes along which images follow each other */
};

static const struct dim one_place = {.extent = 1};

/* True if the axis's stride is `bytes` in both arrays. An axis with a single place may have any
 * stride. */
static bool is_side_by_side(const struct dim *dim, int64_t bytes)
{
    return (dim->src == 0 || dim->src == bytes) && (dim->extent == 1 || dim->dst == bytes);
}

/* True if the axis y steps over rows that do not overlap, in both arrays. */
static bool are_rows(const struct layout *layout, const struct dim *y)
{
    const struct dim *x = &layout->x;

    return (y->src == 0 || y->src >= (x->before + x->extent + x->after) * layout->pixel) &&
           (y->extent == 1 || y->dst >= x->extent * layout->pixel);
}

/* Chooses the images' axes x and y if one axis, *line, is filtered. Returns true if *line becomes
 * x; then y is another axis whose steps are at least a row long, if there is one. Returns false if
 * *line becomes y; then as many other axes as possible are joined into x. */
static bool lay_line(struct layout *layout, const struct dim *line, bool weighted)
{
    const struct dim beside = dims_absorb(layout->others, layout->pixel, line->src);

    if (beside.extent > (weighted ? 1 : MOST_CHANNELS) ||
        !is_side_by_side(line, beside.extent * layout->pixel)) {
        layout->x = beside;
        layout->y = *line;
        return false;
    }
    layout->pixel *= beside.extent;
    layout->x = *line;
    layout->y = one_place;
    dims_join(layout->others);
    for (int i = 0; i < layout->others->count; i++)
        if (are_rows(layout, &layout->others->dim[i])) {
            layout->y = layout->others->dim[i];
            dims_drop(layout->others, i);
            break;
        }
    return true;
}

/* Describes the images and their filter in *request: the weights, and, along the axes that are
 * filtered, how many pixels and rows src has beside the result's images. `turned`: the filter's
 * first axis is x. Returns NULL, or a phrase that says what the arrays would have to be. */
static const char *set_request(const struct array_job *job,
                               const uint64_t *const tables[IMAGE_AXES],
                               const struct layout *layout, bool turned, struct request *request)
{
    const struct dim x = job->halo[!turned] > 0 ? layout->x : one_place;
    const struct dim y = job->halo[turned] > 0 ? layout->y : one_place;
    const int64_t row = layout->x.extent * layout->pixel;
    struct view *src = &request->src, *dst = &request->dst;
    uint64_t together;

    request->beside = (struct beside){x.before, x.after, y.before, y.after};
    request->weighted = job->weighing == ARRAY_BY_ALPHA;
    request->skip_nan = job->weighing == ARRAY_WITHOUT_NAN;
    request->halo_y = job->halo[turned];
    request->halo_x = job->halo[!turned];
    request->halo = max(request->halo_x, request->halo_y);
    request->weights_y = tables[turned];
    request->weights_x = tables[!turned];
    request->edge = job->filtered > 0 ? (int)job->taps->edge : EDGE_REFLECT;
    src->sample_bytes = dst->sample_bytes = (int32_t)layout->sample;
    src->channels = dst->channels = (int32_t)(layout->pixel / layout->sample);
    src->width = dst->width = layout->x.extent;
    src->height = dst->height = layout->y.extent;
    /* The step of a single row is 0; the distance to the next row is then the row's length. */
    src->stride_bytes = layout->y.src > 0 ? layout->y.src : row;
    dst->stride_bytes = layout->y.dst > 0 ? layout->y.dst : row;
    images_take_stack(layout->others, request);
    together =
        dims_together(layout->others, src->origin, dst->origin) |
        (uint64_t)(src->stride_bytes | dst->stride_bytes | request->src_apart | request->dst_apart);
    return together % (uint64_t)layout->sample == 0 ? NULL
                                                    : "samples lie at multiples of their size";
}

/* Sorts the axes of the arrays into filtered[], channels and others. If no axis is filtered, the
 * first one counts as filtered, with a halo of 0. Sets the origins of the request's src and dst to
 * the place of the result's first sample. If both strides of an axis are negative, reverses the
 * axis; the filter is symmetric, so each result stays the same. Returns NULL, or a phrase that says
 * what the arrays would have to be. */
static const char *take_dims(const struct array_job *job, struct request *request,
                             struct layout *layout, struct dim *filtered)
{
    const bool weighted = job->weighing == ARRAY_BY_ALPHA;
    const int count = job->filtered > 0 ? job->filtered : 1;
    char *src = job->src.origin, *dst = job->dst.origin;
    int smoothed = 0;

    for (int a = 0; a < job->axes; a++) {
        const int64_t from = job->src.strides[a], to = job->dst.strides[a], before = job->first[a];
        const int64_t extent = job->extent[a], after = job->shape[a] - before - extent;
        const bool one = job->shape[a] == 1, backwards = from < 0;
        struct dim dim = {extent, one ? 0 : from, extent == 1 ? 0 : to, before, after};

        if ((from == 0 && !one) || (extent > 1 && backwards != (to < 0)))
            return "along each axis the strides of both arrays have the same sign";
        src += before * from;
        if (backwards)
            dim = dim_turned(dim, &src, &dst);
        if (smoothed < count && job->axis[smoothed] == a)
            filtered[smoothed++] = dim;
        else if (weighted && a == job->axes - 1) /* alpha is the last sample of a pixel */
            layout->pixel = before + after == 0 && (extent == 1 || !backwards) &&
                                    is_side_by_side(&dim, layout->sample)
                                ? extent * layout->sample
                                : 0;
        else if (!one)
            dims_add(layout->others, dim);
    }
    request->src.origin = src;
    request->dst.origin = dst;
    return layout->pixel > 0 ? NULL
                             : "a pixel has all of its channels, side by side and alpha last";
}

const char *arrays_as_images(const struct array_job *job, const uint64_t *const tables[IMAGE_AXES],
                             struct request *request, struct dims *outer)
{
    const int64_t sample = sample_format(job->src.type).bytes, *strides = job->src.strides;
    struct layout layout = {.sample = sample, .pixel = sample, .others = outer};
    const bool weighted = job->weighing == ARRAY_BY_ALPHA;
    struct dim filtered[IMAGE_AXES];
    const char *obstacle;
    bool turned;

    if (job->src.type > SAMPLE_F32)
        return "samples are uint8, uint16 or float32";
    if (job->dst.type != job->src.type)
        return "the result has the type of the source";
    outer->by_dst = false;
    outer->count = 0;
    obstacle = take_dims(job, request, &layout, filtered);
    if (obstacle)
        return obstacle;
    if (job->filtered == IMAGE_AXES) {
        turned = llabs(strides[job->axis[1]]) > llabs(strides[job->axis[0]]);
        layout.x = filtered[!turned];
        layout.y = filtered[turned];
        if (!weighted)
            layout.pixel *=
                dims_absorb(outer, sample, layout.x.src > 0 ? layout.x.src : layout.y.src).extent;
    } else {
        turned = lay_line(&layout, &filtered[0], weighted);
    }
    if (!is_side_by_side(&layout.x, layout.pixel) || !are_rows(&layout, &layout.y) ||
        layout.pixel / sample > INT32_MAX)
        return "the pixels of a row lie side by side, and rows after each other";
    dims_join(outer);
    return set_request(job, tables, &layout, turned, request);
}
