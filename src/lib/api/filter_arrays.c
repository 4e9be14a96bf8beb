/* SPDX-License-Identifier: MIT */
/* smoothimg_filter: what is asked of a filter and two arrays, and what computes it: the engines of
 * images where the arrays are images, else the engine of arrays. */
#include "src/lib/api/arrays.h"
#include "src/lib/api/call.h"
#include "src/lib/api/filter.h"
#include "src/lib/api/host_on_device.h"

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

static enum status make_job(struct smoothimg_context *context,
                            const struct smoothimg_filter *filter,
                            const struct smoothimg_array *src, const struct smoothimg_array *dst,
                            const int64_t *first, const void *stream, struct array_job *job)
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
    job->taps = filter->taps[job->bits == ARRAY_FINE_BITS ? FINE : COARSE];
    job->threads = threads_of(context, job);
    return STATUS_OK;
}

/* Of a part they may be fewer than src has. */
static bool are_all_samples(const struct array_job *job, const struct images *src)
{
    uint64_t samples = 1;

    for (int i = 0; i < job->axes; i++)
        samples *= (uint64_t)job->shape[i];
    return samples == (uint64_t)(src->width * src->height * src->channels * src->count);
}

/* images: that the arrays are; NULL: they are none. Images of one shape know more closely whether
 * they overlap. */
