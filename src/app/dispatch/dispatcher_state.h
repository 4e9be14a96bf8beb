/* SPDX-License-Identifier: MIT */
/* The state of a dispatcher, for dispatcher.c, executor.c and chain.c. */
#ifndef SMOOTHIMG_DISPATCHER_STATE_H
#define SMOOTHIMG_DISPATCHER_STATE_H

#include "src/app/dispatch/dispatcher.h"
#include "src/app/dispatch/pace.h"
#include "src/app/dispatch/sessions.h"

struct dispatcher {
    const struct dispatch_options *options;
    bool automatic;                          /* --variant auto */
    const struct variant *variants[MAX_OPS]; /* named; under auto, the processor's */
    const char *no_gpu;                      /* under auto: why none is opened; NULL: one may be */
    struct sessions sessions;

    pthread_mutex_t mutex; /* over what follows */
    struct pace pace;
    const char *why_closed; /* under auto: why no GPU is open yet */
    int lent;               /* under auto: sessions lent now */
    bool failed;            /* under auto: the GPU has failed, and is not used again */
    struct error failure;   /* why, if failed */
    bool lost;              /* no device is left that the named variants need */
};

/* After a failure of the piece's session: can the piece be computed elsewhere? Sets the session
 * aside then; its memory stays, since the piece may be in it. */
bool executor_move_on(struct dispatcher *dispatcher, struct executor *executor, enum status status,
                      const struct error *failure);

#endif
