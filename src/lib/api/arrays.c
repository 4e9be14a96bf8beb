/* SPDX-License-Identifier: MIT */
/* Filters of arrays of any number of axes and any type of samples. */
#include "kernels/common/arrays.h"
#include "kernels/common/numbers.h"
#include "src/lib/api/context.h"
#include "src/lib/api/device.h"
#include "src/lib/api/range.h"
#include "src/lib/base/float_environment.h"
#include "kernels/common/parallel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(SMOOTHIMG_MAX_AXES == ARRAY_AXES && SMOOTHIMG_MAX_FILTERED == ARRAY_FILTERED &&
                   SMOOTHIMG_MAGNITUDE == (int)ARRAY_MAGNITUDE && SMOOTHIMG_U8 == (int)SAMPLE_U8 &&
                   SMOOTHIMG_U16 == (int)SAMPLE_U16 && SMOOTHIMG_F32 == (int)SAMPLE_F32 &&
                   SMOOTHIMG_BOOL == (int)SAMPLE_BOOL && SMOOTHIMG_I8 == (int)SAMPLE_I8 &&
                   SMOOTHIMG_I16 == (int)SAMPLE_I16 && SMOOTHIMG_I32 == (int)SAMPLE_I32 &&
                   SMOOTHIMG_U32 == (int)SAMPLE_U32 && SMOOTHIMG_I64 == (int)SAMPLE_I64 &&
                   SMOOTHIMG_U64 == (int)SAMPLE_U64 && SMOOTHIMG_F16 == (int)SAMPLE_F16 &&
                   SMOOTHIMG_F64 == (int)SAMPLE_F64,
               "one limit, and public numbers are the library's own");

/* The two definitions of the weights. */
enum { COARSE, FINE, DEFINITIONS };
static const int definition_bits[DEFINITIONS] = {ARRAY_COARSE_BITS, ARRAY_FINE_BITS};

struct smoothimg_array_filter {
    int axes, filtered, terms;
    enum array_combination combination;
    double outside, outside_rest; /* as in struct array_job */
    int axis[ARRAY_FILTERED];
    int64_t halo[ARRAY_FILTERED];
    struct array_taps *taps[DEFINITIONS];
    struct array_weight weights[]; /* of the taps */
};

/* With the halo that the sigma implies, by SciPy's rule: of one too large MAX_HALO + 1. */
static struct filter_axis in_force(const struct smoothimg_axis *axis)
{
    const double implied = fmin(4 * axis->sigma + 0.5, MAX_HALO + 1);

    return (struct filter_axis){axis->halo == SMOOTHIMG_NO_HALO      ? 0
                                : axis->halo == 0 && axis->sigma > 0 ? (int64_t)implied
                                                                     : axis->halo,
                                axis->sigma};
}

static bool is_filtered(const struct smoothimg_axis *axis)
{
    return axis->sigma > 0 || axis->halo > 0;
}

/* One axis of one term, and whether it is filtered as in the first term. */
static enum status check_axis(const struct smoothimg_array_filter_options *options, int term,
                              int number, struct error *error)
{
    const struct smoothimg_axis *first = &options->axis[number];
    const struct smoothimg_axis *axis = &options->axis[term * options->axes + number];
    const struct range ranges[] = {{"halo", axis->halo, SMOOTHIMG_NO_HALO, MAX_HALO, NULL},
                                   {"edge", (int)axis->edge, 0, SMOOTHIMG_ZERO, EDGE_WORDS},
                                   {"order", axis->order, 0, INT32_MAX, NULL}};
    char owner[64];

    snprintf(owner, sizeof owner, "axis %d", number);
    if (!isfinite(axis->sigma) || axis->sigma < 0)
        return fail(error, STATUS_INVALID, "%s: sigma is %g; it has to be a number above 0, or 0",
                    owner, axis->sigma);
    if (axis->scale != 0 &&
        (axis->order == 0 || !(axis->scale >= MIN_WEIGHT_SCALE) || axis->scale > MAX_WEIGHT_SCALE))
        return fail(error, STATUS_INVALID,
                    "%s: scale is %g; of a derivative it is 2^-20 to 2^20, else 0", owner,
                    axis->scale);
    if (in_force(axis).halo > MAX_HALO && axis->halo == 0)
        return fail(error, STATUS_INVALID,
                    "%s: sigma %g calls for a halo of %g samples; the largest is %d, which can "
                    "be set",
                    owner, axis->sigma, floor(4 * axis->sigma + 0.5), MAX_HALO);
    if (is_filtered(axis) != is_filtered(first) || in_force(axis).halo != in_force(first).halo)
        return fail(error, STATUS_INVALID, "%s: terms 0 and %d differ in the halo", owner, term);
    return check_ranges(owner, ranges, sizeof ranges / sizeof *ranges, error);
}

