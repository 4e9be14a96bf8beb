/* SPDX-License-Identifier: MIT */
/* Notes on a file that is done: that it was damaged, and each once in a run, for the first file
 * that it is about, where its result is not what a person may expect. */
#ifndef SMOOTHIMG_NOTES_H
#define SMOOTHIMG_NOTES_H

#include "src/app/batch/plan/plan.h"
#include "src/app/cli/options/options.h"
#include "src/app/stream/report.h"

/* Which of them have been printed. Starts as {0}. */
struct notes {
    bool emulated, not_carried, dark, profile, no_light, no_nan, spread_nan, channels;
};

/* After a file that is done. many: of a folder, where the notes say that they come once. */
void notes_print(struct notes *notes, const struct options *options, const struct task *task,
                 const struct report *report, bool many);

#endif
