/* SPDX-License-Identifier: MIT */
/* What a run says, to the person and to programs: messages, --verbose, --json, --dry-run, the
 * summary. Only main.c and console.c print. */
#ifndef SMOOTHIMG_CONSOLE_H
#define SMOOTHIMG_CONSOLE_H

#include "batch.h"
#include "record.h"

/* What is kept from one file to the next. */
struct console {
    const struct options *options;
    double start; /* clock_seconds */
    struct report total;
    struct record_summary summary;
    enum status printing; /* on standard output: after a failure there are no further lines */
    bool told_emulated, told_opening;
};

void console_open(struct console *console, const struct options *options);

/* "smoothimg: ..." on standard error. */
void console_print_error(const struct error *error);

/* Prints what is to be said of a file that has ended. A batch_listener: context is the console. */
void console_listen(void *context, const struct ending *ending);

/* Prints the plan, in place of doing it. STATUS_OUTPUT if standard output is full. */
enum status console_print_plan(struct console *console, const struct plan *plan);

/* Prints the end of a run that ended with this status, *counts being what became of the plan.
 * Returns the run's exit status. */
enum status console_close(struct console *console, const struct plan *plan,
                          const struct batch_counts *counts, enum status status);

/* Ends standard output: a full disk is a failure there too. */
enum status console_close_stdout(void);

#endif
