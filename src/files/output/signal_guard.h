/* SPDX-License-Identifier: MIT */
/* Temporary names that a signal must not leave behind: a table that the signal handler can read.
 * For output.c alone. */
#ifndef SMOOTHIMG_OUTPUT_GUARD_H
#define SMOOTHIMG_OUTPUT_GUARD_H

#include "parallel.h"

#include <signal.h>
#include <stdbool.h>

#define GUARD_SLOTS MAX_THREADS /* outputs that have a temporary name at the same time */

/* One output's place in the table. All zeros: it has none. */
struct guard {
    int number; /* of its slot, from 1 */
    sigset_t before;
};

/* From here to guard_leave no signal ends the program, so that a temporary name and what the table
 * says about it change together: this thread's signals are put off, and a handler in another
 * thread waits. So it must not take long. False with errno: EMFILE if every slot is taken. */
bool guard_enter(struct guard *guard);

/* From here on a signal removes `path`, of which the table keeps a copy; or, with NULL, nothing:
 * *guard is all zeros again. errno stays. */
void guard_leave(struct guard *guard, const char *path);

#endif
