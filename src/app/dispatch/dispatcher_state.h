/* SPDX-License-Identifier: MIT */
/* The state of a dispatcher, for dispatcher.c, chain.c and sessions_text.c. */
#ifndef SMOOTHIMG_DISPATCHER_STATE_H
#define SMOOTHIMG_DISPATCHER_STATE_H

#include "src/app/dispatch/dispatcher.h"
#include "src/app/dispatch/sessions.h"

#include <stdatomic.h>

struct dispatcher {
    const struct dispatch_options *options;
    const struct variant *variants[MAX_OPS];
    struct sessions sessions;
    atomic_bool lost; /* no device is left that the variants need */
};

/* After a failure of the piece's session: can the piece be computed elsewhere? Sets the session
 * aside then; its memory stays, since the piece may be in it. */
bool executor_move_on(struct dispatcher *dispatcher, struct executor *executor, enum status status);

#endif
