/* SPDX-License-Identifier: MIT */
#include "src/lib/api/images.h"

#include "kernels/common/numbers.h"

/* --- The images of a request. */

int64_t view_pixel_bytes(const struct view *view)
{
    return (int64_t)view->channels * view->sample_bytes;
}

static int64_t row_bytes(const struct view *view)
{
    return view->width * view_pixel_bytes(view);
}

void images_set_type(int32_t sample_bytes, uint32_t maxval, struct request *request)
{
    const uint32_t greatest = sample_bytes == 4   ? FLOAT_SAMPLES
                              : sample_bytes == 2 ? UINT16_MAX
                                                  : UINT8_MAX;

    request->src.sample_bytes = request->dst.sample_bytes = sample_bytes;
    request->maxval = maxval > 0 ? maxval : greatest;
}

void images_take_stack(struct dims *outer, struct request *request)
{
    const struct view *src = &request->src, *dst = &request->dst;
    const struct dim *axis = outer->dim;

    request->images = 1;
    /* The least distance of images that do not overlap: the bytes from an image's first sample to
     * the end of its last row. */
    request->src_apart = src->stride_bytes * (src->height - 1) + row_bytes(src);
    request->dst_apart = dst->stride_bytes * (dst->height - 1) + row_bytes(dst);
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
    int64_t apart;

    if (src->stride_bytes != dst->stride_bytes ||
        (request->images > 1 && ((uintptr_t)request->src_apart % pitch != 0 ||
                                 (uintptr_t)request->dst_apart % pitch != 0)))
        return true;
    apart = (int64_t)(to >= from ? (to - from) % pitch : pitch - (from - to) % pitch);
    return apart < row_bytes(src) || apart + row_bytes(dst) > src->stride_bytes;
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

/* --- Arrays as images. */

/* For a filter along one axis: samples that are contiguous along other axes become the channels of
 * a pixel. If there are more than MOST_CHANNELS of them, they become a row. */
#define MOST_CHANNELS 16

/* How the arrays' axes form images. */
struct layout {
    int64_t size; /* bytes of a sample */
    int64_t channels;
    struct dim y, x;
    struct dims *others; /* the axes along which images follow each other */
};

static const struct dim one_place = {.extent = 1};

static int64_t pixel_of(const struct layout *layout)
{
    return layout->channels * layout->size;
}

/* Describes an axis of both arrays. Moves *src along the axis to the sample where the result
 * begins. If both strides are negative, reverses the axis, and moves *src and *dst to its other
 * end; the filter is symmetric, so each result stays the same. Returns false if the strides have
 * different signs, or if the stride of src is 0. */
static bool take_dim(const struct array_job *job, int axis, char **src, char **dst, struct dim *dim)
{
    const bool backwards = job->src.strides[axis] < 0;
    const int64_t before = job->first[axis];
    const int64_t after = job->shape[axis] - before - job->extent[axis];

    *dim = (struct dim){job->extent[axis], job->src.strides[axis], job->dst.strides[axis], before,
                        after};
    *src += before * dim->src;
    if (dim->src == 0 && job->shape[axis] > 1)
        return false;
    if (dim->extent == 1)
        dim->dst = 0;
    else if (backwards != (dim->dst < 0))
        return false;
    if (backwards)
        *dim = dim_turned(*dim, src, dst);
    return true;
}

/* True if src has one index along the axis. */
static bool has_one_place(const struct dim *dim)
{
    return dim->before + dim->extent + dim->after == 1;
}

/* Returns the stride of src, or 0 if src has one index along the axis. */
static int64_t step_of(const struct dim *dim)
{
    return has_one_place(dim) ? 0 : dim->src;
}

/* True if the axis's stride is `bytes` in both arrays. An axis with a single index may have any
 * stride. */
static bool is_side_by_side(const struct dim *dim, int64_t bytes)
{
    return (has_one_place(dim) || dim->src == bytes) && (dim->extent == 1 || dim->dst == bytes);
}

/* True if the axis y steps over rows that do not overlap, in both arrays. */
static bool are_rows(const struct layout *layout, const struct dim *y)
{
    const struct dim *x = &layout->x;
    const int64_t pixel = pixel_of(layout);

    return (has_one_place(y) || y->src >= (x->before + x->extent + x->after) * pixel) &&
           (y->extent == 1 || y->dst >= x->extent * pixel);
}

/* Chooses the images' axes x (along a row) and y (down a column) if one axis, *line, is filtered.
 * Returns true if *line becomes x; then y is another axis whose steps are at least a row long, if
 * there is one. Returns false if *line becomes y; then as many other axes as possible are joined
 * into x. */
static bool lay_line(struct layout *layout, const struct dim *line, bool weighted)
{
    const int64_t pixel = pixel_of(layout);
    const struct dim beside = dims_absorb(layout->others, pixel, step_of(line));

    if (beside.extent > (weighted ? 1 : MOST_CHANNELS) ||
        !is_side_by_side(line, beside.extent * pixel)) {
        layout->x = beside;
        layout->y = *line;
        return false;
    }
    layout->channels *= beside.extent;
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

/* Chooses the images' axes x (along a row) and y if two axes are filtered. Returns true if *first
 * becomes x. */
static bool lay_plane(struct layout *layout, const struct dim *first, const struct dim *second,
                      bool weighted)
{
    const bool turned = second->src > first->src;
    const struct dim *x = turned ? first : second, *y = turned ? second : first;

    layout->x = *x;
    layout->y = *y;
    if (!weighted)
        layout->channels =
            dims_absorb(layout->others, layout->size, step_of(x) > 0 ? x->src : step_of(y)).extent;
    return turned;
}

/* Sets the filter of the request, and how many pixels and rows src has beyond the result's images
 * on the sides that the filter reaches. */
static void set_filter(const struct array_job *job, const uint64_t *const tables[IMAGE_AXES],
                       const struct layout *layout, bool turned, struct request *request)
{
    const struct dim x = job->halo[!turned] > 0 ? layout->x : one_place;
    const struct dim y = job->halo[turned] > 0 ? layout->y : one_place;

    request->beside = (struct beside){x.before, x.after, y.before, y.after};
    request->weighted = job->weighing == ARRAY_BY_ALPHA;
    request->skip_nan = job->weighing == ARRAY_WITHOUT_NAN;
    request->halo_y = job->halo[turned];
    request->halo_x = job->halo[!turned];
    request->halo = max(request->halo_x, request->halo_y);
    request->weights_y = tables[turned];
    request->weights_x = tables[!turned];
    request->edge = job->filtered > 0 ? (int)job->taps->edge : EDGE_REFLECT;
}

static const char *set_images(const struct layout *layout, struct request *request)
{
    struct view *src = &request->src, *dst = &request->dst;
    struct dims *outer = layout->others;
    const int64_t from = step_of(&layout->y), to = layout->y.extent > 1 ? layout->y.dst : 0;
    uint64_t together;

    src->width = dst->width = layout->x.extent;
    src->height = dst->height = layout->y.extent;
    src->channels = dst->channels = (int32_t)layout->channels;
    /* The step of a single row is 0; the distance to the next row is then the row's length. */
    src->stride_bytes = from > 0 ? from : row_bytes(src);
    dst->stride_bytes = to > 0 ? to : row_bytes(dst);
    images_take_stack(outer, request);
    together =
        dims_together(outer, src->origin, dst->origin) |
        (uint64_t)(src->stride_bytes | dst->stride_bytes | request->src_apart | request->dst_apart);
    return together % (uint64_t)layout->size == 0 ? NULL : "samples lie at multiples of their size";
}

/* True if *dim, the arrays' last axis, can be the channels of pixels: it is contiguous, and not
 * reversed, so that alpha is last. */
static bool are_channels(const struct array_job *job, const struct dim *dim, int64_t size)
{
    const bool backwards = dim->extent > 1 && job->src.strides[job->axes - 1] < 0;

    return dim->before + dim->after == 0 && is_side_by_side(dim, size) && !backwards;
}

/* Sorts the axes of the arrays into filtered[], channels and others. If no axis is filtered, the
 * first one counts as filtered, with a halo of 0. Returns NULL, or a phrase that says what the
 * arrays would have to be. */
static const char *take_dims(const struct array_job *job, struct request *request,
                             struct layout *layout, struct dim *filtered)
{
    const bool weighted = job->weighing == ARRAY_BY_ALPHA;
    const int count = job->filtered > 0 ? job->filtered : 1;
    char *src = job->src.origin, *dst = job->dst.origin;
    int smoothed = 0;

    for (int a = 0; a < job->axes; a++) {
        struct dim dim;

        if (!take_dim(job, a, &src, &dst, &dim))
            return "along each axis the strides of both arrays have the same sign";
        if (smoothed < count && job->axis[smoothed] == a)
            filtered[smoothed++] = dim;
        else if (weighted && a == job->axes - 1)
            layout->channels = are_channels(job, &dim, layout->size) ? dim.extent : 0;
        else if (!has_one_place(&dim))
            dims_add(layout->others, dim);
    }
    request->src.origin = src;
    request->dst.origin = dst;
    return layout->channels > 0 ? NULL
                                : "a pixel has all of its channels, side by side and alpha last";
}

const char *arrays_as_images(const struct array_job *job, const uint64_t *const tables[IMAGE_AXES],
                             uint64_t maxval, struct request *request, struct dims *outer)
{
    const int32_t bytes = sample_format(job->src.type).bytes;
    struct layout layout = {.size = bytes, .channels = 1, .others = outer};
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
    images_set_type(bytes, (uint32_t)maxval, request);
    obstacle = take_dims(job, request, &layout, filtered);
    if (obstacle)
        return obstacle;
    turned = job->filtered == IMAGE_AXES ? lay_plane(&layout, &filtered[0], &filtered[1], weighted)
                                         : lay_line(&layout, &filtered[0], weighted);
    if (!is_side_by_side(&layout.x, pixel_of(&layout)) || !are_rows(&layout, &layout.y) ||
        layout.channels > INT32_MAX)
        return "the pixels of a row lie side by side, and rows after each other";
    dims_join(outer);
    set_filter(job, tables, &layout, turned, request);
    return set_images(&layout, request);
}
