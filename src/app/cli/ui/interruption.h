/* SPDX-License-Identifier: MIT */
/* What a run says when a signal ends it. */
#ifndef SMOOTHIMG_INTERRUPTION_H
#define SMOOTHIMG_INTERRUPTION_H

#include "src/app/batch/plan/plan.h"
#include "src/app/cli/ui/record.h"
#include "src/files/output/output.h"

/* From here on a signal prints, in a batch for people, how far the run is and how to go on. The
 * plan must stay until interruption_close, or until interruption_drop_list if that is later. */
void interruption_open(const struct options *options, const struct plan *plan);

/* From here on a signal writes the unfinished inputs to the file of this open output, the
 * --failed-list. */
enum status interruption_take_list(const struct output *output, struct error *error);

/* From here on a signal also writes this summary, the last line of --json. Called again after each
 * file, since the handler cannot make it; never by two threads at once. */
void interruption_update(const struct record_summary *summary);

/* From here on a signal prints nothing. */
void interruption_close(void);

/* From here on it writes no list. */
void interruption_drop_list(void);

/* For a signal handler: ends the progress line, writes the list, and prints. */
void interruption_tell(void);

#endif
