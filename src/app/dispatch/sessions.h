/* SPDX-License-Identifier: MIT */
/* The GPU sessions of a run, each lent to one thread at a time. A session is one opening of a
 * device; several on a device overlap their copies and kernels. */
#ifndef SMOOTHIMG_SESSIONS_H
#define SMOOTHIMG_SESSIONS_H

#include "src/lib/gpu/gpu.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

struct session {
    struct gpu *gpu;
    int device;
    struct gpu_device description;
    double seconds, waited; /* to open it; the part that its first thread waited */
    bool used, lent;
    struct session *next;
};

struct sessions {
    int first; /* device of the first session */
    bool any;  /* sessions go to all devices in turn, from `first` on; else all are on `first` */

    pthread_mutex_t mutex; /* over what follows */
    pthread_cond_t changed;
    pthread_t thread;    /* opens the first session */
    bool begun, opening; /* that thread was started; is at work */
    struct session *all; /* the oldest first */
    int tries;           /* attempts to open a session, failed ones included */
    int usable;          /* open, and not failed */
    bool full;           /* the last attempt failed: no more can be opened */
    struct error error;  /* of that attempt */
};

/* Why auto should not open a session, in a few words; NULL if it may. Does not start CUDA. The
 * emulated device counts only if EMULATED_AUTO is in the environment, which tests set. */
const char *sessions_no_gpu(void);

/* An estimate, in seconds, of opening the first session: the driver's start, which does not depend
 * on the GPU's speed. */
double sessions_opening_seconds(void);

void sessions_init(struct sessions *sessions, int device, bool any);

/* Begins to open the first session in the background: starting CUDA takes a quarter of a second.
 * *sessions must not move from here on. */
void sessions_begin(struct sessions *sessions);

/* Waits until the first session is open or has failed to open, but no longer than so many seconds.
 */
void sessions_wait(struct sessions *sessions, double seconds);

/* Lends a free session, or opens one. While the first one is being opened, and where no more can be
 * opened but others are lent: waits for one (wait), or sets *session to NULL (!wait). STATUS_DEVICE
 * if none can be opened and none is usable. */
enum status sessions_take(struct sessions *sessions, bool wait, struct session **session,
                          struct error *error);
void sessions_give(struct sessions *sessions, struct session *session);

/* In place of sessions_give, for a session that has failed: it stays lent, and its memory valid,
 * until sessions_close. */
void sessions_set_aside(struct sessions *sessions);

/* Closes all sessions. Without wait, a first session that is still being opened is left behind,
 * and *sessions with it, which must stay: see sessions_left_behind. True: all are closed. */
bool sessions_close(struct sessions *sessions, bool wait);

/* Is a session of this process still being opened, after its sessions_close? Then exit() is not
 * safe: it would take CUDA down while CUDA starts. */
bool sessions_left_behind(void);

/* "0: NVIDIA H200, 1: NVIDIA H200", of the devices that were used; "" if none was. */
void sessions_name(struct sessions *sessions, char *text, size_t bytes);

/* Prints a line for each of these devices: how long it took to open. False, and no line, if there
 * is none. */
bool sessions_print(FILE *stream, struct sessions *sessions);

#endif