static bool overlap(const struct array_job *job, const struct as_images *images)
{
    if (!arrays_meet(job))
        return false;
    return !images || images->outer.count > 0 || !are_all_samples(job, &images->src) ||
           images_overlap(&images->src, &images->dst);
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

/* Why the arrays are no images for the engines of these; NULL: they are, in *images. */
static const char *find_images(const struct smoothimg_context *context,
                               const struct smoothimg_filter *filter,
                               const struct smoothimg_array *src, const struct smoothimg_array *dst,
                               const struct array_job *job, struct as_images *images)
{
    if (!filter->images)
        return filter->obstacle;
    if (context->variant == arrays_engine)
        return "the engine of arrays is not chosen";
    if (src->type == dst->type && maxval_of(src) != maxval_of(dst))
        return "src and dst have one maxval";
    return arrays_as_images(&filter->images->smoothing, job, src->maxval, src->memory, images);
}

/* What is asked of two arrays. */
struct task {
    struct array_job job;
    const char *obstacle; /* why they are no images; NULL: they are these: */
    struct as_images images;
};

static enum status find_what_computes(struct smoothimg_context *context,
                                      const struct smoothimg_filter *filter,
                                      const struct smoothimg_array *src,
                                      const struct smoothimg_array *dst,
                                      const struct array_job *job, struct task *task)
{
    const char *only = only_images_have(filter, src, dst);

    task->obstacle = find_images(context, filter, src, dst, job, &task->images);
    if (task->obstacle)
        task->images.outer.count = 0;
    return task->obstacle && only
               ? fail(&context->error, STATUS_UNSUPPORTED, "with %s %s", only, task->obstacle)
               : STATUS_OK;
}

/* One result. If it is empty there is nothing to compute. */
static enum status make_task(struct smoothimg_context *context,
                             const struct smoothimg_filter *filter,
                             const struct smoothimg_array *src, const struct smoothimg_array *dst,
                             const int64_t *first, const void *stream, struct task *task)
{
    const enum status status = make_job(context, filter, src, dst, first, stream, &task->job);

    return status == STATUS_OK && !is_empty(dst)
               ? find_what_computes(context, filter, src, dst, &task->job, task)
               : status;
}

/* t: of a result that is apart; else 0. */
static struct call call_of(struct smoothimg_context *context, const struct smoothimg_filter *filter,
                           int t, enum smoothimg_memory memory, struct task *task, void *stream)
{
    const struct as_images *images = &task->images;
    struct call call = {
        .context = context, .op = OP_SMOOTH, .filter = filter->number, .stream = stream};

    if (task->obstacle) {
        task->job.taps += t * task->job.filtered;
        call.filter += OF_ARRAYS + (uint64_t)t;
        call.asked.arrays = &task->job;
        call.src = (struct images){.data = task->job.src.origin, .memory = memory};
        call.dst = (struct images){.data = task->job.dst.origin, .memory = memory};
    } else {
        call.filter += images->turned ? OF_TURNED_IMAGES : OF_IMAGES;
        call.asked = image_weights_request(filter->images, images->turned);
        call.src = images->src;
        call.dst = images->dst;
    }
    return call;
}

static enum status check_term(struct smoothimg_context *context,
                              const struct smoothimg_filter *filter,
                              const struct smoothimg_array *src, const struct smoothimg_array *dst,
                              const int64_t *first, const void *stream, struct task *task)
{
    const enum status status = make_task(context, filter, src, dst, first, stream, task);

    if (status == STATUS_OK && !is_empty(dst) &&
        overlap(&task->job, task->obstacle ? NULL : &task->images))
        return fail(&context->error, STATUS_INVALID, "src and dst overlap");
    return status;
}

enum status filter_term(struct smoothimg_context *context, const struct smoothimg_filter *filter,
                        const struct smoothimg_array *src, const struct smoothimg_array *dst, int t,
                        const int64_t *first, void *stream)
{
    struct task task;
    struct call call;
    const enum status status = check_term(context, filter, src, dst, first, stream, &task);

    if (status != STATUS_OK || is_empty(dst))
        return status;
    if (goes_to_device(context, src->memory))
        return filter_host_on_device(context, filter, t, src, dst, &task.job);
    call = call_of(context, filter, t, src->memory, &task, stream);
    return call_at_each(&call, &task.images.outer, smooth, &context->error);
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
        status = check_term(context, filter, src, &dst[t], first, stream, &task);
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

static enum status reserve_task(struct smoothimg_context *context,
                                const struct smoothimg_filter *filter, enum smoothimg_memory memory,
                                struct task *task)
{
    struct call call = call_of(context, filter, 0, memory, task, NULL);

    call.src.data = call.dst.data = context; /* any address: no sample is read */
    return smooth_reserve(&call, &context->error);
}

/* Whatever computes arrays like these, but for their places: a part may be images, with or without
 * what lies beside it, or not, which depends on where it begins. */
static enum status reserve_arrays(struct smoothimg_context *context,
                                  const struct smoothimg_filter *filter,
                                  const struct smoothimg_array *src,
                                  const struct smoothimg_array *dst, struct task *task)
{
    struct array_job *job = &task->job, whole = *job;
    const bool is_part = memcmp(job->extent, job->shape, sizeof job->shape) != 0;
    enum status status;

    memcpy(whole.shape, job->extent, sizeof whole.shape);
    if (filter->missing == SMOOTHIMG_ALPHA && job->axes > 0) /* of which there is no part */
        whole.shape[job->axes - 1] = job->shape[job->axes - 1];
    status = find_what_computes(context, filter, src, dst, &whole, task);
    if (status == STATUS_OK)
        status = reserve_task(context, filter, src->memory, task);
    if (status != STATUS_OK || task->obstacle || !is_part || only_images_have(filter, src, dst))
        return status;
    task->obstacle = "it may be a part that is none";
    return reserve_task(context, filter, src->memory, task);
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
    struct call call;
    enum status status = make_task(context, filter, src, dst, first, NULL, &task);

    if (status != STATUS_OK || is_empty(dst))
        return status;
    call = call_of(context, filter, 0, src->memory, &task, NULL);
    status = smooth_measure(&call, bytes, &context->error);
    if (status == STATUS_OK && src->memory == SMOOTHIMG_HOST)
        *bytes += (results_of(filter) - 1) * (int64_t)call.plan->room;
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
    const enum status status = make_job(context, filter, &from, &to, first, NULL, &task.job);

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
