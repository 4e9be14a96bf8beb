/* SPDX-License-Identifier: MIT */
/* What a run says when a signal ends it. A signal handler can only write, so the texts are made
 * after each file. */
#ifndef SMOOTHIMG_INTERRUPTION_H
#define SMOOTHIMG_INTERRUPTION_H

#include "src/app/cli/ui/record.h"

/* From here on a signal prints how far the run is: in a batch for people, on standard error, and
 * with --json the summary line. Called again after each file; never by two threads at once. */
void interruption_update(const struct options *options, const struct plan *plan,
                         const struct record_summary *summary);

/* From here on it prints nothing. */
void interruption_close(void);

/* For a signal handler: ends the progress line, and prints the texts. */
void interruption_tell(void);

#endif
