/* SPDX-License-Identifier: MIT */
/* Prints messages, --verbose, --json, --dry-run and the summary. */
#ifndef SMOOTHIMG_UI_H
#define SMOOTHIMG_UI_H

#include "src/app/batch/batch.h"
#include "src/app/cli/options/options.h"
#include "src/text/string_list.h"

#include <stdio.h>

/* --- record.c: the lines of --json, one for each file and a last one for the run. */

/* All of the files. */
struct record_summary {
    int64_t counts[OUTCOMES];
    int64_t others;      /* files in folders that are not supported images */
    int64_t folders;     /* that were not entered */
    int64_t left;        /* files that were not begun, or not finished */
    bool interrupted;    /* by a signal: there is no exit status */
    struct report total; /* totals of the files that are done, or, with --dry-run, would be */
    double seconds;      /* of the whole run */
    enum status exit;    /* of the program */
};

/* Writes the line for a file or, if result is NULL, for the whole run. A single write(2) does it,
 * so that lines of several programs in one pipe do not mix, up to PIPE_BUF bytes. Only one thread
 * may call it at a time. For the whole run the options are not used. */
enum status record_print(const struct options *options, const struct task_result *result,
                         const struct record_summary *summary, struct error *error);

/* Writes a file's record as text for people, for --verbose. */
void record_tell(FILE *stream, const struct options *options, const struct task_result *result);

/* --- notes.c */

/* Prints, before the work begins, notes on options that may have been meant otherwise, unless
 * --quiet is given. */
void notes_print_before(const struct options *options);

/* Notes that are printed once in a run, for the first file that they apply to: where its result may
 * surprise, and on options without effect. */
struct notes {
    bool many;                  /* true for a folder: the notes then say that they appear once */
    struct string_list printed; /* a word for each */
};

/* Prints the notes on a finished file, and the damage that was found in it. */
void notes_print(struct notes *notes, const struct options *options, const struct task *task,
                 const struct report *report);

/* --- ui.c: all of it. */

struct ui {
    const struct options *options;
    const struct tasks *plan; /* from ui_begin on */
    double start;             /* clock_seconds */
    struct record_summary summary;
    /* Status of writes to standard output; after a failure no lines are printed. */
    enum status printing;
    struct notes notes;
};

/* Prints a line, "smoothimg: " and the text, on standard error, and removes the progress line
 * meanwhile. Escapes control characters in the arguments. Truncates a long text. */
void message_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "smoothimg: ..." on standard error. */
void ui_print_error(const struct error *error);

/* Starts the ui, before the run. From here on ui_tell_interruption reports how far the run is, so
 * the plan must exist until ui_end. */
void ui_begin(struct ui *ui, const struct tasks *plan);

/* Prints how a file ended. A batch_listener: context is the ui. */
void ui_listen(void *context, const struct task_result *result);

/* For signals_catch: ends the progress line and prints how far the run is, as text if it is a
 * batch, with a way to continue, and as the last line of --json. The ui's summary changes only
 * while signals are blocked. */
void ui_tell_interruption(void);

/* Ends the progress line. From here on a signal prints nothing. */
void ui_end(void);

/* Prints the end of a run that had this status. Returns the program's exit status. */
enum status ui_close(struct ui *ui, enum status status);

/* Flushes standard output; fails if the disk is full. */
enum status ui_close_stdout(void);

#endif