static enum status check_outside(const struct smoothimg_array_filter_options *options,
                                 struct error *error)
{
    if (!isfinite(options->outside))
        return fail(error, STATUS_INVALID, "outside is %g; it has to be a number",
                    options->outside);
    if ((options->outside != 0) + (options->outside_i64 != 0) + (options->outside_u64 != 0) > 1)
        return fail(error, STATUS_INVALID,
                    "outside is %g, outside_i64 %lld and outside_u64 %llu; set one of them",
                    options->outside, (long long)options->outside_i64,
                    (unsigned long long)options->outside_u64);
    return STATUS_OK;
}

static enum status check_options(const struct smoothimg_array_filter_options *options,
                                 int *filtered, int64_t *weights, struct error *error)
{
    const struct range ranges[] = {{"axes", options->axes, 0, ARRAY_AXES, NULL},
                                   {"terms", options->terms, 1, ARRAY_FILTERED, NULL},
                                   {"combination", (int)options->combination, 0, ARRAY_MAGNITUDE,
                                    "SMOOTHIMG_ADD or SMOOTHIMG_MAGNITUDE"}};
    enum status status = check_ranges(NULL, ranges, sizeof ranges / sizeof *ranges, error);

    *filtered = 0;
    *weights = 0;
    if (status == STATUS_OK && options->axes > 0 && !options->axis)
        return fail(error, STATUS_INVALID, "axis is NULL");
    if (status == STATUS_OK)
        status = check_outside(options, error);
    for (int a = 0; a < options->axes && status == STATUS_OK; a++)
        for (int t = 0; t < options->terms && status == STATUS_OK; t++) {
            status = check_axis(options, t, a, error);
            *filtered += t == 0 && is_filtered(&options->axis[a]);
            *weights += is_filtered(&options->axis[a]) ? in_force(&options->axis[a]).halo + 1 : 0;
        }
    if (status == STATUS_OK && *filtered > ARRAY_FILTERED)
        return fail(error, STATUS_INVALID, "%d axes are filtered; at most %d can be", *filtered,
                    ARRAY_FILTERED);
    return status;
}

/* Fills the taps of all terms in one definition; *next: where their weights go. */
static enum status fill_taps(const struct smoothimg_array_filter_options *options, int bits,
                             struct array_taps *taps, struct array_weight **next,
                             struct error *error)
{
    enum status status = STATUS_OK;

    for (int i = 0; i < options->terms * options->axes && status == STATUS_OK; i++) {
        const struct smoothimg_axis *axis = &options->axis[i];
        const struct filter_axis smooth = in_force(axis);

        if (!is_filtered(axis))
            continue;
        *taps++ = (struct array_taps){*next, axis->order % 2 == 1, (enum edge)axis->edge};
        status = gauss_derivative_weights(&smooth, axis->order, axis->scale > 0 ? axis->scale : 1,
                                          bits, *next, error);
        *next += smooth.halo + 1;
    }
    return status;
}

/* Is the constant outside along any axis? */
static bool has_outside(const struct smoothimg_array_filter_options *options)
{
    for (int i = 0; i < options->terms * options->axes; i++)
        if (is_filtered(&options->axis[i]) && options->axis[i].edge == SMOOTHIMG_ZERO)
            return true;
    return false;
}

/* An integer of 64 bits in two halves, as samples are loaded (smooth/arrays/load.h). */
static void set_outside(const struct smoothimg_array_filter_options *options,
                        struct smoothimg_array_filter *filter)
{
    const bool negative = options->outside_i64 < 0;
    const uint64_t integer = (uint64_t)options->outside_i64 | options->outside_u64;
    const uint64_t magnitude = negative ? ~integer + 1 : integer;
    const double upper = (double)(magnitude >> 32) * 0x1p32, lower = (double)(uint32_t)magnitude;
    const double value = upper + lower, rest = lower - (value - upper);

