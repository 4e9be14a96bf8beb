/* SPDX-License-Identifier: MIT */
/* Runs a CPU variant on images whose rows lie between pages without access, so that an access
 * beside a row is found in any build, without a sanitizer. */
#ifndef SMOOTHIMG_TEST_GUARDED_H
#define SMOOTHIMG_TEST_GUARDED_H

#include "kernels/variant.h"

/* Which side of a row, its border included, touches a page without access. */
enum guarded_side { GUARDED_BEFORE, GUARDED_BEHIND };

/* What the program prints, and exits with, at an access beside a row. */
struct guarded_fault {
    const char *text;
    int status;
};

/* Runs the variant on a read-only copy of job->src, into fresh memory. True if the result is the
 * same as *wanted. An access beside a row, or a write to the source, ends the program as *fault
 * says. */
bool guarded_run(const struct variant *variant, const struct job *job, const struct view *wanted,
                 enum guarded_side side, const struct guarded_fault *fault);

#endif
