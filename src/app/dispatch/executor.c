/* SPDX-License-Identifier: MIT */
/* Who computes a piece, and who does after a failure. */
#include "src/app/dispatch/dispatcher_state.h"

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
    pthread_mutex_lock(&dispatcher->mutex);
    if (dispatcher->sessions.begun && !dispatcher->failed &&
        dispatcher->lent < pace_sessions(&dispatcher->pace)) {
        executor->lent = ++dispatcher->lent;
        executor->part = pace_part_for_gpu(&dispatcher->pace);
    }
    pthread_mutex_unlock(&dispatcher->mutex);
    return executor->lent > 0;
}

/* Under auto: the thread computes the piece, since no session may or none was free. */
static void keep_to_thread(struct dispatcher *dispatcher, bool plenty, struct executor *executor)
{
    pthread_mutex_lock(&dispatcher->mutex);
    dispatcher->lent -= executor->lent > 0;
    executor->lent = 0;
    executor->part = dispatcher->no_gpu || dispatcher->failed
                         ? 1
                         : pace_part_for_cpu(&dispatcher->pace, dispatcher->sessions.begun, plenty);
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

enum status dispatcher_take(struct dispatcher *dispatcher, bool plenty, struct executor *executor,
                            struct error *error)
{
    enum status status = STATUS_OK;

    *executor = (struct executor){.part = 1};
    if (dispatcher->automatic)
        take_automatic(dispatcher, plenty, executor);
    else if (dispatcher_may_use_gpu(dispatcher))
        status = take_named(dispatcher, executor, error);
    executor->gpu = executor->session ? executor->session->gpu : NULL;
    return status;
}

void dispatcher_give(struct dispatcher *dispatcher, const struct executor *executor)
{
    if (executor->session)
        sessions_give(&dispatcher->sessions, executor->session);
    pthread_mutex_lock(&dispatcher->mutex);
    dispatcher->lent -= executor->lent > 0;
    pthread_mutex_unlock(&dispatcher->mutex);
}

bool executor_move_on(struct dispatcher *dispatcher, struct executor *executor, enum status status,
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
