/* SPDX-License-Identifier: MIT */
/* smoothimg_filter: what is asked of a filter and two arrays, and what computes it: the engines of
 * images where the arrays are images, else the engine of arrays. */
#include "src/lib/api/arrays.h"
#include "src/lib/api/device.h"
#include "src/lib/api/filter.h"
#include "src/lib/api/host_on_device.h"
#include "src/lib/api/images.h"
#include "src/lib/api/plans.h"

#include "src/lib/base/float_environment.h"
#include "kernels/common/parallel.h"

#include <string.h>

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
    if (context->every_thread)
        return context->threads;
    return work < 1 ? 1 : work < context->threads ? (int)work : context->threads;
}

/* t: the term of a result that is apart; else 0. */
static enum status make_job(struct smoothimg_context *context,
                            const struct smoothimg_filter *filter,
                            const struct smoothimg_array *src, const struct smoothimg_array *dst,
                            int t, const int64_t *first, const void *stream, struct array_job *job)
{
    const bool apart = filter->combination == SMOOTHIMG_APART;
    struct error *error = &context->error;
    enum status status;

    *job = (struct array_job){
        .axes = filter->axes,
        .filtered = filter->filtered,
        .terms = apart ? 1 : filter->terms,
        .combination = filter->combination == SMOOTHIMG_MAGNITUDE ? ARRAY_MAGNITUDE : ARRAY_SUM,
        .outside = filter->outside,
        .outside_rest = filter->outside_rest,
        .exact_only = context->variant && strcmp(context->variant, "reference") == 0,
        .isa = context->isa};
    memcpy(job->axis, filter->axis, sizeof job->axis);
    memcpy(job->halo, filter->halo, sizeof job->halo);
    status = take_arrays(context, src, dst, stream, job);
    if (status == STATUS_OK)
        status = check_part(first, job, error);
    if (status != STATUS_OK)
        return status;
    job->bits = array_weight_bits(job->src.type, job->dst.type);
    job->taps = filter->taps[job->bits == ARRAY_FINE_BITS ? FINE : COARSE] + t * job->filtered;
    job->threads = threads_of(context, job);
    return STATUS_OK;
}

/* Of a part they may be fewer than src has. */
static bool are_all_samples(const struct array_job *job, const struct request *images)
{
    const struct view *src = &images->src;
    uint64_t samples = 1;

    for (int i = 0; i < job->axes; i++)
        samples *= (uint64_t)job->shape[i];
    return samples == (uint64_t)(src->width * src->height * src->channels * images->images);
}

/* What is asked of two arrays. */
struct task {
    struct array_job job;
    struct call call;
    struct dims outer; /* of the images that the arrays are; else none */
};

/* Images of one shape know more closely whether they overlap. */
static bool overlap(const struct task *task)
{
    const struct request *request = &task->call.request;

    if (!arrays_meet(&task->job))
        return false;
    return request->arrays || task->outer.count > 0 || !are_all_samples(&task->job, request) ||
           images_overlap(request);
}

/* What the engine of arrays does not serve; NULL: it serves this. */
static const char *only_images_have(const struct smoothimg_filter *filter,
                                    const struct smoothimg_array *src,
                                    const struct smoothimg_array *dst)
{
    const bool is_float = sample_format((enum sample_type)src->type).is_float;

    if (filter->missing == SMOOTHIMG_ALPHA)
        return "weighting by alpha";
    if (filter->missing == SMOOTHIMG_NAN && is_float)
        return "leaving NaN out";
    return has_maxval(dst) && (!filter->is_mean || maxval_of(src) > maxval_of(dst))
               ? "a maxval of dst"
               : NULL;
}

/* Why the arrays are no images for the engines of these; NULL: they are, and asked for. */
static const char *ask_images(const struct smoothimg_filter *filter,
                              const struct smoothimg_array *src, const struct smoothimg_array *dst,
                              const struct array_job *job, struct task *task)
{
    if (filter->obstacle)
        return filter->obstacle;
    if (task->call.context->variant == arrays_engine)
        return "the engine of arrays is not chosen";
    if (src->type == dst->type && maxval_of(src) != maxval_of(dst))
        return "src and dst have one maxval";
    return arrays_as_images(&filter->smoothing, job, src->maxval, &task->call.request,
                            &task->outer);
}

