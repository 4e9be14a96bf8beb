/* SPDX-License-Identifier: MIT */
/* Who computes a piece, and what happens if that fails. */
#include "src/app/dispatch/dispatcher_state.h"
#include "src/lib/base/clock.h"
#include "src/lib/filter/registry.h"
#include "src/lib/filter/run.h"

/* Under auto: uses no GPU from now on. */
static void give_up(struct dispatcher *dispatcher, const struct error *failure)
{
    pthread_mutex_lock(&dispatcher->mutex);
    if (!dispatcher->failed) {
        dispatcher->failed = true;
        dispatcher->failure = *failure;
    }
    pthread_mutex_unlock(&dispatcher->mutex);
}

/* Under auto: may a session compute the piece? Counts it as lent then. */
static bool lend(struct dispatcher *dispatcher, struct executor *executor)
{
    const int op = executor->op;

    pthread_mutex_lock(&dispatcher->mutex);
    if (dispatcher->sessions.begun && !dispatcher->failed &&
        dispatcher->lent[op] < pace_sessions(&dispatcher->pace, op)) {
        executor->lent = ++dispatcher->lent[op];
        executor->part = pace_part_for_gpu(&dispatcher->pace, op);
    }
    pthread_mutex_unlock(&dispatcher->mutex);
    return executor->lent > 0;
}

/* Under auto: the thread computes the piece, since no session may or none was free. */
static void keep_to_thread(struct dispatcher *dispatcher, bool plenty, struct executor *executor)
{
    pthread_mutex_lock(&dispatcher->mutex);
    dispatcher->lent[executor->op] -= executor->lent > 0;
    executor->lent = 0;
    executor->part = dispatcher->no_gpu || dispatcher->failed
                         ? 1
                         : pace_part_for_cpu(&dispatcher->pace, executor->op,
                                             dispatcher->sessions.begun, plenty);
    pthread_mutex_unlock(&dispatcher->mutex);
}

static enum status take_named(struct dispatcher *dispatcher, struct executor *executor,
                              struct error *error)
{
    const enum status status =
        sessions_take(&dispatcher->sessions, true, &executor->session, error);

    pthread_mutex_lock(&dispatcher->mutex);
    dispatcher->lost = dispatcher->lost || status == STATUS_DEVICE;
    pthread_mutex_unlock(&dispatcher->mutex);
    return status;
}

static void take_automatic(struct dispatcher *dispatcher, bool plenty, struct executor *executor)
{
    struct error error;

    if (lend(dispatcher, executor) &&
        sessions_take(&dispatcher->sessions, false, &executor->session, &error) != STATUS_OK)
        give_up(dispatcher, &error);
    if (!executor->session)
        keep_to_thread(dispatcher, plenty, executor);
}

enum status dispatcher_take(struct dispatcher *dispatcher, int op, bool plenty,
                            struct executor *executor, struct error *error)
{
    enum status status = STATUS_OK;

    *executor = (struct executor){.op = op, .part = 1};
    if (dispatcher->automatic)
        take_automatic(dispatcher, plenty, executor);
    else if (dispatcher->variants[op]->backend == ON_GPU)
        status = take_named(dispatcher, executor, error);
    executor->gpu = executor->session ? executor->session->gpu : NULL;
    return status;
}

void dispatcher_give(struct dispatcher *dispatcher, const struct executor *executor)
{
    if (executor->session)
        sessions_give(&dispatcher->sessions, executor->session);
    pthread_mutex_lock(&dispatcher->mutex);
    dispatcher->lent[executor->op] -= executor->lent > 0;
    pthread_mutex_unlock(&dispatcher->mutex);
}

/* Rows first..first+count-1 of the job's source alone: those above and below are their border. */
static struct job part_of(const struct job *job, enum op op, int64_t first, int64_t count)
{
    const int64_t to = op == OP_REVERSE ? job->src.height - first - count : first;
    struct job part = *job;

    part.src.origin = (char *)job->src.origin + first * job->src.stride_bytes;
    part.dst.origin = (char *)job->dst.origin + to * job->dst.stride_bytes;
    part.src.height = part.dst.height = count;
    return part;
}