    if (!has_outside(options))
        return;
    filter->outside = options->outside + (negative ? -value : value);
    filter->outside_rest = negative ? -rest : rest;
}

static enum status fill(const struct smoothimg_array_filter_options *options,
                        struct smoothimg_array_filter *filter, struct error *error)
{
    struct array_weight *next = filter->weights;
    enum status status = STATUS_OK;

    for (int a = 0, i = 0; a < options->axes; a++)
        if (is_filtered(&options->axis[a])) {
            filter->axis[i] = a;
            filter->halo[i++] = in_force(&options->axis[a]).halo;
        }
    for (int d = 0; d < DEFINITIONS && status == STATUS_OK; d++)
        status = fill_taps(options, definition_bits[d], filter->taps[d], &next, error);
    return status;
}

IN_DEFAULT_ENVIRONMENT
static enum status create(const struct smoothimg_array_filter_options *options,
                          struct smoothimg_array_filter **filter, struct error *error)
{
    struct smoothimg_array_filter *made = NULL;
    int filtered;
    int64_t weights;
    enum status status = check_options(options, &filtered, &weights, error);

    if (status != STATUS_OK)
        return status;
    /* The taps lie after the weights, which are at least as strictly aligned. */
    made = calloc(1, sizeof *made +
                         DEFINITIONS * ((size_t)weights * sizeof *made->weights +
                                        (size_t)(options->terms * filtered) * sizeof **made->taps));
    if (!made)
        return fail(error, STATUS_NO_MEMORY, "no memory for a filter");
    made->axes = options->axes;
    made->filtered = filtered;
    made->terms = options->terms;
    made->combination = (enum array_combination)options->combination;
    set_outside(options, made);
    made->taps[COARSE] = (struct array_taps *)(made->weights + DEFINITIONS * weights);
    made->taps[FINE] = made->taps[COARSE] + options->terms * filtered;
    status = fill(options, made, error);
    if (status == STATUS_OK)
        *filter = made;
    else
        free(made);
    return status;
}

enum smoothimg_status
smoothimg_array_filter_create(struct smoothimg_context *context,
                              const struct smoothimg_array_filter_options *options,
                              struct smoothimg_array_filter **filter)
{
    const struct given given[] = {{"options", options}, {"filter", filter}, {NULL, NULL}};
    struct float_environment callers;
    enum status status;

    if (filter)
        *filter = NULL;
    if (has_null(context, given))
        return SMOOTHIMG_INVALID;
    callers = float_environment_enter();
    status = create(options, filter, &context->error);
    float_environment_leave(&callers);
    return public_status(status);
}

void smoothimg_array_filter_free(struct smoothimg_array_filter *filter)
{
    free(filter);
}

/* The bytes that an array reaches over, from its first one to the one after its last. */
struct span {
    uintptr_t first, end;
};

static struct span span_of(int axes, const int64_t *shape, const struct array *array)
{
    struct span span = {(uintptr_t)array->origin, (uintptr_t)array->origin};

    for (int i = 0; i < axes; i++) {
        const int64_t reach = array->strides[i] * max(shape[i] - 1, 0);

        if (reach < 0)
            span.first -= (uintptr_t)-reach;
        else
            span.end += (uintptr_t)reach;
    }
    span.end += (uintptr_t)sample_format(array->type).bytes;
    return span;
}

static bool is_empty(const struct smoothimg_array *array)
{
    for (int i = 0; i < array->axes; i++)
        if (array->shape[i] == 0)
            return true;
    return false;
}

/* Adds what an axis of that extent and stride reaches over. False if that does not fit. */
static bool add_reach(int64_t extent, int64_t stride, int64_t *bytes)
{
    int64_t reach;

    return !__builtin_mul_overflow(max(extent - 1, 0), stride, &reach) && reach != INT64_MIN &&
           !__builtin_add_overflow(*bytes, reach < 0 ? -reach : reach, bytes) &&
           *bytes <= MOST_BYTES;
}

