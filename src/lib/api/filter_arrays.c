/* SPDX-License-Identifier: MIT */
/* Defines smoothimg_filter, smoothimg_measure and smoothimg_reserve. An engine is an implementation
 * of filters. An array that can be described as images (arrays_as_images()) is filtered by one of
 * the engines for images. All other arrays are filtered by the engine of arrays, which accepts any
 * array. */
#include "src/lib/api/adjoint.h"
#include "src/lib/api/arrays.h"
#include "src/lib/api/filter.h"
#include "src/lib/api/images.h"
#include "src/lib/api/call.h"

#include "kernels/common/numbers.h"
#include "src/lib/base/float_environment.h"

#include <string.h>

/* Waking a thread takes as long as this many products of a weight and a sample. */
#define WORK_OF_A_THREAD 400000

/* Returns how many of the context's threads the call should use: more would not make it faster. If
 * the context has every_thread set, returns all of them. */
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
    if (context->every_thread)
        return context->threads;
    return work < 1 ? 1 : work < context->threads ? (int)work : context->threads;
}

/* Describes the arrays and the filter of the call in *job. Checks that dst, which begins at index
 * asked->first of the result, lies within the result, whose shape is that of src. If asked->first
 * is NULL, dst has to be the whole result. */
static enum status make_job(const struct arguments *asked, struct array_job *job)
{
    const struct smoothimg_context *context = asked->context;
    const enum smoothimg_missing missing = asked->filter->missing;
    struct error *error = &asked->context->error;
    enum status status;

    *job = asked->filter->job;
    job->exact_only = context->variant && strcmp(context->variant, "reference") == 0;
    job->isa = context->isa;
    status = take_arrays(asked, job);
    if (status != STATUS_OK)
        return status;
    for (int i = 0; i < job->axes; i++) {
        const int64_t first = asked->first ? asked->first[i] : 0;

        if (!asked->first && job->extent[i] != job->shape[i])
            return fail(error, STATUS_INVALID, "src and dst differ in the extent of axis %d", i);
        if (first < 0 || job->extent[i] > job->shape[i] || first > job->shape[i] - job->extent[i])
            return fail(error, STATUS_INVALID,
                        "dst has %lld places of axis %d, from %lld on, and src has %lld",
                        (long long)job->extent[i], i, (long long)first, (long long)job->shape[i]);
        job->first[i] = first;
    }
    job->weighing = missing == SMOOTHIMG_ALPHA ? ARRAY_BY_ALPHA
                    : missing == SMOOTHIMG_NAN && sample_format(job->src.type).is_float
                        ? ARRAY_WITHOUT_NAN
                        : ARRAY_ALIKE;
    job->bits = array_weight_bits(job->src.type, job->dst.type);
    job->taps = asked->filter->taps[job->bits == ARRAY_FINE_BITS ? FINE : COARSE];
    if (job->combination == ARRAY_APART) {
        job->taps += asked->term * job->filtered;
        job->terms = asked->count;
        job->combination = asked->count > 1 ? ARRAY_APART : ARRAY_SUM;
        for (int i = 0; i < asked->count && !asked->nowhere; i++)
            job->result[i] =
                (int64_t)((uintptr_t)asked->dst[i].data - (uintptr_t)asked->dst[0].data);
    }
    return STATUS_OK;
}

/* True if dst holds less than the whole result. */
static bool is_part(const struct array_job *job)
{
    return memcmp(job->extent, job->shape, sizeof job->shape) != 0;
}

/* For a call that weights samples by alpha or leaves out NaN: checks that the filter is a single
 * term that only smooths. With alpha also checks that pixels have colours, and that dst has all of
 * their channels. */
static enum status check_weighing(const struct arguments *asked, const struct array_job *job)
{
    struct error *error = &asked->context->error;
    const int last = job->axes - 1;
    const char *lacks = asked->filter->no_smooth;

