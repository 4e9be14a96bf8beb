/* SPDX-License-Identifier: MIT */
/* The lines of --json: one for each file, and one at the end. */
#ifndef SMOOTHIMG_RECORD_H
#define SMOOTHIMG_RECORD_H

#include "report.h"

/* What has become of a file. */
enum outcome { OUTCOME_DONE, OUTCOME_SKIPPED, OUTCOME_FAILED, OUTCOME_PLANNED };

/* A file. Points to everything, owns nothing. */
struct record {
    const char *input, *output; /* output NULL: it has none */
    int64_t input_bytes;        /* size of the input's file; -1: no regular file, or not known */
    enum outcome outcome;
    enum status exit;            /* what the program would end with, if this were the only file */
    const char *why;             /* failed: the error; skipped: the reason; else NULL */
    const struct report *report; /* as far as it is filled; done: all of it; NULL: nothing */
};

/* All of the files. */
struct record_summary {
    int64_t done, skipped, failed, planned;
    int64_t others;             /* files of a folder that are no images */
    const struct report *total; /* report_add of all files */
    double seconds;             /* of the whole run */
    enum status exit;           /* of the program */
};

/* Writes the line to the file descriptor by a single write(2): lines of several programs into one
 * pipe do not mix, up to PIPE_BUF bytes. For one thread at a time. STATUS_OUTPUT if not all of it
 * could be written. */
enum status record_print(int fd, const struct options *options, const struct record *record,
                         struct error *error);
enum status record_print_summary(int fd, const struct record_summary *summary, struct error *error);

#endif
