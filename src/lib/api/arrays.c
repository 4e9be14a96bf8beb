/* SPDX-License-Identifier: MIT */
#include "src/lib/api/arrays.h"

#include "kernels/common/numbers.h"
#include "src/lib/base/float_environment.h"

#include <stdio.h>
#include <stdlib.h>

_Static_assert(SMOOTHIMG_U8 == (int)SAMPLE_U8 && SMOOTHIMG_U16 == (int)SAMPLE_U16 &&
                   SMOOTHIMG_F32 == (int)SAMPLE_F32 && SMOOTHIMG_BOOL == (int)SAMPLE_BOOL &&
                   SMOOTHIMG_I8 == (int)SAMPLE_I8 && SMOOTHIMG_I16 == (int)SAMPLE_I16 &&
                   SMOOTHIMG_I32 == (int)SAMPLE_I32 && SMOOTHIMG_U32 == (int)SAMPLE_U32 &&
                   SMOOTHIMG_I64 == (int)SAMPLE_I64 && SMOOTHIMG_U64 == (int)SAMPLE_U64 &&
                   SMOOTHIMG_F16 == (int)SAMPLE_F16 && SMOOTHIMG_F64 == (int)SAMPLE_F64,
               "public numbers are the library's own");

static enum status refuse_value(const char *owner, const struct range *range, struct error *error)
{
    const long long least = range->least, most = range->most;
    char numbers[64];

    if (range->most == INT64_MAX)
        snprintf(numbers, sizeof numbers, "at least %lld", least);
    else
        snprintf(numbers, sizeof numbers, "%lld to %lld", least, most);
    return fail(error, STATUS_INVALID, "%s%s%s is %lld; it has to be %s", owner ? owner : "",
                owner ? ": " : "", range->name, (long long)range->value,
                range->words ? range->words : numbers);
}

enum status check_ranges(const char *owner, const struct range *ranges, size_t count,
                         struct error *error)
{
    for (size_t i = 0; i < count; i++)
        if (ranges[i].value < ranges[i].least || ranges[i].value > ranges[i].most)
            return refuse_value(owner, &ranges[i], error);
    return STATUS_OK;
}

static const struct {
    const char *name;
    uint64_t maxval; /* the greatest; 0: the type has no maxval */
} types[] = {[SMOOTHIMG_U8] = {"uint8", UINT8_MAX}, [SMOOTHIMG_U16] = {"uint16", UINT16_MAX},
             [SMOOTHIMG_F32] = {"float32", 0},      [SMOOTHIMG_BOOL] = {"bool", 0},
             [SMOOTHIMG_I8] = {"int8", 0},          [SMOOTHIMG_I16] = {"int16", 0},
             [SMOOTHIMG_I32] = {"int32", 0},        [SMOOTHIMG_U32] = {"uint32", 0},
             [SMOOTHIMG_I64] = {"int64", 0},        [SMOOTHIMG_U64] = {"uint64", 0},
             [SMOOTHIMG_F16] = {"float16", 0},      [SMOOTHIMG_F64] = {"float64", 0}};

const char *type_name(enum smoothimg_type type)
{
    return types[type].name;
}

bool has_maxval(const struct smoothimg_array *array)
{
    return array->maxval > 0 && array->maxval < types[array->type].maxval;
}

uint64_t maxval_of(const struct smoothimg_array *array)
{
    const uint64_t greatest = types[array->type].maxval;

    return array->maxval > 0 ? array->maxval : greatest > 0 ? greatest : UINT64_MAX;
}

#define PLACES_ON_DEVICE "on a device samples lie at multiples of their %lld bytes"

/* Checks one axis, and sets its stride. On entry *bytes is the size that the axes after this one
 * would have without gaps, and *reach the distance in bytes from the lowest to the highest address
 * of a sample along them. Both are updated to include this axis. */
static enum status take_axis(const char *name, const struct smoothimg_array *array, int axis,
                             struct array *taken, int64_t *bytes, int64_t *reach,
                             struct error *error)
{
    const int64_t extent = array->shape[axis], sample = sample_format(taken->type).bytes;
    int64_t length; /* bytes from the axis's first sample to its last; negative if the stride is */

    if (extent < 0 || extent > MOST_BYTES)
        return fail(error, STATUS_INVALID, "%s: axis %d has the extent %lld", name, axis,
                    (long long)extent);
    /* The stride of an axis with at most one sample has no effect, and may be any number. */
    taken->strides[axis] = array->strides && extent > 1 ? array->strides[axis] : *bytes;
    if (array->memory == SMOOTHIMG_CUDA && taken->strides[axis] % sample != 0)
        return fail(error, STATUS_INVALID, "%s: the stride of axis %d is %lld; " PLACES_ON_DEVICE,
                    name, axis, (long long)taken->strides[axis], (long long)sample);
    if (__builtin_mul_overflow(*bytes, max(extent, 1), bytes) ||
        __builtin_mul_overflow(max(extent - 1, 0), taken->strides[axis], &length) ||
        length == INT64_MIN || __builtin_add_overflow(*reach, llabs(length), reach) ||
        *reach > MOST_BYTES)
        return fail(error, STATUS_INVALID, "%s: has more bytes than there can be", name);
    return STATUS_OK;
}