/* No variant weighs floats by alpha: kernels/smooth/floats/floats.h says why. */
static enum status check_weighted(const struct request *images, struct error *error)
{
    if (images->weighted && images->src.channels < 2)
        return fail(error, STATUS_INVALID,
                    "src: 1 channel; a filter that is weighted by alpha needs at least 2");
    if (images->weighted && images->maxval == FLOAT_SAMPLES)
        return fail(error, STATUS_UNSUPPORTED,
                    "src: floats are not weighted by alpha; use a filter without it, which smooths "
                    "each channel by itself");
    return STATUS_OK;
}

static void ask_arrays(struct task *task)
{
    dims_begin(&task->outer, false);
    call_ask_arrays(&task->call, &task->job);
}

/* Asks for images, if those of `job` are, or for the task's arrays. */
static enum status ask(struct smoothimg_context *context, const struct smoothimg_filter *filter,
                       const struct smoothimg_array *src, const struct smoothimg_array *dst,
                       const struct array_job *job, void *stream, struct task *task)
{
    const char *only = only_images_have(filter, src, dst), *obstacle;

    task->call = call_of(context, OP_SMOOTH, src->memory, stream);
    task->call.filter = filter->number;
    obstacle = ask_images(filter, src, dst, job, task);
    if (!obstacle)
        return check_weighted(&task->call.request, &context->error);
    if (only)
        return fail(&context->error, STATUS_UNSUPPORTED, "with %s %s", only, obstacle);
    ask_arrays(task);
    return STATUS_OK;
}

/* One result. If it is empty there is nothing to compute. */
static enum status make_task(struct smoothimg_context *context,
                             const struct smoothimg_filter *filter,
                             const struct smoothimg_array *src, const struct smoothimg_array *dst,
                             int t, const int64_t *first, void *stream, struct task *task)
{
    const enum status status = make_job(context, filter, src, dst, t, first, stream, &task->job);

    return status == STATUS_OK && !is_empty(dst)
               ? ask(context, filter, src, dst, &task->job, stream, task)
               : status;
}

static enum status check_term(struct smoothimg_context *context,
                              const struct smoothimg_filter *filter,
                              const struct smoothimg_array *src, const struct smoothimg_array *dst,
                              int t, const int64_t *first, void *stream, struct task *task)
{
    const enum status status = make_task(context, filter, src, dst, t, first, stream, task);

    return status == STATUS_OK && !is_empty(dst) && overlap(task)
               ? fail(&context->error, STATUS_INVALID, "src and dst overlap")
               : status;
}

enum status filter_term(struct smoothimg_context *context, const struct smoothimg_filter *filter,
                        const struct smoothimg_array *src, const struct smoothimg_array *dst, int t,
                        const int64_t *first, void *stream)
{
    struct task task;
    const enum status status = check_term(context, filter, src, dst, t, first, stream, &task);

    if (status != STATUS_OK || is_empty(dst))
        return status;
    return goes_to_device(context, src->memory)
               ? filter_host_on_device(context, filter, t, src, dst, &task.job)
               : call_run(&task.call, &task.outer, &context->error);
}

static int results_of(const struct smoothimg_filter *filter)
{
    return filter->combination == SMOOTHIMG_APART ? filter->terms : 1;
}

/* Terms that are apart are one job each: none is begun unless all can be computed. */
IN_DEFAULT_ENVIRONMENT
static enum status filter_all(struct smoothimg_context *context,
                              const struct smoothimg_filter *filter,
                              const struct smoothimg_array *src, const struct smoothimg_array *dst,
                              const int64_t *first, void *stream)
{
    const int results = results_of(filter);
    struct task task;
    enum status status = STATUS_OK;

    for (int t = 0; t < results && results > 1 && status == STATUS_OK; t++)
        status = check_term(context, filter, src, &dst[t], t, first, stream, &task);
    for (int t = 0; t < results && status == STATUS_OK; t++)
        status = filter_term(context, filter, src, &dst[t], t, first, stream);
    return status;
}

enum smoothimg_status smoothimg_filter(struct smoothimg_context *context,
                                       const struct smoothimg_filter *filter,
                                       const struct smoothimg_array *src,
                                       const struct smoothimg_array *dst, const int64_t *first,
                                       void *stream)
{
    const struct given given[] = {{"filter", filter}, {"src", src}, {"dst", dst}, {NULL, NULL}};
    struct float_environment callers;
    enum status status;

    if (has_null(context, given))
        return SMOOTHIMG_INVALID;
    callers = float_environment_enter();
    status = filter_all(context, filter, src, dst, first, stream);
    float_environment_leave(&callers);
    return public_status(status);
}

