/* SPDX-License-Identifier: MIT */
/* The lines of --json: one for each file, and one at the end. */
#ifndef SMOOTHIMG_RECORD_H
#define SMOOTHIMG_RECORD_H

#include "src/app/batch/batch.h"
#include "src/app/cli/options/options.h"

/* All of the files. */
struct record_summary {
    int64_t counts[OUTCOMES];
    int64_t others;      /* files of folders that are not supported images */
    int64_t folders;     /* that were not entered */
    int64_t left;        /* files that were not begun, or not finished */
    bool interrupted;    /* by a signal: there is no exit status */
    struct report total; /* report_add of all files */
    double seconds;      /* of the whole run */
    enum status exit;    /* of the program */
};

/* The checksum as printed: "xxh3:" and 16 digits. */
struct checksum_text {
    char text[24];
};
struct checksum_text report_checksum(const struct report *report);

/* Writes the line of a file or, if result is NULL, of all of them, by a single write(2), so that
 * lines of several programs into one pipe do not mix, up to PIPE_BUF bytes. For one thread at a
 * time. */
enum status record_print(int fd, const struct options *options, const struct task_result *result,
                         const struct record_summary *summary, struct error *error);

/* The summary's line into text. Returns its length, less than room; 0 if that does not suffice. */
size_t record_summary_text(const struct record_summary *summary, char *text, size_t room);

#endif
