/* SPDX-License-Identifier: MIT */
/* Runs a CPU variant on images whose rows lie between pages without access, so that a read or a
 * write beside them shows, in any build. */
#ifndef SMOOTHIMG_TEST_GUARDED_H
#define SMOOTHIMG_TEST_GUARDED_H

#include "kernels/variant.h"

/* Which side of a row, its border included, touches the next page without access. */
enum guarded_side { GUARDED_BEFORE, GUARDED_BEHIND };

/* What is written to standard output before the program exits, and the exit status. */
struct guarded_fault {
    const char *text;
    int status;
};

/* Runs the variant on a copy of job->src that cannot be written, into fresh memory. Is the result
 * the same as *wanted? At an access beside the rows the program ends. */
bool guarded_run(const struct variant *variant, const struct job *job, const struct view *wanted,
                 enum guarded_side side, const struct guarded_fault *fault);

#endif
