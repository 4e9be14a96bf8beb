/* SPDX-License-Identifier: MIT */
/* How files ended; and the lines of --json: one for each file, and one at the end. */
#ifndef SMOOTHIMG_RECORD_H
#define SMOOTHIMG_RECORD_H

#include "src/app/cli/options/options.h"
#include "src/app/stream/report.h"

/* The summary counts the first OUTCOMES of them. */
enum outcome {
    OUTCOME_DONE,
    OUTCOME_SKIPPED,
    OUTCOME_FAILED,
    OUTCOME_PLANNED,
    OUTCOMES,
    OUTCOME_OTHER = OUTCOMES, /* a file of a folder that is no supported image */
    OUTCOME_FOLDER            /* a subfolder that is not entered */
};

/* A file; owns nothing. */
struct record {
    const char *input, *output; /* output may be NULL */
    int64_t input_bytes;        /* of the input file; -1: not a regular file, or unknown */
    enum outcome outcome;
    enum status exit;            /* of the program, if this were the only file */
    const char *why;             /* failed: the error; not done: the reason; else NULL */
    const char *kind;            /* of what is not supported, such as "JPEG"; else NULL */
    const struct report *report; /* complete if done; may be NULL */
};

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

/* Writes the line of a file or, if record is NULL, of all of them, by a single write(2), so that
 * lines of several programs into one pipe do not mix, up to PIPE_BUF bytes. For one thread at a
 * time. */
enum status record_print(int fd, const struct options *options, const struct record *record,
                         const struct record_summary *summary, struct error *error);

/* The summary's line into text. Returns its length, less than room; 0 if that does not suffice. */
size_t record_summary_text(const struct record_summary *summary, char *text, size_t room);

#endif
