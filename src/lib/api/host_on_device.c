/* SPDX-License-Identifier: MIT */
#include "src/lib/api/host_on_device.h"

#include "kernels/common/numbers.h"
#include "src/lib/api/arrays.h"
#include "src/lib/gpu/arrays.h"
#include "src/lib/gpu/host.h"

#include <string.h>

#define ROW_UNIT 256 /* bytes: rows on the device begin at multiples */

bool goes_to_device(const struct smoothimg_context *context, enum smoothimg_memory memory)
{
    return memory == SMOOTHIMG_HOST && context->chose_device && context->gpu;
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

/* What is done between the copies. */
typedef enum status device_work(struct smoothimg_context *context, const void *what,
                                const struct smoothimg_array *src,
                                const struct smoothimg_array *dst, void *stream);

/* Copies the job's source to where src has been laid out, works, and copies the part of the result
 * that the job wants from where dst has. */
static enum status there_and_back(struct smoothimg_context *context, const struct array_job *job,
                                  struct device_array *src, struct device_array *dst,
                                  device_work *work, const void *what)
{
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
        status = gpu_host_work(gpu, error);
    if (status == STATUS_OK)
        status = work(context, what, &src->array, &dst->array, gpu_stream(gpu));
    if (status == STATUS_OK)
        status = gpu_host_back(gpu, error);
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

/* A kernel reads each sample of the source once, and writes each of the result, at least. */
static void add_bytes(const struct array_job *job, struct gpu_times *times)
{
    const int64_t up = bytes_of(job->axes, job->shape, &job->src);
    const int64_t down = bytes_of(job->axes, job->extent, &job->dst);

    times->upload_bytes += up;
    times->kernel_bytes += up + down;
    times->download_bytes += down;
}

/* A result that is computed where the device is. */
struct term {
    const struct smoothimg_filter *filter;
    int t;
    struct smoothimg_array src, dst; /* the call's, for their kind */
};

static enum status filter_there(struct smoothimg_context *context, const void *what,
                                const struct smoothimg_array *src,
                                const struct smoothimg_array *dst, void *stream)
{
    const struct term *term = what;

    return filter_term(context, term->filter, src, dst, term->t, NULL, stream);
}

/* All of the source is filtered, and what the job wants of that is taken. */
static enum status filter_whole(struct smoothimg_context *context, const struct term *term,
                                const struct array_job *job)
{
    const int row = row_axis(job->axes, job->filtered, job->axis);
    struct device_array src, dst;
    enum status status;

    lay_out(&term->src, job->shape, row, &src);
    lay_out(&term->dst, job->shape, row, &dst);
    status = there_and_back(context, job, &src, &dst, filter_there, term);
    if (status == STATUS_OK)
        add_bytes(job, &context->times);
    return status;
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

/* Places begin..begin+count-1 of an axis of the result, with what the filter reaches beside them.
 */
static struct array_job part_of(const struct array_job *job, int axis, int64_t begin, int64_t count)
{
    const int number = filtered_number(job, axis);
    const int64_t halo = number >= 0 ? job->halo[number] : 0, first = job->first[axis] + begin;
    const int64_t from = max(first - halo, 0), to = min(first + count + halo, job->shape[axis]);
    struct array_job part = *job;

    part.src.origin = (char *)job->src.origin + from * job->src.strides[axis];
    part.dst.origin = (char *)job->dst.origin + begin * job->dst.strides[axis];
    part.shape[axis] = to - from;
    part.first[axis] = first - from;
    part.extent[axis] = count;
    return part;
}

static enum status filter_parts(struct smoothimg_context *context, const struct term *term,
                                const struct array_job *job)
{
    enum status status = filter_whole(context, term, job);
    const int axis = axis_to_cut(job);
    int64_t half;
    struct array_job part;

    if (status == STATUS_OK || !gpu_lacked_memory(context->gpu))
        return status;
    if (axis < 0)
        return context->error.status = STATUS_NO_MEMORY;
    half = job->extent[axis] / 2;
    part = part_of(job, axis, 0, half);
    status = filter_parts(context, term, &part);
    if (status != STATUS_OK)
        return status;
    part = part_of(job, axis, half, job->extent[axis] - half);
    return filter_parts(context, term, &part);
}

enum status filter_host_on_device(struct smoothimg_context *context,
                                  const struct smoothimg_filter *filter, int t,
                                  const struct smoothimg_array *src,
                                  const struct smoothimg_array *dst, const struct array_job *job)
{
    const struct term term = {filter, t, *src, *dst};

    context->times = (struct gpu_times){0};
    return filter_parts(context, &term, job);
}

struct movement {
    const int *axes, *flip;
};

static enum status move_there(struct smoothimg_context *context, const void *what,
                              const struct smoothimg_array *src, const struct smoothimg_array *dst,
                              void *stream)
{
    const struct movement *movement = what;

    return move_array(context, movement->axes, movement->flip, src, dst, stream);
}

enum status move_host_on_device(struct smoothimg_context *context, const int *axes, const int *flip,
                                const struct smoothimg_array *src,
                                const struct smoothimg_array *dst, const struct array_job *job)
{
    const struct movement movement = {axes, flip};
    const int row = row_axis(job->axes, 0, NULL);
    struct device_array from, to;
    enum status status;

    context->times = (struct gpu_times){0};
    lay_out(src, job->shape, row, &from);
    lay_out(dst, job->extent, row, &to);
    status = there_and_back(context, job, &from, &to, move_there, &movement);
    if (status == STATUS_OK)
        add_bytes(job, &context->times);
    return status != STATUS_OK && gpu_lacked_memory(context->gpu)
               ? (context->error.status = STATUS_NO_MEMORY)
               : status;
}