/* Checks src or dst, and describes it in shape[] and *taken. */
static enum status take_array(const struct arguments *asked, const char *name,
                              const struct smoothimg_array *array, int axes, int64_t *shape,
                              struct array *taken)
{
    static const uint64_t nowhere;
    const struct range ranges[] = {
        {"type", (int)array->type, 0, SMOOTHIMG_F64, "one of SMOOTHIMG_U8 to SMOOTHIMG_F64"},
        {"memory", (int)array->memory, 0, SMOOTHIMG_CUDA, MEMORY_WORDS}};
    void *const origin = asked->nowhere ? (void *)&nowhere : array->data;
    struct error *error = &asked->context->error;
    enum status status = check_ranges(name, ranges, sizeof ranges / sizeof *ranges, error);
    int64_t sample, bytes, reach = 0;
    bool is_empty = false;

    if (status != STATUS_OK)
        return status;
    if (array->axes != axes)
        return fail(error, STATUS_INVALID, "%s: axes is %d; it has to be %d", name, array->axes,
                    axes);
    if (axes > 0 && !array->shape)
        return fail(error, STATUS_INVALID, "%s: shape is NULL", name);
    if (array->maxval > types[array->type].maxval)
        return fail(error, STATUS_INVALID, "%s: maxval is %llu; of %s it has to be 0 to %llu", name,
                    (unsigned long long)array->maxval, type_name(array->type),
                    (unsigned long long)types[array->type].maxval);
    taken->type = (enum sample_type)array->type;
    bytes = sample = sample_format(taken->type).bytes;
    for (int i = axes - 1; i >= 0 && status == STATUS_OK; i--) {
        status = take_axis(name, array, i, taken, &bytes, &reach, error);
        shape[i] = array->shape[i];
        is_empty |= shape[i] == 0;
    }
    if (status == STATUS_OK && !origin && !is_empty)
        return fail(error, STATUS_INVALID, "%s: data is NULL", name);
    if (status == STATUS_OK && array->memory == SMOOTHIMG_CUDA &&
        (uintptr_t)origin % (uintptr_t)sample != 0)
        return fail(error, STATUS_INVALID, "%s: begins at %p; " PLACES_ON_DEVICE, name, origin,
                    (long long)sample);
    taken->origin = is_empty ? NULL : origin;
    return status;
}

enum status take_arrays(const struct arguments *asked, struct array_job *job)
{
    const struct smoothimg_array *src = asked->src, *dst = asked->dst;
    const struct range range = {"axes", job->axes, 0, ARRAY_AXES, NULL};
    struct error *error = &asked->context->error;
    enum status status = check_ranges("src", &range, 1, error);

    if (status == STATUS_OK)
        status = take_array(asked, "src", src, job->axes, job->shape, &job->src);
    if (status == STATUS_OK)
        status = take_array(asked, "dst", dst, job->axes, job->extent, &job->dst);
    if (status == STATUS_OK && src->memory != dst->memory)
        return fail(error, STATUS_INVALID, "src and dst lie in different memory");
    if (status == STATUS_OK && src->memory == SMOOTHIMG_CUDA && !asked->context->gpu)
        return fail(error, STATUS_INVALID,
                    "what lies in a device's memory needs smoothimg_use_device()");
    if (status == STATUS_OK && src->memory == SMOOTHIMG_HOST && asked->stream)
        return fail(error, STATUS_INVALID,
                    "stream is %p; it has to be NULL for what lies in the host's memory",
                    asked->stream);
    return status;
}

bool arrays_meet(const struct array_job *job)
{
    const struct array *const arrays[] = {&job->src, &job->dst};
    const int64_t *const shapes[] = {job->shape, job->extent};
    uintptr_t first[2], end[2]; /* addresses of the first byte, and of the byte after the last */

    for (int i = 0; i < 2; i++) {
        first[i] = end[i] = (uintptr_t)arrays[i]->origin;
        for (int a = 0; a < job->axes; a++) {
            const int64_t reach = arrays[i]->strides[a] * (shapes[i][a] - 1);

            first[i] += (uintptr_t)min(reach, 0);
            end[i] += (uintptr_t)max(reach, 0);
        }
        end[i] += (uintptr_t)sample_format(arrays[i]->type).bytes;
    }
    return first[0] < end[1] && first[1] < end[0];
}

enum smoothimg_status do_asked(const char *null, const struct arguments *asked,
                               enum status (*function)(const struct arguments *asked))
{
    struct float_environment callers;
    enum status status;

    if (!asked->context)
        return SMOOTHIMG_INVALID;
    if (null)
        return public_status(fail(&asked->context->error, STATUS_INVALID, "%s is NULL", null));
    callers = float_environment_enter();
    status = function(asked);
    float_environment_leave(&callers);
    return public_status(status);
}