    if (job->weighing == ARRAY_BY_ALPHA && (last < 0 || job->shape[last] < 2))
        return fail(error, STATUS_INVALID,
                    "src: 1 channel; a filter that is weighted by alpha needs at least 2");
    if (job->weighing == ARRAY_BY_ALPHA && job->extent[last] < job->shape[last])
        lacks = "a pixel has all of its channels";
    return lacks ? fail(error, STATUS_UNSUPPORTED, "with %s %s",
                        job->weighing == ARRAY_BY_ALPHA ? "weighting by alpha" : "leaving NaN out",
                        lacks)
                 : STATUS_OK;
}

/* Sets the request of a call whose job is set: a request for images if the job's arrays form
 * images, else a request for arrays. Refuses arrays that form no images if results could exceed
 * dst's maxval: the engine of arrays clamps only to the range of the type. */
static enum status ask(const struct arguments *asked, struct call *call)
{
    const struct smoothimg_array *src = asked->src, *dst = asked->dst;
    const struct smoothimg_filter *filter = asked->filter;
    struct error *error = &asked->context->error;
    const struct request plain = call->request;
    const char *obstacle = filter->obstacle; /* a condition of the engines for images that the call
                                                violates; NULL: none */

    if (call->job.weighing != ARRAY_ALIKE && check_weighing(asked, &call->job) != STATUS_OK)
        return error->status;
    if (!obstacle && asked->context->variant == arrays_engine)
        obstacle = "the engine of arrays is not chosen";
    if (!obstacle && src->type == dst->type && maxval_of(src) != maxval_of(dst))
        obstacle = "src and dst have one maxval";
    if (!obstacle && call->job.weighing == ARRAY_BY_ALPHA && src->type == SMOOTHIMG_F32)
        obstacle = "samples are uint8 or uint16"; /* see refuses_weighted_floats() */
    if (!obstacle)
        obstacle = arrays_as_images(&call->job, filter->tables, &call->request, &call->outer);
    if (!obstacle) {
        call->request.maxval =
            src->type == SMOOTHIMG_F32 ? FLOAT_SAMPLES : (uint32_t)maxval_of(src);
        return STATUS_OK;
    }
    if (has_maxval(dst) && (!filter->is_mean || maxval_of(src) > maxval_of(dst)))
        return fail(error, STATUS_UNSUPPORTED, "with a maxval of dst %s", obstacle);
    call->outer.count = 0;
    call->job.threads = threads_of(asked->context, &call->job);
    call->request = plain;
    call->request.arrays = &call->job;
    call->request.src.origin = call->job.src.origin;
    call->request.dst.origin = call->job.dst.origin;
    return STATUS_OK;
}

/* Checks the arguments, and describes one call in *call. If dst has no samples, job.dst.origin is
 * NULL (take_arrays()), and *call stays incomplete, since there is nothing to compute. */
static enum status make_call(const struct arguments *asked, struct call *call)
{
    const struct array_job *job = &call->job;
    enum status status;

    call_begin(call, asked, OP_SMOOTH);
    status = make_job(asked, &call->job);
    if (status != STATUS_OK || !job->dst.origin)
        return status;
    status = ask(asked, call);
    /* One stack of whole images overlaps if rows of src and dst do: dst may lie beside src in the
     * rows of a larger image. Everything else overlaps if the address ranges do. */
    if (status == STATUS_OK && !asked->nowhere && arrays_meet(job) &&
        (call->request.arrays || call->outer.count > 0 || is_part(job) ||
         images_overlap(&call->request)))
        return fail(&asked->context->error, STATUS_INVALID, "src and dst overlap");
    return status;
}

IN_DEFAULT_ENVIRONMENT
enum status filter_term(const struct arguments *asked)
{
    struct call call;
    const enum status status = make_call(asked, &call);

    if (status != STATUS_OK || !call.job.dst.origin)
        return status;
    if (call.on_device_too)
        return host_on_device(asked, &call.job);
    return asked->filter->by_parts ? adjoint_for_each_part(asked, filter_term)
                                   : call_run(&call, &asked->context->error);
}

