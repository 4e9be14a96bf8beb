/* SPDX-License-Identifier: MIT */
#include "src/app/dispatch/choose_variant.h"
#include "src/app/dispatch/dispatcher_state.h"

#include <stdlib.h>
#include <string.h>

/* Useful sessions of a device for one file: while one thread reads or writes, the other copies and
 * computes. More threads would wait for each other to write (kernels/NOTES.md). Threads that
 * compress spend most of their time on that, so that more of them can share the GPU. */
#define SESSIONS_OF_DEVICE 2
#define COMPRESSION_FACTOR 4

static bool on_gpu(const struct dispatcher *dispatcher)
{
    bool any = false;

    for (int i = 0; i < dispatcher->options->op_count; i++)
        any = any || dispatcher->variants[i]->backend == ON_GPU;
    return any;
}

static enum status find_variants(struct dispatcher *dispatcher, struct error *error)
{
    const struct dispatch_options *options = dispatcher->options;
    enum status status = STATUS_OK;

    for (int i = 0; i < options->op_count && status == STATUS_OK; i++)
        status = choose_variant((enum op)options->ops[i],
                                dispatcher->automatic ? "cpu" : options->variant,
                                &dispatcher->variants[i], error);
    return status;
}

enum status dispatcher_open(const struct dispatch_options *options, struct dispatcher **dispatcher,
                            struct error *error)
{
    const int64_t device = options->device;
    struct dispatcher *made = calloc(1, sizeof *made);
    enum status status;

    *dispatcher = made;
    if (!made)
        return fail(error, STATUS_INPUT, "no memory to choose variants in");
    made->options = options;
    made->automatic = strcmp(options->variant, "auto") == 0;
    made->no_gpu = sessions_no_gpu();
    made->pace = pace_begin(options->threads, sessions_opening_seconds());
    pthread_mutex_init(&made->mutex, NULL);
    sessions_init(&made->sessions, device < 0 ? 0 : (int)device, device == DEVICE_ALL);
    status = find_variants(made, error);
    if (status == STATUS_OK && on_gpu(made))
        sessions_begin(&made->sessions);
    return status;
}

void dispatcher_close(struct dispatcher *dispatcher)
{
    if (!dispatcher || !sessions_close(&dispatcher->sessions, !dispatcher->automatic))
        return;
    pthread_mutex_destroy(&dispatcher->mutex);
    free(dispatcher);
}

bool dispatcher_left_opening(void)
{
    return sessions_left_behind();
}

enum status dispatcher_check(struct dispatcher *dispatcher, struct error *error)
{
    struct session *session;
    enum status status;

    if (!on_gpu(dispatcher))
        return STATUS_OK;
    status = sessions_take(&dispatcher->sessions, true, &session, error);
    if (status == STATUS_OK)
        sessions_give(&dispatcher->sessions, session);
    return status;
}

const struct variant *dispatcher_variant(const struct dispatcher *dispatcher, int op)
{
    return dispatcher->variants[op];
}

bool dispatcher_may_use_gpu(const struct dispatcher *dispatcher)
{
    return dispatcher->automatic ? !dispatcher->no_gpu : on_gpu(dispatcher);
}

int dispatcher_threads(const struct dispatcher *dispatcher, int threads, bool compresses)
{
    struct error unused;
    int devices = 1, max;

    if (!on_gpu(dispatcher))
        return threads;
    if (dispatcher->sessions.any && gpu_count(&devices, &unused) != STATUS_OK)
        devices = 1;
    max = SESSIONS_OF_DEVICE * devices * (compresses ? COMPRESSION_FACTOR : 1);
    return threads < max ? threads : max;
}

/* --- How the work goes. */

void dispatcher_expect(struct dispatcher *dispatcher, double bytes)
{
    pthread_mutex_lock(&dispatcher->mutex);
    dispatcher->pace.expected += bytes;
    pthread_mutex_unlock(&dispatcher->mutex);
}

bool dispatcher_note(struct dispatcher *dispatcher, double bytes_done, double file_seconds)
{
    struct pace *pace = &dispatcher->pace;
    bool begins = false;

    pthread_mutex_lock(&dispatcher->mutex);
    pace_note(pace, bytes_done, file_seconds);
    if (dispatcher->automatic && !dispatcher->no_gpu && !dispatcher->sessions.begun) {
        dispatcher->why_closed = pace_why_closed(pace);
        begins = !dispatcher->why_closed;
        if (begins)
            sessions_begin(&dispatcher->sessions);
    }
    pthread_mutex_unlock(&dispatcher->mutex);
    return begins;
}

void dispatcher_pause(struct dispatcher *dispatcher)
{
    double seconds;

    pthread_mutex_lock(&dispatcher->mutex);
    seconds = pace_pause(&dispatcher->pace);
    pthread_mutex_unlock(&dispatcher->mutex);
    sessions_wait(&dispatcher->sessions, seconds);
}

bool dispatcher_is_lost(struct dispatcher *dispatcher)
{
    bool lost;

    pthread_mutex_lock(&dispatcher->mutex);
    lost = dispatcher->lost;
    pthread_mutex_unlock(&dispatcher->mutex);
    return lost;
}

const char *dispatcher_why_no_gpu(struct dispatcher *dispatcher)
{
    const char *why = NULL;

    pthread_mutex_lock(&dispatcher->mutex);
    if (!dispatcher->automatic)
        why = NULL;
    else if (dispatcher->no_gpu)
        why = dispatcher->no_gpu;
    else if (dispatcher->failed)
        why = "the GPU failed";
    else if (!dispatcher->sessions.begun)
        why = dispatcher->why_closed;
    else if (dispatcher->pace.sessions == 0)
        why = "the GPU was slower";
    else if (dispatcher->pace.gpu_pieces == 0)
        why = "the GPU was not open yet";
    pthread_mutex_unlock(&dispatcher->mutex);
    return why;
}

bool dispatcher_uses_gpu(struct dispatcher *dispatcher)
{
    bool begun;

    pthread_mutex_lock(&dispatcher->mutex);
    begun = dispatcher->sessions.begun;
    pthread_mutex_unlock(&dispatcher->mutex);
    return begun;
}

void dispatcher_name_gpu(struct dispatcher *dispatcher, char *text, size_t bytes)
{
    sessions_name(&dispatcher->sessions, text, bytes);
}

bool dispatcher_print_opening(FILE *stream, struct dispatcher *dispatcher)
{
    return sessions_print(stream, &dispatcher->sessions);
}

void dispatcher_print_failure(FILE *stream, struct dispatcher *dispatcher)
{
    pthread_mutex_lock(&dispatcher->mutex);
    if (dispatcher->failed)
        fprintf(stream, "  without the GPU: %s\n", dispatcher->failure.text);
    pthread_mutex_unlock(&dispatcher->mutex);
}
