/* SPDX-License-Identifier: MIT */
#include "src/lib/api/host_on_device.h"

#include "kernels/common/numbers.h"
#include "src/lib/gpu/gpu.h"

#include <string.h>

#define ROW_UNIT 256 /* bytes: rows on the device begin at multiples */

bool goes_to_device(const struct arguments *asked)
{
    return asked->src->memory == SMOOTHIMG_HOST && asked->context->chose_device &&
           asked->context->gpu;
}

/* The axis whose places, with all axes after it, are a row: the last one that is filtered; or, of
 * one filtered axis or none, the one before the last, if that comes later. */
static int row_axis(int axes, int filtered, const int *axis)
{
    const int last = filtered > 0 ? axis[filtered - 1] : 0, before_last = axes > 1 ? axes - 2 : 0;

    if (filtered > 1)
        return last;
    return (int)max(last, filtered > 0 ? min(last + 1, before_last) : before_last);
}

/* An array on the device, without gaps but after its rows. */
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

/* An array of the host, or some of its places, and the same on the device. */
struct twin {
    const int64_t *shape, *host, *device; /* strides of both */
    int outer;                            /* axes of which each place is a run: */
    int64_t run;                          /* bytes without gaps on both sides */
};

static struct twin twin_of(int axes, int64_t size, const int64_t *shape, const int64_t *host,
                           const int64_t *device)
{
    struct twin twin = {shape, host, device, axes, size};
    int *n = &twin.outer;

    while (*n > 0 &&
           (shape[*n - 1] == 1 || (host[*n - 1] == twin.run && device[*n - 1] == twin.run)))
        twin.run *= shape[--*n];
    return twin;
}

/* Copies what is at one place of the first `axis` axes: runs of one pitch at once. */
static enum status copy(struct smoothimg_context *context, const struct twin *twin, int axis,
                        char *host, char *device, bool up)
{
    const bool alone = axis == twin->outer;
    const bool rows = axis + 1 == twin->outer && twin->host[axis] >= twin->run;
    enum status status = STATUS_OK;

    if (alone || rows)
        return gpu_host_copy(context->gpu,
                             &(struct gpu_rows){.first = host,
                                                .pitch = rows ? twin->host[axis] : twin->run,
                                                .bytes = twin->run,
                                                .rows = rows ? twin->shape[axis] : 1},
                             device, rows ? twin->device[axis] : twin->run, up, context->threads,
                             &context->error);
    for (int64_t i = 0; i < twin->shape[axis] && status == STATUS_OK; i++)
        status = copy(context, twin, axis + 1, host + i * twin->host[axis],
                      device + i * twin->device[axis], up);
    return status;
}

/* All of the result, of these arrays. */
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

/* Copies the source there, computes all of its result, and copies what the job wants of that. */
static enum status there_and_back(const struct arguments *asked, const struct array_job *job,
                                  struct device_array *src, struct device_array *dst)
{
    struct smoothimg_context *context = asked->context;
    struct gpu *gpu = context->gpu;
    struct error *error = &context->error;
    const int64_t from = sample_format(job->src.type).bytes,
                  to = sample_format(job->dst.type).bytes;
    const struct twin up = twin_of(job->axes, from, job->shape, job->src.strides, src->strides);
    const struct twin down = twin_of(job->axes, to, job->extent, job->dst.strides, dst->strides);
    enum status status =
        gpu_host_begin(gpu, src->bytes, dst->bytes, &src->array.data, &dst->array.data, error);
    char *part = dst->array.data;

    for (int a = 0; a < job->axes; a++)
        part += job->first[a] * dst->strides[a];
    if (status == STATUS_OK)
        status = copy(context, &up, 0, job->src.origin, src->array.data, true);
    if (status == STATUS_OK)
        status = gpu_mark(gpu, KERNEL_BEGINS, error);
    if (status == STATUS_OK)
        status = compute_there(asked, &src->array, &dst->array);
    if (status == STATUS_OK)
        status = gpu_mark(gpu, KERNEL_ENDS, error);
    if (status == STATUS_OK)
        status = copy(context, &down, 0, job->dst.origin, part, false);
    return gpu_host_end(gpu, status, &context->times, error);
}

static int64_t bytes_of(int axes, const int64_t *shape, const struct array *array)
{
    int64_t bytes = sample_format(array->type).bytes;

    for (int a = 0; a < axes; a++)
        bytes *= shape[a];
    return bytes;
}

static enum status compute_whole(const struct arguments *asked, const struct array_job *job)
{
    const int64_t up = bytes_of(job->axes, job->shape, &job->src);
    const int64_t down = bytes_of(job->axes, job->extent, &job->dst);
    const int row = row_axis(job->axes, job->filtered, job->axis);
    struct gpu_times *times = &asked->context->times;
    struct device_array src, dst;
    enum status status;

    lay_out(asked->src, job->shape, row, &src);
    lay_out(asked->dst, asked->filter ? job->shape : job->extent, row, &dst);
    status = there_and_back(asked, job, &src, &dst);
    if (status != STATUS_OK)
        return status;
    times->upload_bytes += up;
    times->kernel_bytes += up + down; /* each sample is read once, or written, at least */
    times->download_bytes += down;
    return STATUS_OK;
}

/* The number of an axis among the filtered ones; or -1. */
static int filtered_number(const struct array_job *job, int axis)
{
    for (int i = 0; i < job->filtered; i++)
        if (job->axis[i] == axis)
            return i;
    return -1;
}

/* Does any term repeat the source beyond an end that the job reaches? */
static bool wraps_around(const struct array_job *job, int number)
{
    const int axis = job->axis[number];
    const int64_t first = job->first[axis], halo = job->halo[number];
    bool wraps = false;

    for (int t = 0; t < job->terms; t++)
        wraps = wraps || job->taps[t * job->filtered + number].edge == EDGE_WRAP;
    return wraps && (first < halo || first + job->extent[axis] + halo > job->shape[axis]);
}

/* The axis along which the job is cut in two; -1: along none. */
static int axis_to_cut(const struct array_job *job)
{
    int axis = 0, number;

    while (axis < job->axes && job->extent[axis] == 1)
        axis++;
    if (axis == job->axes)
        return -1;
    number = filtered_number(job, axis);
    return number >= 0 && wraps_around(job, number) ? -1 : axis;
}

/* Places begin..begin+count-1 of an axis of the result: of a filter, with what it reaches beside
 * them in the source; of a move, with those that they come from. */
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

/* All of it or, if the device has no memory for that, half of it and then the rest. */
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
