/* SPDX-License-Identifier: MIT */
/* Who computes a piece, and who does after a failure. */
#include "src/app/dispatch/dispatcher_state.h"

static enum status take_session(struct dispatcher *dispatcher, struct executor *executor,
                                struct error *error)
{
    const enum status status = sessions_take(&dispatcher->sessions, &executor->session, error);

    if (status == STATUS_DEVICE)
        atomic_store(&dispatcher->lost, true);
    executor->gpu = executor->session ? executor->session->gpu : NULL;
    executor->device = executor->session ? executor->session->device : 0;
    return status;
}

enum status dispatcher_take(struct dispatcher *dispatcher, struct executor *executor,
                            struct error *error)
{
    *executor = (struct executor){0};
    return dispatcher_uses_gpu(dispatcher) ? take_session(dispatcher, executor, error) : STATUS_OK;
}

void dispatcher_give(struct dispatcher *dispatcher, const struct executor *executor)
{
    if (executor->session)
        sessions_give(&dispatcher->sessions, executor->session);
}

bool executor_move_on(struct dispatcher *dispatcher, struct executor *executor, enum status status)
{
    struct error unused;

    if (status != STATUS_DEVICE || gpu_alive(executor->session->gpu))
        return false;
    sessions_set_aside(&dispatcher->sessions);
    executor->session = NULL;
    return take_session(dispatcher, executor, &unused) == STATUS_OK;
}
