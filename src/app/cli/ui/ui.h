/* SPDX-License-Identifier: MIT */
/* What a run prints: messages, --verbose, --json, --dry-run, the summary. Only main.c and ui.c
 * print. */
#ifndef SMOOTHIMG_UI_H
#define SMOOTHIMG_UI_H

#include "src/app/cli/ui/print_report.h"

struct ui {
    const struct options *options;
    const struct plan *plan; /* from ui_begin on */
    double start;            /* clock_seconds */
    struct record_summary summary;
    int64_t done_images, done_pixels; /* of the files that are done; its total has the failed too */
    enum status printing; /* of standard output; after a failure no further lines are printed */
    struct notes notes;
    bool told_opening;
};

void ui_open(struct ui *ui, const struct options *options);

/* "smoothimg: ..." on standard error. */
void ui_print_error(const struct error *error);

/* Before the run, or --dry-run: names what is not done, for --verbose and --json. From here on a
 * signal that output_guard_signals(interruption_tell) handles says how far the run is. */
void ui_begin(struct ui *ui, const struct plan *plan);

/* Prints how a file ended. A batch_listener: context is the ui. */
void ui_listen(void *context, const struct task_result *result);

/* Prints the plan of ui_begin: --dry-run. */
enum status ui_print_plan(struct ui *ui);

/* Prints the end of a run with this status. Returns the exit status of the program. */
enum status ui_close(struct ui *ui, enum status status);

/* Flushes standard output; fails if the disk is full. */
enum status ui_close_stdout(void);

#endif
