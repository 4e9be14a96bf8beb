/* SPDX-License-Identifier: MIT */
/* smoothimg_filter, smoothimg_measure and smoothimg_reserve. An engine is an implementation of
 * filters. An array that can be described as images (arrays_as_images()) is filtered by one of the
 * engines for images. All other arrays are filtered by the engine of arrays, which accepts any
 * array. */
#include "src/lib/api/arrays.h"
#include "src/lib/api/filter.h"
#include "src/lib/api/images.h"
#include "src/lib/api/plans.h"

#include "kernels/common/numbers.h"
#include "src/lib/base/float_environment.h"

#include <string.h>

/* Checks that dst, which begins at index `first` of the result, lies within the result, whose shape
 * is that of src. If `first` is NULL, dst has to be the whole result. */
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

#define WORK_OF_A_THREAD 400000 /* products that take about as long as waking a thread */

/* Returns how many of the context's threads the call should use: more would not make it faster. */
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

static enum array_weighing weighing_of(const struct arguments *asked)
{
    switch (asked->filter->missing) {
    case SMOOTHIMG_ALPHA:
        return ARRAY_BY_ALPHA;
    case SMOOTHIMG_NAN:
        return sample_format((enum sample_type)asked->src->type).is_float ? ARRAY_WITHOUT_NAN
                                                                          : ARRAY_ALIKE;
    default:
        return ARRAY_ALIKE;
    }
}

static enum status make_job(const struct arguments *asked, struct array_job *job)
{
    const struct smoothimg_context *context = asked->context;
    enum status status;

    *job = asked->filter->job;
    job->weighing = weighing_of(asked);
    job->exact_only = context->variant && strcmp(context->variant, "reference") == 0;
    job->isa = context->isa;
    status = take_arrays(asked, job);
    if (status == STATUS_OK)
        status = check_part(asked->first, job, &asked->context->error);
    if (status != STATUS_OK)
        return status;
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

/* One result to compute. */
struct task {
    struct array_job job;
    struct call call;
    struct dims outer; /* the axes along which images follow each other; for other arrays none */
};

/* True if src and dst share a byte. Images are compared by their rows, other arrays by their
 * address ranges. */
static bool overlap(const struct task *task)
{
    const struct request *request = &task->call.request;

    if (!arrays_meet(&task->job))
        return false;
    return request->arrays || task->outer.count > 0 || is_part(&task->job) ||
           images_overlap(request);
}

/* Returns a name for messages. */
static const char *weighing_name(enum array_weighing weighing)
{
    return weighing == ARRAY_BY_ALPHA ? "weighting by alpha" : "leaving NaN out";
}

/* Returns NULL if the engine of arrays can compute the call; else the property of the call that
 * only images may have. */
static const char *only_images_have(const struct arguments *asked)
{
    const struct smoothimg_filter *filter = asked->filter;

    return has_maxval(asked->dst) &&
                   (!filter->is_mean || maxval_of(asked->src) > maxval_of(asked->dst))
               ? "a maxval of dst"
               : NULL;
}

/* Describes the call's arrays in *task, as images. Returns NULL, or the condition that the call
 * violates, such as "src and dst have one maxval". */
static const char *ask_images(const struct arguments *asked, const struct array_job *job,
                              struct task *task)
{
    const struct smoothimg_array *src = asked->src, *dst = asked->dst;

    if (asked->filter->obstacle)
        return asked->filter->obstacle;
    if (asked->context->variant == arrays_engine)
        return "the engine of arrays is not chosen";
    if (src->type == dst->type && maxval_of(src) != maxval_of(dst))
        return "src and dst have one maxval";
    if (job->weighing == ARRAY_BY_ALPHA && src->type == SMOOTHIMG_F32)
        return "samples are uint8 or uint16"; /* the same condition as refuses_weighted_floats() */
    return arrays_as_images(job, asked->filter->tables, src->maxval, &task->call.request,
                            &task->outer);
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
    return lacks
               ? fail(error, STATUS_UNSUPPORTED, "with %s %s", weighing_name(job->weighing), lacks)
               : STATUS_OK;
}

/* Sets the members that tasks of images and of other arrays have in common. */
static void begin(const struct arguments *asked, struct task *task)
{
    task->call = call_of(asked->context, OP_SMOOTH, asked->src->memory, asked->stream);
    task->call.filter = asked->filter->number;
    task->outer.count = 0;
}

static void ask_arrays(const struct arguments *asked, struct task *task)
{
    begin(asked, task);
    task->job.threads = threads_of(asked->context, &task->job);
    task->call.request.arrays = &task->job;
    task->call.request.src.origin = task->job.src.origin;
    task->call.request.dst.origin = task->job.dst.origin;
}

/* Describes the call in *task: as a call on images if its arrays form images, else as a call on
 * arrays. */
static enum status ask(const struct arguments *asked, const struct array_job *job,
                       struct task *task)
{
    struct error *error = &asked->context->error;
    const char *obstacle, *only;

