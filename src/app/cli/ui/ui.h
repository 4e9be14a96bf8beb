/* SPDX-License-Identifier: MIT */
/* What a run prints: messages, --verbose, --json, --dry-run, the summary. */
#ifndef SMOOTHIMG_UI_H
#define SMOOTHIMG_UI_H

#include "src/app/batch/batch.h"
#include "src/app/cli/options/options.h"
#include "src/text/string_list.h"

#include <stdio.h>

/* --- record.c: the lines of --json, one for each file, and one at the end. */

/* All of the files. */
struct record_summary {
    int64_t counts[OUTCOMES];
    int64_t others;      /* files of folders that are not supported images */
    int64_t folders;     /* that were not entered */
    int64_t left;        /* files that were not begun, or not finished */
    bool interrupted;    /* by a signal: there is no exit status */
    struct report total; /* of the files that are done, or would be: counts and bytes of files */
    double seconds;      /* of the whole run */
    enum status exit;    /* of the program */
};

/* Writes the line of a file or, if result is NULL, of all of them, by a single write(2), so that
 * lines of several programs into one pipe do not mix, up to PIPE_BUF bytes. For one thread at a
 * time. Of all of them the options do not matter. */
enum status record_print(const struct options *options, const struct task_result *result,
                         const struct record_summary *summary, struct error *error);

/* Writes the same of a file, but for people: for --verbose. */
void record_tell(FILE *stream, const struct options *options, const struct task_result *result);

/* --- notes.c */

/* Before the work begins: prints what may have been meant otherwise, unless --quiet is given. */
void notes_print_before(const struct options *options);

/* Notes that are printed once in a run, for the first file that they are about, where its result is
 * not what a person may expect; and those of options without effect. */
struct notes {
    bool many;                  /* of a folder, where the notes say that they come once */
    struct string_list printed; /* a word for each */
};

/* Prints the notes on a file that is done, and that it was damaged. */
void notes_print(struct notes *notes, const struct options *options, const struct task *task,
                 const struct report *report);

/* --- ui.c: all of it. */

struct ui {
    const struct options *options;
    const struct tasks *plan; /* from ui_begin on */
    double start;             /* clock_seconds */
    struct record_summary summary;
    enum status printing; /* of standard output; after a failure no further lines are printed */
    struct notes notes;
};

/* Prints "smoothimg: " and the text in a line on standard error, while no progress line is there.
 * Escapes control characters of the arguments. Truncates a long text. */
void message_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "smoothimg: ..." on standard error. */
void ui_print_error(const struct error *error);

/* Before the run. From here on ui_tell_interruption tells how far the run is: the plan must stay
 * until ui_end. */
void ui_begin(struct ui *ui, const struct tasks *plan);

/* Prints how a file ended. A batch_listener: context is the ui. */
void ui_listen(void *context, const struct task_result *result);

/* For signals_catch: ends the progress line, and prints how far the run is: for people, of a batch,
 * with how to go on, and as the last line of --json. The summary of the ui changes only while
 * signals are held. */
void ui_tell_interruption(void);

/* Ends the progress line. From here on a signal prints nothing. */
void ui_end(void);

/* Prints the end of a run with this status. Returns the exit status of the program. */
enum status ui_close(struct ui *ui, enum status status);

/* Flushes standard output; fails if the disk is full. */
enum status ui_close_stdout(void);

#endif
