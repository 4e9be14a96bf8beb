/* SPDX-License-Identifier: MIT */
#include "gpu_opening.h"

#include "clock.h"

#include <signal.h>

/* The device, or, where any will do, the first from there on that can be opened: one that has
 * failed cannot. */
static enum status open_device(struct gpu_opening *opening)
{
    const int first = opening->device;
    int count = 1;
    enum status status = STATUS_OK;

    if (opening->any)
        status = gpu_count(&count, &opening->error);
    for (int i = 0; i < count && (i == 0 || status == STATUS_DEVICE); i++) {
        opening->device = opening->any ? (first + i) % count : first;
        status = gpu_open(opening->device, &opening->gpu, &opening->error);
    }
    return status;
}

static void *open_now(void *argument)
{
    struct gpu_opening *opening = argument;

    opening->status = open_device(opening);
    if (opening->status == STATUS_OK)
        opening->status = gpu_describe(opening->device, &opening->about, &opening->error);
    opening->seconds = clock_seconds() - opening->start;
    atomic_store(&opening->done, true);
    return NULL;
}

/* The thread that opens, and those that CUDA starts from it, leave all signals to the others:
 * output_guard.c counts on it that who creates a file can put them off. */
static void put_off_signals(sigset_t *before)
{
    sigset_t all;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

static bool start_thread(struct gpu_opening *opening)
{
    sigset_t before;
    bool started;

    put_off_signals(&before);
    started = pthread_create(&opening->thread, NULL, open_now, opening) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static void begin(struct gpu_opening *opening, int device, bool any)
{
    opening->device = device;
    opening->any = any;
    opening->start = clock_seconds();
    opening->begun = true;
}

void gpu_opening_begin(struct gpu_opening *opening, int device, bool any)
{
    begin(opening, device, any);
    if (!start_thread(opening)) /* costs time only */
        gpu_opening_do(opening, device, any);
}

void gpu_opening_do(struct gpu_opening *opening, int device, bool any)
{
    sigset_t before;

    begin(opening, device, any);
    put_off_signals(&before);
    open_now(opening);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    opening->joined = true;
    opening->waited = opening->seconds;
}

bool gpu_opening_done(const struct gpu_opening *opening)
{
    return atomic_load(&opening->done);
}

enum status gpu_opening_wait(struct gpu_opening *opening, struct error *error)
{
    const double start = clock_seconds();

    if (!opening->joined) {
        pthread_join(opening->thread, NULL);
        opening->joined = true;
        opening->waited += clock_seconds() - start;
    }
    if (opening->status != STATUS_OK)
        *error = opening->error;
    return opening->status;
}

void gpu_opening_end(struct gpu_opening *opening)
{
    struct error unused;

    if (!opening->begun)
        return;
    gpu_opening_wait(opening, &unused);
    gpu_close(opening->gpu);
    opening->gpu = NULL;
}