    if (job->weighing != ARRAY_ALIKE && check_weighing(asked, job) != STATUS_OK)
        return error->status;
    begin(asked, task);
    obstacle = ask_images(asked, job, task);
    if (!obstacle)
        return STATUS_OK;
    only = only_images_have(asked);
    if (only)
        return fail(error, STATUS_UNSUPPORTED, "with %s %s", only, obstacle);
    ask_arrays(asked, task);
    return STATUS_OK;
}

/* Checks the call and makes its task. If the result is empty, leaves the task incomplete, since
 * there is nothing to compute. */
static enum status make_task(const struct arguments *asked, struct task *task)
{
    enum status status = make_job(asked, &task->job);

    if (status == STATUS_OK && !is_empty(asked->dst))
        status = ask(asked, &task->job, task);
    if (status == STATUS_OK && !is_empty(asked->dst) && !asked->nowhere && overlap(task))
        return fail(&asked->context->error, STATUS_INVALID, "src and dst overlap");
    return status;
}

IN_DEFAULT_ENVIRONMENT
enum status filter_term(const struct arguments *asked)
{
    struct task task;
    const enum status status = make_task(asked, &task);

    if (status != STATUS_OK || is_empty(asked->dst))
        return status;
    return goes_to_device(asked) ? host_on_device(asked, &task.job)
                                 : call_run(&task.call, &task.outer, &asked->context->error);
}

/* Returns how many results of SMOOTHIMG_APART one task computes, from that of this term on, if they
 * have the same strides. */
static int results_of_task(const struct arguments *asked, int term)
{
    const bool on_host = asked->src->memory == SMOOTHIMG_HOST && !goes_to_device(asked);

    return on_host ? asked->filter->alike[term] : 1;
}

/* Returns true if the job's result has a sample that shares a byte with a sample at this address.
 * Steps along the axes in their order, so it may miss one if strides grow from an axis to the
 * next. */
static bool result_has(const struct array_job *job, const void *sample)
{
    const int64_t *strides = job->dst.strides, bytes = sample_format(job->dst.type).bytes;
    int64_t left = (intptr_t)((uintptr_t)sample - (uintptr_t)job->dst.origin);

    for (int a = 0; a < job->axes; a++)
        if (strides[a] != 0)
            left -= max(min(left / strides[a], job->extent[a] - 1), 0) * strides[a];
    return left > -bytes && left < bytes;
}

/* Makes the task of one result of SMOOTHIMG_APART, and compares this result with the others; the
 * task `first` computes dst[0]. Whether two arrays share a byte would take too long to find, and
 * interleaved results, whose address ranges overlap, are allowed. So this looks for the first
 * sample of each other result. */
static enum status check_result(const struct arguments *asked, struct task *task,
                                const struct task *first)
{
    const struct array_job *job = &task->job;
    struct error *error = &asked->context->error;

    if (make_task(asked, task) != STATUS_OK)
        return error->status;
    if (job->dst.type != first->job.dst.type ||
        memcmp(job->extent, first->job.extent, sizeof job->extent) != 0)
        return fail(error, STATUS_INVALID, "dst[%d] has another shape or type", asked->term);
    for (int i = 0; i < asked->filter->results && !is_empty(asked->dst); i++)
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
    struct task first, other, *task = &first;
    enum status status = STATUS_OK;
    bool alike = true; /* the results have the same strides */

    one.count = 1;
    for (; one.term < results && status == STATUS_OK; one.term++, one.dst++, task = &other) {
        status = check_result(&one, task, &first);
        alike =
            alike && status == STATUS_OK &&
            memcmp(first.job.dst.strides, task->job.dst.strides, sizeof first.job.dst.strides) == 0;
    }
    one = *asked;
    for (; one.term < results && status == STATUS_OK; one.term += one.count, one.dst += one.count) {
        one.count = alike ? results_of_task(asked, one.term) : 1;
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

/* Calls the function for each task of a filter. */
static enum status for_each_task(const struct arguments *asked,
                                 enum status (*function)(const struct arguments *asked))
{
    struct arguments one = *asked;
    enum status status = STATUS_OK;

    for (; one.term < asked->filter->results && status == STATUS_OK; one.term += one.count) {
        one.count = results_of_task(asked, one.term);
        status = function(&one);
    }
    return status;
}

/* Raises *asked->bytes to the memory that this task takes, if that is more. With SMOOTHIMG_APART
 * the tasks follow one another in the same memory, but each has a plan of its own, and the context
 * keeps KEPT_PLANS plans. */
static enum status measure_task(const struct arguments *asked)
{
    struct task task;
    enum status status = make_task(asked, &task);
    int plans = 0;

    for (int term = 0; term < asked->filter->results && plans < KEPT_PLANS; plans++)
        term += results_of_task(asked, term);
    if (status != STATUS_OK || is_empty(asked->dst) || asked->src->memory == SMOOTHIMG_CUDA ||
        goes_to_device(asked))
        return status;
    status = plan_on_host(&task.call, &asked->context->error);
    if (status == STATUS_OK)
        *asked->bytes = max(*asked->bytes, plans * (int64_t)task.call.plan->room +
                                               task.call.threads * task.call.memory_bytes);
    return status;
}

IN_DEFAULT_ENVIRONMENT
static enum status measure(const struct arguments *asked)
{
    return for_each_task(asked, measure_task);
}

enum smoothimg_status smoothimg_measure(struct smoothimg_context *context,
                                        const struct smoothimg_filter *filter,
                                        const struct smoothimg_array *src,
                                        const struct smoothimg_array *dst, const int64_t *first,
                                        int64_t *bytes)
{
    const char *null = !filter ? "filter" : !src ? "src" : !dst ? "dst" : !bytes ? "bytes" : NULL;
    const struct arguments asked = {.context = context,
                                    .filter = filter,
                                    .src = src,
                                    .dst = dst,
                                    .nowhere = true,
                                    .first = first,
                                    .bytes = bytes};

    if (bytes)
        *bytes = 0;
    return do_asked(null, &asked, measure);
}

static enum status reserve_task(struct task *task)
{
    struct call *call = &task->call;
    struct error *error = &call->context->error;

    return call->backend == ON_GPU ? reserve_on_device(call, error) : reserve_on_host(call, error);
}

/* Reserves memory for a result of dst's shape. If that shape is only a part of the whole result,
 * the part may begin anywhere. Where it begins decides how many samples src has around it: memory
 * is reserved for a part with all of them, and for one without any. Whether images or the engine of
 * arrays compute it does not depend on where it begins. */
static enum status reserve_arrays(const struct arguments *asked, struct task *task)
{
    const struct array_job *job = &task->job;
    struct array_job alone = *job;
    enum status status = plans_reserve(&asked->context->plans, &asked->context->error);

    if (status == STATUS_OK)
        status = reserve_task(task);
    if (status != STATUS_OK || !is_part(job))
        return status;
    memcpy(alone.shape, job->extent, sizeof alone.shape);
    status = ask(asked, &alone, task);
    return status == STATUS_OK ? reserve_task(task) : status;
}

static enum status reserve_of_task(const struct arguments *asked)
{
    struct task task;
    const enum status status = make_task(asked, &task);
    const bool is_done = status != STATUS_OK || is_empty(asked->dst) || goes_to_device(asked);

    return is_done ? status : reserve_arrays(asked, &task);
}

IN_DEFAULT_ENVIRONMENT
static enum status reserve(const struct arguments *asked)
{
    return asked->filter ? for_each_task(asked, reserve_of_task) : reserve_moves(asked);
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
                                    .first = first};
    const char *null = !src ? "src" : !asked.dst ? "dst" : NULL;

    return do_asked(null, &asked, reserve);
}
