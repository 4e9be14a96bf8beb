/* SPDX-License-Identifier: MIT */
/* Computes arrays in host memory on the context's device: copies them there and back. A place is an
 * index along an axis. */
#include "src/lib/api/arrays.h"

#include "kernels/common/numbers.h"
#include "src/lib/api/dims.h"
#include "src/lib/gpu/gpu.h"

#define ROW_UNIT 256 /* bytes: rows on the device begin at multiples of it */

/* Returns the first axis of a row on the device: a row spans this axis and all later ones. If
 * several axes are filtered, a row begins with the last of them. If one is filtered, a row begins
 * with the next axis, or with the filtered axis itself if at most one axis follows. If none is
 * filtered, a row begins with the last axis but one. */
static int row_axis(int axes, int filtered, const int *axis)
{
    const int last = filtered > 0 ? axis[filtered - 1] : 0, before_last = axes > 1 ? axes - 2 : 0;

    if (filtered > 1)
        return last;
    return (int)max(last, filtered > 0 ? min(last + 1, before_last) : before_last);
}

/* An array on the device. Its samples are contiguous, except for gaps after rows. */
struct device_array {
    struct smoothimg_array array;
    int64_t strides[ARRAY_AXES];
    int64_t bytes;
};

static void lay_out(const struct smoothimg_array *like, const int64_t *shape, int row,
                    struct device_array *placed)
{
    int64_t bytes = sample_format((enum sample_type)like->type).bytes;

    placed->array = *like;
    placed->array.shape = shape;
    placed->array.strides = placed->strides;
    placed->array.memory = SMOOTHIMG_CUDA;
    for (int a = like->axes - 1; a >= 0; a--) {
        placed->strides[a] = bytes;
        bytes *= shape[a];
        if (a == row)
            bytes = round_up(bytes, ROW_UNIT);
    }
    placed->bytes = bytes;
}

/* Copies an array, or a part of it, between host and device. Each call of gpu_host_copy() copies a
 * group of rows at equal distances. Adds the number of copied bytes to *bytes. */
static enum status copy(struct smoothimg_context *context, int axes, const int64_t *shape,
                        const struct array *array, char *device, const int64_t *strides, bool up,
                        int64_t *bytes)
{
    int64_t place[ARRAY_AXES] = {0}, row = sample_format(array->type).bytes;
    char *host = array->origin;
    struct gpu_rows rows;
    struct dims dims = {.by_dst = true};
    enum status status;
    bool several;

    for (int a = 0; a < axes; a++)
        if (shape[a] > 1)
            dims_add(&dims, (struct dim){shape[a], array->strides[a], strides[a], 0, 0});
    row *= dims_absorb(&dims, row, 0).extent;
    dims_join(&dims);
    several = dims.count > 0 && dims.dim[0].src >= row;
    rows = (struct gpu_rows){.pitch = several ? dims.dim[0].src : row,
                             .bytes = row,
                             .rows = several ? dims.dim[0].extent : 1};
    do {
        rows.first = host;
        *bytes += rows.bytes * rows.rows;
        status = gpu_host_copy(context->gpu, &rows, device, several ? dims.dim[0].dst : row, up,
                               context->threads, &context->error);
    } while (status == STATUS_OK && dims_advance(&dims, several, place, &host, &device));
    return status;
}

/* Computes the whole result, from one array on the device into another. */
static enum status compute_there(const struct arguments *asked, const struct smoothimg_array *src,
                                 const struct smoothimg_array *dst)
{
    struct arguments there = *asked;

    there.src = src;
    there.dst = dst;
    there.first = NULL;
    there.stream = gpu_stream(asked->context->gpu);
    return asked->filter ? filter_term(&there) : move_array(&there);
}

/* Copies the source to the device, computes the result of the whole source there, and copies the
 * job's part of the result back. */
static enum status compute_whole(const struct arguments *asked, const struct array_job *job)
{
    struct smoothimg_context *context = asked->context;
    struct gpu *gpu = context->gpu;
    struct error *error = &context->error;
    const int row = row_axis(job->axes, job->filtered, job->axis);
    struct device_array src, dst;
    int64_t up = 0, down = 0;
    enum status status;
    char *part;

