/* SPDX-License-Identifier: MIT */
#include "src/app/dispatch/choose_variant.h"
#include "src/app/dispatch/dispatcher_state.h"

#include <stdlib.h>

/* Useful sessions of a device for one file: while one thread reads or writes, the other copies and
 * computes. More threads would wait for each other to write (kernels/NOTES.md). Threads that
 * compress spend most of their time on that, so that more of them can share the GPU. */
#define SESSIONS_OF_DEVICE 2
#define COMPRESSION_FACTOR 4

static enum status find_variants(struct dispatcher *dispatcher, struct error *error)
{
    const struct dispatch_options *options = dispatcher->options;
    enum status status = STATUS_OK;

    for (int i = 0; i < options->op_count && status == STATUS_OK; i++)
        status = choose_variant((enum op)options->ops[i], options->variant,
                                &dispatcher->variants[i], error);
    return status;
}

enum status dispatcher_open(const struct dispatch_options *options, struct dispatcher **dispatcher,
                            struct error *error)
{
    const int64_t device = options->device;
    struct dispatcher *made = calloc(1, sizeof *made);

    *dispatcher = made;
    if (!made)
        return fail(error, STATUS_INPUT, "no memory to choose variants in");
    made->options = options;
    sessions_init(&made->sessions, device < 0 ? 0 : (int)device, device == DEVICE_ALL);
    return find_variants(made, error);
}

void dispatcher_close(struct dispatcher *dispatcher)
{
    if (!dispatcher)
        return;
    sessions_close(&dispatcher->sessions);
    free(dispatcher);
}

enum status dispatcher_check(struct dispatcher *dispatcher, struct error *error)
{
    struct session *session;
    enum status status;

    if (!dispatcher_uses_gpu(dispatcher))
        return STATUS_OK;
    status = sessions_take(&dispatcher->sessions, &session, error);
    if (status == STATUS_OK)
        sessions_give(&dispatcher->sessions, session);
    return status;
}

const struct variant *dispatcher_variant(const struct dispatcher *dispatcher, int op)
{
    return dispatcher->variants[op];
}

bool dispatcher_uses_gpu(const struct dispatcher *dispatcher)
{
    return dispatcher->variants[0]->backend == ON_GPU; /* as all of them: one word chose them */
}

int dispatcher_threads(const struct dispatcher *dispatcher, int threads, bool compresses)
{
    struct error unused;
    int devices = 1, max;

    if (!dispatcher_uses_gpu(dispatcher))
        return threads;
    if (dispatcher->sessions.any && gpu_count(&devices, &unused) != STATUS_OK)
        devices = 1;
    max = SESSIONS_OF_DEVICE * devices * (compresses ? COMPRESSION_FACTOR : 1);
    return threads < max ? threads : max;
}

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

bool dispatcher_is_lost(struct dispatcher *dispatcher)
{
    return atomic_load(&dispatcher->lost);
}
