/* SPDX-License-Identifier: MIT */
/* Defines smoothimg_move. A move copies samples to permuted or reversed axes. A move that
 * transposes or reverses images is done by a variant, an implementation of that operation. Any
 * other move on the host copies units of contiguous bytes one by one. On a device it is done as a
 * reverse of images whose rows are single units (take_units()), or refused. */
#include "src/lib/api/arrays.h"
#include "src/lib/api/call.h"
#include "src/lib/api/images.h"

#include "kernels/common/numbers.h"
#include "src/lib/base/float_environment.h"

#include <string.h>

struct movement {
    char *src, *dst;
    int64_t unit; /* bytes that are contiguous in both arrays: at least one sample */
    /* The axes of the units, sorted by the steps of dst, which are all positive. Each has two
     * places or more. */
    struct dims *dims;
};

static const struct dim one_place = {.extent = 1};

static void add_dim(struct movement *movement, struct dim dim)
{
    if (dim.extent == 1)
        return;
    if (dim.dst < 0)
        dim = dim_turned(dim, &movement->src, &movement->dst);
    dims_add(movement->dims, dim);
}

/* Describes each unit as a pixel with samples of 4, 2 or 1 bytes: the largest that are aligned.
 * Returns false if a pixel has too many samples. */
static bool set_samples(const struct movement *movement, struct request *request)
{
    int32_t bytes = 4;
    const uint64_t together =
        dims_together(movement->dims, movement->src, movement->dst) | (uint64_t)movement->unit;

    while (together % (uint64_t)bytes != 0)
        bytes /= 2;
    if (movement->unit / bytes > INT32_MAX)
        return false;
    request->src.sample_bytes = request->dst.sample_bytes = bytes;
    request->maxval = bytes == 4 ? FLOAT_SAMPLES : bytes == 2 ? UINT16_MAX : UINT8_MAX;
    request->src.channels = request->dst.channels = (int32_t)(movement->unit / bytes);
    return true;
}

/* Makes the call a transpose or reverse of images by a variant. x is the index in movement->dims of
 * the axis along a row of src, y the index of the axis down a column. An index of -1 means that the
 * row or column has one pixel. */
static void set_images(struct movement *movement, int x, int y, enum op op, struct call *call)
{
    const struct dim across = x < 0 ? one_place : movement->dims->dim[x];
    const struct dim down = y < 0 ? one_place : movement->dims->dim[y];
    struct view *src = &call->request.src, *dst = &call->request.dst;

    call->op = op;
    src->width = dst->width = across.extent;
    src->height = dst->height = down.extent;
    if (op == OP_TRANSPOSE) {
        dst->width = down.extent;
        dst->height = across.extent;
        src->stride_bytes = down.src;
        dst->stride_bytes = across.dst;
    } else {
        movement->src += (across.extent - 1) * across.src + (down.extent - 1) * down.src;
        src->stride_bytes = y < 0 ? across.extent * movement->unit : -down.src;
        dst->stride_bytes = y < 0 ? across.extent * movement->unit : down.dst;
    }
    src->origin = movement->src;
    dst->origin = movement->dst;
    if (max(x, y) >= 0)
        dims_drop(movement->dims, (int)max(x, y));
    if (min(x, y) >= 0)
        dims_drop(movement->dims, (int)min(x, y));
    images_take_stack(movement->dims, &call->request);
}

/* If a variant can move images of the innermost axes, makes the call do that, removes these axes
 * from movement->dims, and returns true. */
static bool take_images(struct movement *movement, struct call *call)
{
    const struct dim *dim = movement->dims->dim;
    const int count = movement->dims->count;
    const int64_t unit = movement->unit;
    int along = 0; /* index of the axis along which src is contiguous */
    bool has_rows;

    if (count == 0 || dim[0].dst != unit || !set_samples(movement, &call->request))
        return false;
    while (along < count && dim[along].src != unit)
        along++;
    if (along > 0 && along < count && dim[0].src >= dim[along].extent * unit &&
        dim[along].dst >= dim[0].extent * unit) {
        set_images(movement, along, 0, OP_TRANSPOSE, call);
        return true;
    }
    if (dim[0].src != -unit)
        return false;
    has_rows =
        count > 1 && -dim[1].src >= dim[0].extent * unit && dim[1].dst >= dim[0].extent * unit;
    set_images(movement, 0, has_rows ? 1 : -1, OP_REVERSE, call);
    return true;
}

/* On a device: makes the call a reverse of images whose rows are one unit each, and returns true.
 * An array of a single row or column, for example, is moved in this way. Returns false if the units
 * have more than two axes or too many samples, or if they are reversed and overlap in src. */
static bool take_units(struct movement *movement, struct call *call)
{
    const bool turns = movement->dims->count > 0 && movement->dims->dim[0].src < 0;

    if (movement->dims->count > 2 || !set_samples(movement, &call->request) ||
        (turns && -movement->dims->dim[0].src < movement->unit))
        return false;
    set_images(movement, -1, turns ? 0 : -1, OP_REVERSE, call);
    return true;
}

/* Copies the units of an axis. Where the switch makes the size constant, memcpy compiles to a load
 * and a store, without a call. */
static void copy_units(const struct dim *dim, int64_t unit, const char *src, char *dst)
{
    for (int64_t i = 0; i < dim->extent; i++, src += dim->src, dst += dim->dst)
        switch (unit) {
        case 1:
            *dst = *src;
            break;
        case 2:
            memcpy(dst, src, 2);
            break;
        case 4:
            memcpy(dst, src, 4);
            break;
        case 8:
            memcpy(dst, src, 8);
            break;
        default:
            memcpy(dst, src, (size_t)unit);
        }
}

