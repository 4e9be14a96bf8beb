/* SPDX-License-Identifier: MIT */
/* Processes the files of a run by its plan: each task is one input file and its output. A file is
 * large if it is the only one, or has more than 1/threads of the bytes of all files. The large
 * files come first, one after the other, each with all threads. Then the other files are done in
 * parallel, and the threads are divided among these files. */
#ifndef SMOOTHIMG_BATCH_H
#define SMOOTHIMG_BATCH_H

#include "src/app/batch/plan/plan.h"
#include "src/app/stream/file.h"

struct batch_options {
    struct plan_options plan;
    struct stream_options stream; /* how each file is read, computed and written */
    /* The file of the mask, an image whose zeros mark pixels to leave out of all images; or
     * NULL. */
    const char *mask;
    /* Bytes that the images in progress may take together; 0: three quarters of what the machine,
     * or the process's control group, allows. */
    int64_t max_memory;
};

struct task_result {
    struct task *task;
    enum outcome outcome;
    enum status status;          /* the status with which a run of this file alone would end */
    const struct error *error;   /* why the task failed, else NULL */
    const struct report *report; /* NO_REPORT if the task was not begun */
};

/* batch_run calls its listener for each task that is done, skipped, failed or, in a dry run, only
 * planned, but never from two threads at once. If a batch loses the GPU, the tasks that are not
 * finished because of this are not reported. */
typedef void batch_listener(void *context, const struct task_result *result);

/* Does all tasks of the plan. `computer` must have been opened with options->stream.work. Reads the
 * mask. Makes the output folder and the folders within it. After a file that fails, goes on with
 * the next one, unless fail_fast is set. Returns STATUS_PARTIAL if a task of a batch failed, and
 * for a single file the status of its task. If something other than a task fails and stops the run,
 * returns the status of that failure, and *error says why. An unfinished task leaves its output
 * file as it was. */
enum status batch_run(const struct batch_options *options, struct computer *computer,
                      struct tasks *plan, batch_listener *listener, void *context,
                      struct error *error);

#endif