/* Returns true if a sample of the job's result shares a byte with a sample at this address. Looks
 * for this sample of the result along one axis after the other, and may miss it if strides grow
 * from an axis to the next. */
static bool result_has(const struct array_job *job, const void *sample)
{
    const int64_t *strides = job->dst.strides, bytes = sample_format(job->dst.type).bytes;
    int64_t left = (intptr_t)((uintptr_t)sample - (uintptr_t)job->dst.origin);

    for (int a = 0; a < job->axes; a++)
        if (strides[a] != 0)
            left -= max(min(left / strides[a], job->extent[a] - 1), 0) * strides[a];
    return left > -bytes && left < bytes;
}

/* Makes the call for one result of SMOOTHIMG_APART. Checks that the result has the shape and type
 * of dst[0], which the call `first` computes, and that it does not contain the first sample of
 * another result. A full check for shared bytes would take too long, and address ranges may
 * overlap, since interleaved results are allowed. */
static enum status check_result(const struct arguments *asked, struct call *call,
                                const struct call *first)
{
    const struct array_job *job = &call->job;
    struct error *error = &asked->context->error;

    if (make_call(asked, call) != STATUS_OK)
        return error->status;
    if (job->dst.type != first->job.dst.type ||
        memcmp(job->extent, first->job.extent, sizeof job->extent) != 0)
        return fail(error, STATUS_INVALID, "dst[%d] has another shape or type", asked->term);
    for (int i = 0; i < asked->filter->results && job->dst.origin; i++)
        if (i != asked->term && result_has(job, asked->dst[i - asked->term].data))
            return fail(error, STATUS_INVALID, "dst[%d] and dst[%d] overlap", asked->term, i);
    return STATUS_OK;
}

/* Computes the results of SMOOTHIMG_APART, one for each term. Checks all of them before it computes
 * the first. */
IN_DEFAULT_ENVIRONMENT
static enum status filter_all(const struct arguments *asked)
{
    const int results = asked->filter->results;
    struct arguments one = *asked;
    struct call first, other, *call = &first;
    enum status status = STATUS_OK;
    bool alike = true; /* the results have the same strides */

    one.count = 1;
    for (; one.term < results && status == STATUS_OK; one.term++, one.dst++, call = &other) {
        status = check_result(&one, call, &first);
        alike =
            alike && status == STATUS_OK &&
            memcmp(first.job.dst.strides, call->job.dst.strides, sizeof first.job.dst.strides) == 0;
    }
    one = *asked;
    for (; one.term < results && status == STATUS_OK; one.term += one.count, one.dst += one.count) {
        one.count = alike && !first.on_device_too ? asked->filter->alike[one.term] : 1;
        status = filter_term(&one);
    }
    return status;
}

enum smoothimg_status smoothimg_filter(struct smoothimg_context *context,
                                       const struct smoothimg_filter *filter,
                                       const struct smoothimg_array *src,
                                       const struct smoothimg_array *dst, const int64_t *first,
                                       void *stream)
{
    const char *null = !filter ? "filter" : !src ? "src" : !dst ? "dst" : NULL;
    const struct arguments asked = {.context = context,
                                    .filter = filter,
                                    .src = src,
                                    .dst = dst,
                                    .count = 1,
                                    .first = first,
                                    .stream = stream};

    return do_asked(null, &asked, filter && filter->results > 1 ? filter_all : filter_term);
}

/* Calls asked->each once for each group of terms that one call computes: once for all terms, or,
 * with SMOOTHIMG_APART, once for successive terms with the same radii. */
IN_DEFAULT_ENVIRONMENT
static enum status for_each_call(const struct arguments *asked)
{
    struct arguments one = *asked;
    enum status status = STATUS_OK;

    for (; one.term < asked->filter->results && status == STATUS_OK; one.term += one.count) {
        one.count = asked->filter->alike[one.term];
        status = asked->each(&one);
    }
    return status;
}

