/* SPDX-License-Identifier: MIT */
/* How tasks ended. */
#ifndef SMOOTHIMG_TASK_RESULT_H
#define SMOOTHIMG_TASK_RESULT_H

#include "src/app/batch/plan/list.h"
#include "src/app/stream/pipeline.h"

struct batch_counts {
    int64_t done, failed;
    int64_t skipped; /* their outputs existed */
    int64_t left;    /* not begun, after --fail-fast or the loss of the last device */
};

struct task_result {
    struct task *task;
    bool skipped; /* the output existed */
    enum status status;
    struct dispatcher *dispatcher; /* NULL: the task was not begun */
    const struct report *report;   /* NO_REPORT if the task was not begun */
    const struct error *error;     /* valid unless status is STATUS_OK */
};

/* Called after each task; never by two threads at once. */
typedef void batch_listener(void *context, const struct task_result *result);

#endif
