/* SPDX-License-Identifier: MIT */
/* The GPU sessions of a run, each lent to one thread at a time. A session is one opening of a
 * device; several on a device overlap their copies and kernels. */
#ifndef SMOOTHIMG_SESSIONS_H
#define SMOOTHIMG_SESSIONS_H

#include "src/lib/gpu/gpu.h"

#include <pthread.h>
#include <stdbool.h>

struct session {
    struct gpu *gpu;
    int device;
    struct gpu_device description;
    double seconds; /* to open it */
    bool lent;
    struct session *next;
};

struct sessions {
    int first; /* device of the first session */
    bool any;  /* sessions go to all devices in turn, from `first` on; else all are on `first` */

    pthread_mutex_t mutex; /* over what follows */
    pthread_cond_t changed;
    struct session *all; /* the oldest first */
    int tries;           /* attempts to open a session, failed ones included */
    int usable;          /* open, and not failed */
    bool full;           /* the last attempt failed: no more can be opened */
    struct error error;  /* of that attempt */
};

/* *sessions must not move from here on. */
void sessions_init(struct sessions *sessions, int device, bool any);

/* Lends a free session, or opens one; waits where no more can be opened but others are lent.
 * STATUS_DEVICE, and *session is NULL, if none can be opened and none is usable. */
enum status sessions_take(struct sessions *sessions, struct session **session, struct error *error);
void sessions_give(struct sessions *sessions, struct session *session);

/* In place of sessions_give, for a session that has failed: it stays lent, and its memory valid,
 * until sessions_close. */
void sessions_set_aside(struct sessions *sessions);

/* Closes all sessions. */
void sessions_close(struct sessions *sessions);

#endif