static void copy(const struct movement *movement)
{
    const struct dim *inner = movement->dims->count > 0 ? &movement->dims->dim[0] : &one_place;
    int64_t place[ARRAY_AXES] = {0};
    char *src = movement->src, *dst = movement->dst;

    do
        copy_units(inner, movement->unit, src, dst);
    while (dims_advance(movement->dims, 1, place, &src, &dst));
}

static enum status check_axes(const int *axes, int count, struct error *error)
{
    bool named[ARRAY_AXES] = {false};

    for (int a = 0; a < count && axes; a++) {
        if (axes[a] < 0 || axes[a] >= count || named[axes[a]])
            return fail(error, STATUS_INVALID,
                        "axes[%d] is %d; the axes of src are 0 to %d, each once", a, axes[a],
                        count - 1);
        named[axes[a]] = true;
    }
    return STATUS_OK;
}

static enum status take_movement(const struct arguments *asked, struct array_job *job,
                                 struct movement *movement)
{
    const struct smoothimg_array *src = asked->src, *dst = asked->dst;
    struct error *error = &asked->context->error;
    enum status status = take_arrays(asked, job);

    if (status == STATUS_OK)
        status = check_axes(asked->axes, src->axes, error);
    if (status == STATUS_OK && src->type != dst->type)
        return fail(error, STATUS_INVALID, "dst: type is %s; it has to be %s, that of src",
                    type_name(dst->type), type_name(src->type));
    movement->src = job->src.origin;
    movement->dst = job->dst.origin;
    movement->unit = sample_format(job->src.type).bytes;
    movement->dims->by_dst = true;
    for (int a = 0; a < src->axes && status == STATUS_OK; a++) {
        const int from = asked->axes ? asked->axes[a] : a;
        const int64_t extent = job->extent[a], step = job->src.strides[from];
        const bool flips = asked->flip && asked->flip[a];

        if (extent != job->shape[from])
            return fail(error, STATUS_INVALID,
                        "axis %d of dst has %lld places; axis %d of src has %lld", a,
                        (long long)extent, from, (long long)job->shape[from]);
        if (!job->dst.origin) /* the addresses are NULL, and nothing is moved */
            continue;
        movement->src += flips ? (extent - 1) * step : 0;
        add_dim(movement, (struct dim){.extent = extent,
                                       .src = flips ? -step : step,
                                       .dst = job->dst.strides[a]});
    }
    if (status == STATUS_OK && job->dst.origin && arrays_meet(job))
        return fail(error, STATUS_INVALID, "src and dst overlap");
    return status;
}

IN_DEFAULT_ENVIRONMENT
enum status move_array(const struct arguments *asked)
{
    struct smoothimg_context *context = asked->context;
    const bool on_device = asked->src->memory == SMOOTHIMG_CUDA;
    struct call call;
    struct movement movement = {.dims = &call.outer};
    enum status status;

    call_begin(&call, asked, OP_REVERSE);
    call.job = (struct array_job){.axes = asked->src->axes};
    status = take_movement(asked, &call.job, &movement);
    if (status != STATUS_OK || !call.job.dst.origin)
        return status;
    if (call.on_device_too)
        return host_on_device(asked, &call.job);
    movement.unit *= dims_absorb(movement.dims, movement.unit, 0).extent;
    dims_join(movement.dims);
    if (take_images(&movement, &call) || (on_device && take_units(&movement, &call)))
        return call_run(&call, &context->error);
    if (on_device)
        return fail(&context->error, STATUS_UNSUPPORTED,
                    "on a device axes are swapped or reversed in twos, of samples whose rows have "
                    "no gaps");
    context->chosen = "copy";
    copy(&movement);
    return STATUS_OK;
}

/* For arrays on a device: reserves memory for a transpose, and for a reverse, of an image whose
 * rows and columns are the last two axes. Arrays of the host are only checked. */
IN_DEFAULT_ENVIRONMENT
enum status reserve_moves(const struct arguments *asked)
{
    const struct smoothimg_array *like = asked->src;
    struct array_job job = {.axes = like->axes};
    struct dims none = {0};
    struct movement movement = {.dims = &none};
    enum status status = take_arrays(asked, &job);

    if (status != STATUS_OK || like->memory == SMOOTHIMG_HOST || !job.src.origin)
        return status;
    movement.unit = sample_format(job.src.type).bytes;
    for (enum op op = OP_TRANSPOSE; op < OP_COUNT && status == STATUS_OK; op++) {
        struct call call;
        struct view *src = &call.request.src, *dst = &call.request.dst;

        call_begin(&call, asked, op);
        set_samples(&movement, &call.request);
        src->width = like->axes > 0 ? job.shape[like->axes - 1] : 1;
        src->height = like->axes > 1 ? job.shape[like->axes - 2] : 1;
        dst->width = op == OP_TRANSPOSE ? src->height : src->width;
        dst->height = op == OP_TRANSPOSE ? src->width : src->height;
        src->stride_bytes = src->width * movement.unit;
        dst->stride_bytes = dst->width * movement.unit;
        status = reserve_on_device(&call, &asked->context->error);
    }
    return status;
}

enum smoothimg_status smoothimg_move(struct smoothimg_context *context, const int *axes,
                                     const int *flip, const struct smoothimg_array *src,
                                     const struct smoothimg_array *dst, void *stream)
{
    const char *null = !src ? "src" : !dst ? "dst" : NULL;
    const struct arguments asked = {
        .context = context, .axes = axes, .flip = flip, .src = src, .dst = dst, .stream = stream};

    return do_asked(null, &asked, move_array);
}