static enum status check_pointers(const char *name, const struct smoothimg_array *array,
                                  struct error *error)
{
    if (array->axes > 0 && !array->shape)
        return fail(error, STATUS_INVALID, "%s: shape is NULL", name);
    if (!array->data && !is_empty(array))
        return fail(error, STATUS_INVALID, "%s: data is NULL", name);
    return STATUS_OK;
}

/* One array of the call; *shape gets its extents. */
static enum status take_array(const char *name, const struct smoothimg_array *array, int axes,
                              int64_t *shape, struct array *taken, struct error *error)
{
    const struct range ranges[] = {
        {"axes", array->axes, axes, axes, NULL},
        {"type", (int)array->type, 0, SMOOTHIMG_F64, "one of SMOOTHIMG_U8 to SMOOTHIMG_F64"},
        {"memory", (int)array->memory, 0, SMOOTHIMG_CUDA, MEMORY_WORDS}};
    enum status status = check_ranges(name, ranges, sizeof ranges / sizeof *ranges, error);
    int64_t bytes, reach = 0;

    if (status == STATUS_OK)
        status = check_pointers(name, array, error);
    if (status != STATUS_OK)
        return status;
    taken->origin = array->data;
    taken->type = (enum sample_type)array->type;
    bytes = sample_format(taken->type).bytes;
    for (int i = axes - 1; i >= 0; i--) {
        shape[i] = array->shape[i];
        if (shape[i] < 0)
            return fail(error, STATUS_INVALID, "%s: axis %d has the extent %lld", name, i,
                        (long long)shape[i]);
        taken->strides[i] = array->strides ? array->strides[i] : bytes;
        if (__builtin_mul_overflow(bytes, max(shape[i], 1), &bytes) ||
            !add_reach(shape[i], taken->strides[i], &reach))
            return fail(error, STATUS_INVALID, "%s: has more bytes than there can be", name);
    }
    return STATUS_OK;
}

/* On a device samples lie at multiples of their size. */
static enum status check_places(const char *name, const struct smoothimg_array *given,
                                const struct array *array, struct error *error)
{
    const int64_t bytes = sample_format(array->type).bytes;

    if (given->memory == SMOOTHIMG_HOST)
        return STATUS_OK;
    if ((uintptr_t)array->origin % (uintptr_t)bytes != 0)
        return fail(error, STATUS_INVALID,
                    "%s: begins at %p; on a device samples lie at multiples of their %lld bytes",
                    name, array->origin, (long long)bytes);
    for (int i = 0; i < given->axes; i++)
        if (array->strides[i] % bytes != 0)
            return fail(error, STATUS_INVALID,
                        "%s: the stride of axis %d is %lld; on a device samples lie at multiples "
                        "of their %lld bytes",
                        name, i, (long long)array->strides[i], (long long)bytes);
    return STATUS_OK;
}

/* Is dst a part of the result, which has the shape of src? first: NULL: all of it. */
static enum status check_part(const int64_t *first, struct array_job *job, struct error *error)
{
    for (int i = 0; i < job->axes; i++) {
        job->first[i] = first ? first[i] : 0;
        if (!first && job->extent[i] != job->shape[i])
            return fail(error, STATUS_INVALID, "src and dst differ in the extent of axis %d", i);
        if (job->first[i] < 0 || job->extent[i] > job->shape[i] ||
            job->first[i] > job->shape[i] - job->extent[i])
            return fail(error, STATUS_INVALID,
                        "dst has %lld places of axis %d, from %lld on, and src has %lld",
                        (long long)job->extent[i], i, (long long)job->first[i],
                        (long long)job->shape[i]);
    }
    return STATUS_OK;
}

#define WORK_OF_A_THREAD 400000 /* products that pay for waking it */

/* How many of the context's threads shorten the call. */
static int threads_of(const struct smoothimg_context *context, const struct array_job *job)
{
    const bool wide = sample_is_wide(job->src.type) || sample_is_wide(job->dst.type);
    double work = job->terms * (wide ? 8. : 1.);
    double taps = 4;

    for (int i = 0; i < job->axes; i++)
        work *= (double)job->extent[i];
    for (int i = 0; i < job->filtered; i++)
        taps += (double)job->halo[i];
    work *= taps / WORK_OF_A_THREAD;
    return work < 1 ? 1 : work < context->threads ? (int)work : context->threads;
}

