/* SPDX-License-Identifier: MIT */
/* Prints what was done, for people: --verbose, --timings, notes, and the end of a batch. */
#ifndef SMOOTHIMG_PRINT_REPORT_H
#define SMOOTHIMG_PRINT_REPORT_H

#include "src/app/batch/batch.h"
#include "src/app/cli/ui/record.h"

#include <stdio.h>

/* Lines of --verbose of a file that is done: the input, each operation with its variant, and the
 * output. */
void report_print_work(FILE *stream, const struct options *options,
                       const struct task_result *result);

/* The table of --timings: seconds and speed of each stage (MB/s: 10^6 bytes of samples per second;
 * a sample that is read and written counts once). elapsed: seconds of the whole run, fewer than the
 * sum of the stages if files were done side by side. */
void report_print_timings(FILE *stream, const struct options *options, const struct report *report,
                          double elapsed);

/* The last line of a batch: how many files were done, skipped, failed and so on. */
void report_print_summary(const struct options *options, const struct plan *plan,
                          const struct record_summary *summary);

/* Notes on a file that is done: that it was damaged, and each once in a run, for the first file
 * that it is about, where its result is not what a person may expect. Which of them have been
 * printed; starts as {0}. */
struct notes {
    bool emulated, not_carried, dark, profile, no_light, no_nan, spread_nan, channels;
};

/* many: of a folder, where the notes say that they come once. */
void notes_print(struct notes *notes, const struct options *options, const struct task *task,
                 const struct report *report, bool many);

#endif