    lay_out(asked->src, job->shape, row, &src);
    lay_out(asked->dst, asked->filter ? job->shape : job->extent, row, &dst);
    status = gpu_host_begin(gpu, src.bytes, dst.bytes, &src.array.data, &dst.array.data, error);
    part = dst.array.data;
    for (int a = 0; a < job->axes; a++)
        part += job->first[a] * dst.strides[a];
    if (status == STATUS_OK)
        status =
            copy(context, job->axes, job->shape, &job->src, src.array.data, src.strides, true, &up);
    if (status == STATUS_OK)
        status = gpu_mark(gpu, KERNEL_BEGINS, error);
    if (status == STATUS_OK)
        status = compute_there(asked, &src.array, &dst.array);
    if (status == STATUS_OK)
        status = gpu_mark(gpu, KERNEL_ENDS, error);
    if (status == STATUS_OK)
        status = copy(context, job->axes, job->extent, &job->dst, part, dst.strides, false, &down);
    status = gpu_host_end(gpu, status, &context->times, error);
    if (status != STATUS_OK)
        return status;
    context->times.upload_bytes += up;
    context->times.download_bytes += down;
    return STATUS_OK;
}

/* Returns the axis's index among the filtered axes, or -1 if it is not filtered. */
static int filtered_number(const struct array_job *job, int axis)
{
    for (int i = 0; i < job->filtered; i++)
        if (job->axis[i] == axis)
            return i;
    return -1;
}

/* True if a term has the edge rule `wrap` on the filtered axis with this number, and a result of
 * the job needs samples beyond an end of the axis. */
static bool wraps_around(const struct array_job *job, int number)
{
    const int axis = job->axis[number];
    const int64_t first = job->first[axis], halo = job->halo[number];
    bool wraps = false;

    for (int t = 0; t < job->terms; t++)
        wraps = wraps || job->taps[t * job->filtered + number].edge == EDGE_WRAP;
    return wraps && (first < halo || first + job->extent[axis] + halo > job->shape[axis]);
}

/* Returns the axis along which the job can be cut in two: the first on which the result has several
 * places. Returns -1 if there is none, if the filter wraps around the ends of this axis, or if it
 * holds the channels of a pixel whose alpha weights the others. */
static int axis_to_cut(const struct array_job *job)
{
    int axis = 0, number;

    while (axis < job->axes && job->extent[axis] == 1)
        axis++;
    if (axis == job->axes || (axis == job->axes - 1 && job->weighing == ARRAY_BY_ALPHA))
        return -1;
    number = filtered_number(job, axis);
    return number >= 0 && wraps_around(job, number) ? -1 : axis;
}

/* Returns the job for places begin..begin+count-1 along an axis of the result. The returned job's
 * source has only the places that these results need: for a filter, those within its halo; for a
 * move, which transposes or reverses axes, those that it copies. */
static struct array_job part_of(const struct arguments *asked, const struct array_job *job,
                                int axis, int64_t begin, int64_t count)
{
    const int number = filtered_number(job, axis), source = asked->axes ? asked->axes[axis] : axis;
    const int64_t halo = number >= 0 ? job->halo[number] : 0;
    const int64_t first = asked->flip && asked->flip[axis] ? job->shape[source] - begin - count
                                                           : job->first[axis] + begin;
    const int64_t from = max(first - halo, 0), to = min(first + count + halo, job->shape[source]);
    struct array_job part = *job;

    part.src.origin = (char *)job->src.origin + from * job->src.strides[source];
    part.dst.origin = (char *)job->dst.origin + begin * job->dst.strides[axis];
    part.shape[source] = to - from;
    part.first[axis] = first - from;
    part.extent[axis] = count;
    return part;
}

/* Computes the job in one step, or, if the device lacks the memory, in two halves, each of which
 * may be halved again. */
static enum status compute_parts(const struct arguments *asked, const struct array_job *job)
{
    struct smoothimg_context *context = asked->context;
    enum status status = compute_whole(asked, job);
    const int axis = axis_to_cut(job);
    int64_t half;
    struct array_job part;

    if (status == STATUS_OK || !gpu_lacked_memory(context->gpu))
        return status;
    if (axis < 0)
        return context->error.status = STATUS_NO_MEMORY;
    half = job->extent[axis] / 2;
    part = part_of(asked, job, axis, 0, half);
    status = compute_parts(asked, &part);
    if (status != STATUS_OK)
        return status;
    part = part_of(asked, job, axis, half, job->extent[axis] - half);
    return compute_parts(asked, &part);
}

enum status host_on_device(const struct arguments *asked, const struct array_job *job)
{
    asked->context->times = (struct gpu_times){0};
    return compute_parts(asked, job);
}