/* Both arrays of the call, and its stream. */
static enum status take_arrays(struct smoothimg_context *context, const struct smoothimg_array *src,
                               const struct smoothimg_array *dst, const void *stream,
                               struct array_job *job)
{
    struct error *error = &context->error;
    enum status status = take_array("src", src, job->axes, job->shape, &job->src, error);

    if (status == STATUS_OK)
        status = take_array("dst", dst, job->axes, job->extent, &job->dst, error);
    if (status == STATUS_OK && src->memory != dst->memory)
        return fail(error, STATUS_INVALID, "src and dst lie in different memory");
    if (status == STATUS_OK)
        status = check_memory(context, src->memory, stream);
    if (status == STATUS_OK)
        status = check_places("src", src, &job->src, error);
    return status == STATUS_OK ? check_places("dst", dst, &job->dst, error) : status;
}

static enum status make_job(struct smoothimg_context *context,
                            const struct smoothimg_array_filter *filter,
                            const struct smoothimg_array *src, const struct smoothimg_array *dst,
                            const int64_t *first, const void *stream, struct array_job *job)
{
    struct error *error = &context->error;
    const int axes = filter->axes;
    enum status status;
    struct span from, to;

    *job = (struct array_job){.axes = axes,
                              .filtered = filter->filtered,
                              .terms = filter->terms,
                              .combination = filter->combination,
                              .outside = filter->outside,
                              .outside_rest = filter->outside_rest,
                              .exact_only =
                                  context->variant && strcmp(context->variant, "reference") == 0};
    memcpy(job->axis, filter->axis, sizeof job->axis);
    memcpy(job->halo, filter->halo, sizeof job->halo);
    status = take_arrays(context, src, dst, stream, job);
    if (status == STATUS_OK)
        status = check_part(first, job, error);
    if (status != STATUS_OK)
        return status;
    job->bits = array_weight_bits(job->src.type, job->dst.type);
    job->taps = filter->taps[job->bits == ARRAY_FINE_BITS ? FINE : COARSE];
    job->threads = threads_of(context, job);
    from = span_of(axes, job->shape, &job->src);
    to = span_of(axes, job->extent, &job->dst);
    return !is_empty(dst) && from.first < to.end && to.first < from.end
               ? fail(error, STATUS_INVALID, "src and dst overlap")
               : STATUS_OK;
}

static enum status run_array(struct smoothimg_context *context, const struct array_job *job)
{
    const size_t bytes = array_scratch_bytes(job);
    void *scratch[MAX_THREADS];
    enum status status = STATUS_OK;

    for (int i = 0; i < job->threads && status == STATUS_OK; i++) {
        status = memory_need(&context->memory[i], bytes, &context->error);
        scratch[i] = context->memory[i].data;
    }
    if (status == STATUS_OK)
        array_run(job, scratch);
    return status;
}

IN_DEFAULT_ENVIRONMENT
static enum status filter_array(struct smoothimg_context *context,
                                const struct smoothimg_array_filter *filter,
                                const struct smoothimg_array *src,
                                const struct smoothimg_array *dst, const int64_t *first,
                                void *stream)
{
    struct array_job job;
    const enum status status = make_job(context, filter, src, dst, first, stream, &job);

    if (status != STATUS_OK || is_empty(dst))
        return status;
    return src->memory == SMOOTHIMG_CUDA
               ? run_array_on_device(context, &job, stream, &context->error)
               : run_array(context, &job);
}

enum smoothimg_status smoothimg_filter_array(struct smoothimg_context *context,
                                             const struct smoothimg_array_filter *filter,
                                             const struct smoothimg_array *src,
                                             const struct smoothimg_array *dst,
                                             const int64_t *first, void *stream)
{
    const struct given given[] = {{"filter", filter}, {"src", src}, {"dst", dst}, {NULL, NULL}};
    struct float_environment callers;
    enum status status;

    if (has_null(context, given))
        return SMOOTHIMG_INVALID;
    callers = float_environment_enter();
    status = filter_array(context, filter, src, dst, first, stream);
    float_environment_leave(&callers);
    return public_status(status);
}
