/* SPDX-License-Identifier: MIT */
#include "src/app/dispatch/sessions.h"

#include "src/lib/base/clock.h"

#include <stdlib.h>
#include <string.h>

void sessions_init(struct sessions *sessions, int device)
{
    *sessions = (struct sessions){
        .device = device, .mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
}

/* As SMOOTHIMG_GPU_COPY asks. */
static void choose_copies(struct gpu *gpu)
{
    const char *word = getenv("SMOOTHIMG_GPU_COPY");

    if (word && strcmp(word, "pageable") == 0)
        gpu_use_pageable_copies(gpu);
}

static enum status open_session(int device, struct session **session, struct error *error)
{
    const double start = clock_seconds();
    struct session *made = calloc(1, sizeof *made);
    enum status status;

    *session = made;
    if (!made)
        return fail(error, STATUS_DEVICE, "no memory for the description of a GPU");
    status = gpu_open(device, &made->gpu, error);
    if (status == STATUS_OK) {
        choose_copies(made->gpu);
        status = gpu_describe(device, &made->description, error);
    }
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
    struct error error;
    enum status status;

    pthread_mutex_unlock(&sessions->mutex);
    status = open_session(sessions->device, session, &error);
    pthread_mutex_lock(&sessions->mutex);
    sessions->full = status != STATUS_OK;
    if (status == STATUS_OK)
        *last_link(sessions) = *session;
    else
        sessions->error = error;
    pthread_cond_broadcast(&sessions->changed);
    return status == STATUS_OK;
}

static struct session *find_free(const struct sessions *sessions)
{
    struct session *session = sessions->all;

    while (session && session->lent)
        session = session->next;
    return session;
}

enum status sessions_take(struct sessions *sessions, struct session **session, struct error *error)
{
    enum status status = STATUS_OK;

    pthread_mutex_lock(&sessions->mutex);
    while (!(*session = find_free(sessions))) {
        if (sessions->full && sessions->all) {
            pthread_cond_wait(&sessions->changed, &sessions->mutex);
        } else if (sessions->full) {
            *error = sessions->error;
            status = error->status;
            break;
        } else if (add_session(sessions, session)) {
            break;
        }
    }
    if (*session)
        (*session)->lent = true;
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

void sessions_close(struct sessions *sessions)
{
    while (sessions->all) {
        struct session *session = sessions->all;

        sessions->all = session->next;
        gpu_close(session->gpu);
        free(session);
    }
    pthread_cond_destroy(&sessions->changed);
    pthread_mutex_destroy(&sessions->mutex);
}