/* Runs the piece at once or, if the device lacks the memory for that, by halves. */
static enum status run_on(struct gpu *gpu, const struct variant *variant, const struct job *job,
                          bool by_halves, struct gpu_times *times, struct error *error)
{
    enum status status = run_job(variant, job, gpu, error);
    const int64_t rows = job->src.height, half = rows / 2;

    if (status == STATUS_OK)
        gpu_times_add(times, gpu_last_times(gpu));
    if (status != STATUS_DEVICE || !by_halves || rows == 1 || variant->op == OP_TRANSPOSE ||
        !gpu_lacked_memory(gpu))
        return status;
    for (int i = 0; i < 2; i++) {
        const struct job part = part_of(job, variant->op, i * half, i == 0 ? half : rows - half);

        status = run_on(gpu, variant, &part, by_halves, times, error);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

/* Under auto the best of the GPU's variants that does not refuse the job; NULL: all do. */
static const struct variant *gpu_variant(const struct dispatcher *dispatcher,
                                         const struct executor *executor, const struct job *job)
{
    const struct variant *variant = dispatcher->variants[executor->op];

    return dispatcher->automatic ? registry_best_for(variant->op, ON_GPU, job) : variant;
}

/* After a failure of the piece's session: can the piece be computed elsewhere? Sets the session
 * aside then; its memory stays, since the piece may be in it. */
static bool move_on(struct dispatcher *dispatcher, struct executor *executor, enum status status,
                    const struct error *failure)
{
    struct error unused;

    if (status != STATUS_DEVICE || (!dispatcher->automatic && gpu_alive(executor->session->gpu)))
        return false;
    sessions_set_aside(&dispatcher->sessions);
    executor->session = NULL;
    if (dispatcher->automatic)
        give_up(dispatcher, failure);
    return dispatcher->automatic || take_named(dispatcher, executor, &unused) == STATUS_OK;
}

/* The work of a job, in samples. The rows of the border count half: a separable filter does one of
 * its two passes for them. */
static double amount_of(const struct job *job)
{
    return (double)(job->src.height + job->halo_y) * (double)job->src.width * job->src.channels;
}

static enum status run_on_cpu(struct dispatcher *dispatcher, struct executor *executor,
                              const struct job *job, struct error *error)
{
    const double start = clock_seconds();
    enum status status;

    executor->variant = dispatcher->variants[executor->op];
    status = run_job(executor->variant, job, NULL, error);
    pthread_mutex_lock(&dispatcher->mutex);
    pace_cpu_piece(&dispatcher->pace, executor->op, amount_of(job),
                   job->threads * (clock_seconds() - start));
    pthread_mutex_unlock(&dispatcher->mutex);
    return status;
}

static enum status run_on_gpu(struct dispatcher *dispatcher, struct executor *executor,
                              const struct job *job, struct gpu_times *times, struct error *error)
{
    enum status status;

    do {
        status = run_on(executor->session->gpu, executor->variant, job, !dispatcher->automatic,
                        times, error);
    } while (status != STATUS_OK && move_on(dispatcher, executor, status, error) &&
             executor->session);
    if (status == STATUS_OK && dispatcher->automatic) {
        pthread_mutex_lock(&dispatcher->mutex);
        pace_gpu_piece(&dispatcher->pace, executor->op, amount_of(job),
                       times->upload + times->kernel + times->download, job->threads,
                       executor->lent);
        pthread_mutex_unlock(&dispatcher->mutex);
    }
    return status;
}

enum status dispatcher_run(struct dispatcher *dispatcher, struct executor *executor,
                           const struct job *job, struct gpu_times *times, struct error *error)
{
    enum status status;

    *times = (struct gpu_times){0};
    executor->variant = executor->session ? gpu_variant(dispatcher, executor, job) : NULL;
    if (executor->variant) {
        status = run_on_gpu(dispatcher, executor, job, times, error);
        if (status == STATUS_OK || !dispatcher->automatic || executor->session)
            return status;
    }
    return run_on_cpu(dispatcher, executor, job, error);
}
