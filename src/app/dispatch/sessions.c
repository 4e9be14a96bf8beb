/* SPDX-License-Identifier: MIT */
#include "src/app/dispatch/sessions.h"

#include "src/lib/base/clock.h"

#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* 0.19 to 0.4 s on servers with one to eight H200, whose driver is kept loaded; several seconds if
 * it is not. */
#define OPENING_SECONDS 0.3

static atomic_bool left_behind;

const char *sessions_no_gpu(void)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");

    if (gpu_is_emulated() && getenv("EMULATED_AUTO"))
        return NULL;
    return visible && *visible == '\0' ? "no GPU is visible" : gpu_absent();
}

double sessions_opening_seconds(void)
{
    const char *seconds = gpu_is_emulated() ? getenv("EMULATED_AUTO") : NULL;

    return seconds ? atof(seconds) : OPENING_SECONDS;
}

bool sessions_left_behind(void)
{
    return atomic_load(&left_behind);
}

void sessions_init(struct sessions *sessions, int device, bool any)
{
    pthread_condattr_t clock;

    *sessions = (struct sessions){.first = device, .any = any, .mutex = PTHREAD_MUTEX_INITIALIZER};
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC); /* that of clock_seconds */
    pthread_cond_init(&sessions->changed, &clock);
    pthread_condattr_destroy(&clock);
}

/* As SMOOTHIMG_GPU_COPY asks. */
static void choose_copies(struct gpu *gpu)
{
    const char *word = getenv("SMOOTHIMG_GPU_COPY");

    if (word && strcmp(word, "pageable") == 0)
        gpu_use_pageable_copies(gpu);
}

/* Opens the device whose turn it is or, if it cannot be opened, the first after it that can. */
static enum status open_device(const struct sessions *sessions, int turn, struct session *session,
                               struct error *error)
{
    int count = 1;
    enum status status = sessions->any ? gpu_count(&count, error) : STATUS_OK;

    for (int i = 0; i < count && (i == 0 ? status == STATUS_OK : status == STATUS_DEVICE); i++) {
        session->device = sessions->first + (sessions->any ? (turn + i) % count : 0);
        status = gpu_open(session->device, &session->gpu, error);
    }
    if (status == STATUS_OK)
        choose_copies(session->gpu);
    return status == STATUS_OK ? gpu_describe(session->device, &session->description, error)
                               : status;
}

/* Blocks all signals meanwhile. The threads that CUDA starts here inherit that, and so signals go
 * to the program's own threads only: those block them while they create a file, see
 * output/signal_guard.c. */
static enum status open_session(const struct sessions *sessions, int turn, struct session **session,
                                struct error *error)
{
    const double start = clock_seconds();
    struct session *made = calloc(1, sizeof *made);
    sigset_t all, before;
    enum status status;

    *session = made;
    if (!made)
        return fail(error, STATUS_DEVICE, "no memory for the description of a GPU");
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    status = open_device(sessions, turn, made, error);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    made->seconds = clock_seconds() - start;
    if (status != STATUS_OK) {
        gpu_close(made->gpu);
        free(made);
        *session = NULL;
    }
    return status;
}

static struct session **last_link(struct sessions *sessions)
{
    struct session **link = &sessions->all;

    while (*link)
        link = &(*link)->next;
    return link;
}

/* Opens one more session. Called with the mutex locked; unlocks it while opening. False on failure,
 * with sessions->error. */
static bool add_session(struct sessions *sessions, struct session **session)
{
    const int turn = sessions->tries++;
    struct error error;
    enum status status;

    pthread_mutex_unlock(&sessions->mutex);
    status = open_session(sessions, turn, session, &error);
    pthread_mutex_lock(&sessions->mutex);
    sessions->full = status != STATUS_OK;
    if (status == STATUS_OK) {
        *last_link(sessions) = *session;
        sessions->usable++;
    } else {
        sessions->error = error;
    }
    pthread_cond_broadcast(&sessions->changed);
    return status == STATUS_OK;
}

static void *open_first(void *argument)
{
    struct sessions *sessions = argument;
    struct session *session;

    pthread_mutex_lock(&sessions->mutex);
    add_session(sessions, &session);
    sessions->opening = false;
    pthread_mutex_unlock(&sessions->mutex);
    return NULL;
}

void sessions_begin(struct sessions *sessions)
{
    pthread_mutex_lock(&sessions->mutex);
    sessions->begun = sessions->opening =
        pthread_create(&sessions->thread, NULL, open_first, sessions) == 0;
    pthread_mutex_unlock(&sessions->mutex);
}

void sessions_wait(struct sessions *sessions, double seconds)
{
    const double end = clock_seconds() + seconds;
    const struct timespec until = {.tv_sec = (time_t)end, .tv_nsec = (long)(fmod(end, 1) * 1e9)};

    pthread_mutex_lock(&sessions->mutex);
    while (sessions->opening &&
           pthread_cond_timedwait(&sessions->changed, &sessions->mutex, &until) == 0)
        continue;
    pthread_mutex_unlock(&sessions->mutex);
}

static struct session *find_free(const struct sessions *sessions)
{
    struct session *session = sessions->all;

    while (session && session->lent)
        session = session->next;
    return session;
}

enum status sessions_take(struct sessions *sessions, bool wait, struct session **session,
                          struct error *error)
{
    const double start = clock_seconds();
    enum status status = STATUS_OK;

    pthread_mutex_lock(&sessions->mutex);
    while (!(*session = find_free(sessions))) {
        const bool others = sessions->opening || (sessions->full && sessions->usable > 0);

        if (others && wait) {
            pthread_cond_wait(&sessions->changed, &sessions->mutex);
        } else if (!others && sessions->full) {
            *error = sessions->error;
            status = error->status;
            break;
        } else if (others || add_session(sessions, session)) {
            break;
        }
    }
    if (*session && !(*session)->used)
        (*session)->waited = clock_seconds() - start;
    if (*session)
        (*session)->lent = (*session)->used = true;
    pthread_mutex_unlock(&sessions->mutex);
    return status;
}

void sessions_give(struct sessions *sessions, struct session *session)
{
    pthread_mutex_lock(&sessions->mutex);
    session->lent = false;
    pthread_cond_broadcast(&sessions->changed);
    pthread_mutex_unlock(&sessions->mutex);
}

void sessions_set_aside(struct sessions *sessions)
{
    pthread_mutex_lock(&sessions->mutex);
    sessions->usable--;
    sessions->full = false; /* another device may be there */
    pthread_cond_broadcast(&sessions->changed);
    pthread_mutex_unlock(&sessions->mutex);
}

static bool leave_opening(struct sessions *sessions)
{
    bool left;

    pthread_mutex_lock(&sessions->mutex);
    left = sessions->opening;
    pthread_mutex_unlock(&sessions->mutex);
    return left && pthread_detach(sessions->thread) == 0;
}

bool sessions_close(struct sessions *sessions, bool wait)
{
    if (sessions->begun && !wait && leave_opening(sessions)) {
        atomic_store(&left_behind, true);
        return false;
    }
    if (sessions->begun)
        pthread_join(sessions->thread, NULL);
    while (sessions->all) {
        struct session *session = sessions->all;

        sessions->all = session->next;
        gpu_close(session->gpu);
        free(session);
    }
    pthread_cond_destroy(&sessions->changed);
    pthread_mutex_destroy(&sessions->mutex);
    return true;
}