/* Adds the memory of this call to *asked->needs. The calls of a filter run one after the other in
 * the same memory, but each has a plan of its own, and the context keeps KEPT_PLANS plans. */
IN_DEFAULT_ENVIRONMENT
static enum status measure_call(const struct arguments *asked)
{
    struct needs *needs = asked->needs;
    struct call call;
    enum status status = make_call(asked, &call);

    if (status != STATUS_OK || !call.job.dst.origin || call.backend == ON_GPU || call.on_device_too)
        return status;
    if (asked->filter->by_parts)
        return adjoint_for_each_part(asked, measure_call);
    divide_on_host(&call);
    status = plan_on_host(&call, 0, &asked->context->error);
    if (status != STATUS_OK)
        return status;
    needs->plan = max(needs->plan, (int64_t)call.plan->least_room);
    needs->first = max(needs->first, call.memory_bytes);
    needs->others = max(needs->others, (call.threads - 1) * call.memory_bytes);
    needs->plans = (int)min(needs->plans + 1, KEPT_PLANS);
    return STATUS_OK;
}

enum smoothimg_status smoothimg_measure(struct smoothimg_context *context,
                                        const struct smoothimg_filter *filter,
                                        const struct smoothimg_array *src,
                                        const struct smoothimg_array *dst, const int64_t *first,
                                        int64_t *bytes)
{
    const char *null = !filter ? "filter" : !src ? "src" : !dst ? "dst" : !bytes ? "bytes" : NULL;
    struct needs needs = {0};
    const struct arguments asked = {.context = context,
                                    .filter = filter,
                                    .src = src,
                                    .dst = dst,
                                    .nowhere = true,
                                    .first = first,
                                    .each = measure_call,
                                    .needs = &needs};
    const enum smoothimg_status status = do_asked(null, &asked, for_each_call);

    if (bytes)
        *bytes = status == SMOOTHIMG_OK ? needs.plans * needs.plan + needs.first + needs.others : 0;
    return status;
}

static enum status reserve_memory(struct call *call, struct error *error)
{
    return call->backend == ON_GPU ? reserve_on_device(call, error) : reserve_on_host(call, error);
}

/* Reserves memory for a result of dst's shape. If that shape is only a part of the whole result,
 * the part may begin anywhere, and its beginning decides how many samples src has around it. So
 * memory is reserved twice: for a part at the beginning of src, and for a part without samples
 * around it. Whether a part is computed as images or by the engine of arrays does not depend on
 * where it begins. */
IN_DEFAULT_ENVIRONMENT
static enum status reserve_call(const struct arguments *asked)
{
    struct error *error = &asked->context->error;
    struct call call, alone;
    enum status status = make_call(asked, &call);

    if (status != STATUS_OK || !call.job.dst.origin || call.on_device_too)
        return status;
    if (asked->filter->by_parts)
        return adjoint_for_each_part(asked, reserve_call);
    status = plans_reserve(&asked->context->plans, error);
    if (status == STATUS_OK)
        status = reserve_memory(&call, error);
    if (status != STATUS_OK || !is_part(&call.job))
        return status;
    call_begin(&alone, asked, OP_SMOOTH);
    alone.job = call.job;
    memcpy(alone.job.shape, call.job.extent, sizeof alone.job.shape);
    status = ask(asked, &alone);
    return status == STATUS_OK ? reserve_memory(&alone, error) : status;
}

enum smoothimg_status smoothimg_reserve(struct smoothimg_context *context,
                                        const struct smoothimg_filter *filter,
                                        const struct smoothimg_array *src,
                                        const struct smoothimg_array *dst)
{
    static const int64_t first[ARRAY_AXES];
    const struct arguments asked = {.context = context,
                                    .filter = filter,
                                    .src = src,
                                    .dst = filter ? dst : src,
                                    .nowhere = true,
                                    .first = first,
                                    .each = reserve_call};
    const char *null = !src ? "src" : !asked.dst ? "dst" : NULL;

    return do_asked(null, &asked, filter ? for_each_call : reserve_moves);
}