static enum status reserve_task(const struct task *task)
{
    struct call call = task->call;
    struct error *error = &call.context->error;

    return call.backend == ON_GPU ? reserve_on_device(&call, error) : reserve_on_host(&call, error);
}

/* Whatever computes arrays like these, but for their places: a part may be images, with or without
 * what lies beside it, or not, which depends on where it begins. */
static enum status reserve_arrays(struct smoothimg_context *context,
                                  const struct smoothimg_filter *filter,
                                  const struct smoothimg_array *src,
                                  const struct smoothimg_array *dst, struct task *task)
{
    const struct array_job *job = &task->job;
    struct array_job whole = *job;
    const bool is_part = memcmp(job->extent, job->shape, sizeof job->shape) != 0;
    enum status status;

    memcpy(whole.shape, job->extent, sizeof whole.shape);
    if (filter->missing == SMOOTHIMG_ALPHA && job->axes > 0) /* of which there is no part */
        whole.shape[job->axes - 1] = job->shape[job->axes - 1];
    status = ask(context, filter, src, dst, &whole, NULL, task);
    if (status == STATUS_OK)
        status = plans_reserve(context->plans, &context->error);
    if (status == STATUS_OK)
        status = reserve_task(task);
    if (status != STATUS_OK || task->call.request.arrays || !is_part ||
        only_images_have(filter, src, dst))
        return status;
    ask_arrays(task);
    return reserve_task(task);
}

/* The array somewhere: for what reads no sample. */
static struct smoothimg_array somewhere(const struct smoothimg_array *array)
{
    static const uint64_t sample;
    struct smoothimg_array placed = *array;

    placed.data = (void *)&sample;
    return placed;
}

static enum status measure(struct smoothimg_context *context, const struct smoothimg_filter *filter,
                           const struct smoothimg_array *src, const struct smoothimg_array *dst,
                           const int64_t *first, int64_t *bytes)
{
    struct task task;
    enum status status = make_task(context, filter, src, dst, 0, first, NULL, &task);

    if (status != STATUS_OK || is_empty(dst) || src->memory == SMOOTHIMG_CUDA)
        return status;
    status = measure_on_host(&task.call, bytes, &context->error);
    if (status == STATUS_OK)
        *bytes += (results_of(filter) - 1) * (int64_t)task.call.plan->room;
    return status;
}

/* Results that are apart take the same memory, one after the other, and a plan each. */
enum smoothimg_status smoothimg_measure(struct smoothimg_context *context,
                                        const struct smoothimg_filter *filter,
                                        const struct smoothimg_array *src,
                                        const struct smoothimg_array *dst, const int64_t *first,
                                        int64_t *bytes)
{
    const struct given given[] = {
        {"filter", filter}, {"src", src}, {"dst", dst}, {"bytes", bytes}, {NULL, NULL}};
    struct float_environment callers;
    struct smoothimg_array from, to;
    enum status status;

    if (bytes)
        *bytes = 0;
    if (has_null(context, given))
        return SMOOTHIMG_INVALID;
    from = somewhere(src), to = somewhere(dst);
    if (goes_to_device(context, src->memory))
        return SMOOTHIMG_OK;
    callers = float_environment_enter();
    status = measure(context, filter, &from, &to, first, bytes);
    float_environment_leave(&callers);
    return public_status(status);
}

static enum status reserve(struct smoothimg_context *context, const struct smoothimg_filter *filter,
                           const struct smoothimg_array *src, const struct smoothimg_array *dst)
{
    static const int64_t first[ARRAY_AXES];
    const struct smoothimg_array from = somewhere(src), to = somewhere(dst);
    struct task task;
    const enum status status = make_job(context, filter, &from, &to, 0, first, NULL, &task.job);

    if (status != STATUS_OK || is_empty(dst) || goes_to_device(context, src->memory))
        return status;
    return reserve_arrays(context, filter, &from, &to, &task);
}

enum smoothimg_status smoothimg_reserve(struct smoothimg_context *context,
                                        const struct smoothimg_filter *filter,
                                        const struct smoothimg_array *src,
                                        const struct smoothimg_array *dst)
{
    const struct given given[] = {{"src", src}, {"dst", filter ? dst : src}, {NULL, NULL}};
    struct float_environment callers;
    enum status status;

    if (has_null(context, given))
        return SMOOTHIMG_INVALID;
    callers = float_environment_enter();
    status = filter ? reserve(context, filter, src, dst) : reserve_moves(context, src);
    float_environment_leave(&callers);
    return public_status(status);
}
