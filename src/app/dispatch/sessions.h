/* SPDX-License-Identifier: MIT */
/* The GPU sessions of a run, each lent to one thread at a time. A session is one opening of the
 * device; several overlap their copies and kernels. */
#ifndef SMOOTHIMG_SESSIONS_H
#define SMOOTHIMG_SESSIONS_H

#include "src/lib/gpu/gpu.h"

#include <pthread.h>
#include <stdbool.h>

struct session {
    struct gpu *gpu;
    struct gpu_device description;
    double seconds; /* to open it */
    bool lent;
    struct session *next;
};

struct sessions {
    int device;

    pthread_mutex_t mutex; /* over what follows */
    pthread_cond_t changed;
    struct session *all; /* the oldest first */
    bool full;           /* the last attempt to open one failed: no more can be opened */
    struct error error;  /* of that attempt */
};

/* *sessions must not move from here on. */
void sessions_init(struct sessions *sessions, int device);

/* Lends a free session, or opens one; waits where no more can be opened but others are lent.
 * STATUS_DEVICE, and *session is NULL, if there is none. */
enum status sessions_take(struct sessions *sessions, struct session **session, struct error *error);
void sessions_give(struct sessions *sessions, struct session *session);

/* Closes all sessions. */
void sessions_close(struct sessions *sessions);

#endif
