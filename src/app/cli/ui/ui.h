/* SPDX-License-Identifier: MIT */
/* Prints messages, the lines of --verbose, --json and --dry-run, and the summary. */
#ifndef SMOOTHIMG_UI_H
#define SMOOTHIMG_UI_H

#include "src/app/batch/batch.h"
#include "src/app/cli/options/options.h"
#include "src/text/string_list.h"

#include <stdio.h>

/* --- record.c: the lines of --json, one for each file and a last one for the run. */

/* The contents of the last line of --json. */
struct record_summary {
    int64_t counts[OUTCOMES];
    int64_t others;      /* files skipped in folders, such as backups and unsupported ones */
    int64_t folders;     /* subfolders that were not entered */
    int64_t left;        /* files that were not begun, or not finished */
    bool interrupted;    /* a signal ends the run: there is no exit status */
    struct report total; /* totals of the files that are done or, with --dry-run, to be done */
    double seconds;      /* elapsed time of the whole run */
    enum status exit;    /* the status with which the program ends */
};

/* Writes the line for a file to standard output. If result is NULL, writes the line for the whole
 * run; options may then be NULL too. Makes a single write(2), unless that write is short, so that
 * lines of up to PIPE_BUF bytes, from several threads or from several programs in one pipe, do not
 * mix. */
enum status record_print(const struct options *options, const struct task_result *result,
                         const struct record_summary *summary, struct error *error);

/* Writes a file's record as readable text, for --verbose. */
void record_tell(FILE *stream, const struct options *options, const struct task_result *result);

/* --- notes.c: sentences on results that may surprise the user. */

/* Unless --quiet is given, prints notes before the work begins: on a --sigma that the user may have
 * meant otherwise, or that smooths nothing; and on input that comes from the terminal. */
void notes_print_before(const struct options *options);

/* The notes on results that may surprise, and on options without effect. A note is printed once in
 * a run, for the first file that it applies to. */
struct notes {
    bool many;                  /* true for a batch: each note then says that it appears once */
    struct string_list printed; /* a word for each printed note */
};

/* Prints the notes on a finished file, and the damage that was found in it. */
void notes_print(struct notes *notes, const struct options *options, const struct task *task,
                 const struct report *report);

/* --- ui.c: the messages of a run. */

struct ui {
    const struct options *options;
    const struct tasks *plan; /* set by ui_begin */
    double start;             /* when the run began, by clock_seconds() */
    struct record_summary summary;
    /* The status of the writes of --json; after a failed write no more lines are printed. */
    enum status printing;
    struct notes notes;
};

/* Prints "smoothimg: " and the text as a line on standard error; removes the progress line
 * meanwhile. Escapes control characters in the arguments. Truncates a long text. */
void message_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints the error like message_print, with advice for STATUS_DEVICE and for a wrong command
 * line. */
void ui_print_error(const struct error *error);

/* Call it before the run. From then on the progress is shown, if the options and the terminal allow
 * it. If a signal ends the program, it first prints how far the run is: for a batch, unless --quiet
 * is given, as text, with a way to continue; for --json as the last line. The plan must exist until
 * ui_close. */
void ui_begin(struct ui *ui, const struct tasks *plan);

/* Prints how a file ended. It is a batch_listener, whose context is the ui. */
void ui_listen(void *context, const struct task_result *result);

/* Ends the progress line, and prints the last lines of a run. A signal that ends the program later
 * prints nothing. `status` and *error are those of batch_run. Returns the status with which the
 * program ends. */
enum status ui_close(struct ui *ui, enum status status, const struct error *error);

/* Flushes standard output. If that fails (full disk), prints the error, and returns
 * STATUS_OUTPUT. */
enum status ui_close_stdout(void);

#endif
