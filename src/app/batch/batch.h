/* SPDX-License-Identifier: MIT */
/* A plan worked off: a few large images one after the other by all threads, many side by side by a
 * thread each. */
#ifndef SMOOTHIMG_BATCH_H
#define SMOOTHIMG_BATCH_H

#include "pipeline.h"
#include "plan.h"

struct batch_counts {
    int64_t done, failed;
    int64_t skipped; /* their outputs were there already */
    int64_t left;    /* not begun, after --fail-fast or the loss of the last device */
};

/* How a task ended. */
struct ending {
    struct task *task;
    bool skipped; /* there was nothing to do; then there is no pipeline and no report */
    enum status status;
    const struct pipeline *pipeline; /* NULL: the task was not begun */
    const struct report *report;
    const struct error *error; /* where status is not STATUS_OK */
};

/* Told of every task that has ended; never by two threads at once. */
typedef void batch_listener(void *context, const struct ending *ending);

/* weights: of pipeline_check. Works off the plan, by up to options->threads tasks at once. Makes
 * the output folder, and the folders within it that are needed. A bad file does not end the run,
 * unless --fail-fast says so; nor does a device that fails, as long as there is another. Returns
 * STATUS_PARTIAL if a task of a batch failed, the status of a single pair, and anything else if the
 * run could not begin or go on, with *error. Tasks that were not done have no output. */
enum status batch_run(const struct options *options, const uint64_t *weights, struct plan *plan,
                      batch_listener *listener, void *context, struct batch_counts *counts,
                      struct error *error);

#endif
