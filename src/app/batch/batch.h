/* SPDX-License-Identifier: MIT */
/* Does the tasks of a plan: large images one after the other by all threads, then the others side
 * by side, with a share of the threads each. */
#ifndef SMOOTHIMG_BATCH_H
#define SMOOTHIMG_BATCH_H

#include "src/app/batch/batch_options.h"
#include "src/app/batch/plan/plan.h"
#include "src/app/batch/task_result.h"

/* weights: of pipeline_check. Makes the output folder and the folders within it. Goes on after a
 * file that fails, unless fail_fast, and after a device that fails, as long as there is another.
 * Returns STATUS_PARTIAL if a task of a batch failed, the status of a single pair, or, with *error,
 * why the run could not begin or go on. An unfinished task leaves no output. */
enum status batch_run(const struct batch_options *options, const uint64_t *weights,
                      struct plan *plan, batch_listener *listener, void *context,
                      struct batch_counts *counts, struct error *error);

#endif
