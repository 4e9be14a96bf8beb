/* SPDX-License-Identifier: MIT */
/* The temporary files that a signal must remove, in a table that the signal handler can read. */
#ifndef SMOOTHIMG_SIGNAL_GUARD_H
#define SMOOTHIMG_SIGNAL_GUARD_H

#include "kernels/common/parallel.h"

#include <signal.h>
#include <stdbool.h>

#define GUARD_SLOTS MAX_THREADS /* outputs with a temporary name at the same time */

/* One output's slot in the table. All zeros: none. */
struct signal_guard {
    int number; /* of the slot, from 1 */
    sigset_t before;
};

/* From here to signal_guard_leave no signal ends the program, so that a temporary name and its
 * table entry change together: this thread blocks the signals, and a handler in another thread
 * waits. Keep it short. False with errno: EMFILE if every slot is taken. */
bool signal_guard_enter(struct signal_guard *guard);

/* From here on a signal removes `path`, which the table copies. NULL: removes nothing, and frees
 * the slot. Keeps errno. */
void signal_guard_leave(struct signal_guard *guard, const char *path);

#endif
