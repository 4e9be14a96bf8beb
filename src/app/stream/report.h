/* SPDX-License-Identifier: MIT */
/* What was done with a file: for --verbose, --timings and the summary of a folder. */
#ifndef SMOOTHIMG_REPORT_H
#define SMOOTHIMG_REPORT_H

#include "bands.h"
#include "image.h"
#include "options.h"

#include <stdio.h>

/* Seconds spent in a stage, and the bytes of samples that went through it. */
struct stage {
    double seconds;
    int64_t bytes;
};

/* Where the time of a GPU's operation went, by the GPU's clock. */
struct gpu_stages {
    struct stage upload, kernel, download;
};

struct report {
    int64_t images, pixels;
    struct shape shape; /* of the first image */
    struct stage read, halo, ops[MAX_OPS], write;
    struct gpu_stages gpu[MAX_OPS]; /* all zero for a CPU's operation */
    enum format format;             /* of the output */

    const struct variant *variants[MAX_OPS]; /* that the last image was done by */
    char device[160];                        /* "0: NVIDIA H200": the GPU among them; or "" */
    double seconds;                          /* from the file's opening to its end */
    int64_t input_bytes, output_bytes;       /* of the files; -1: no regular file */
    struct metadata_notes faults, damaged, left_out; /* of the input, as in struct metadata */
    uint64_t checksum;                               /* of the result's samples, if asked for */
};

/* Adds the time since `start` (of clock_seconds) and the bytes to the stage. */
void report_stage(struct stage *stage, double start, size_t bytes);

/* Adds the times of an image of so many bytes that took the only operation in bands.
 * Its header is counted as read already. */
void report_overlapped(struct report *report, const struct bands_times *times, size_t bytes);

/* The checksum as it is printed: "xxh3:" and 16 digits. */
struct checksum_text {
    char text[24];
};
struct checksum_text report_checksum(const struct report *report);

/* Adds the counts, bytes and times of one file to those of many. */
void report_add(struct report *sum, const struct report *file);

/* The table of --timings: a stage a line, seconds and MB/s (10^6 bytes of samples a second; a
 * stage's bytes are read once and written once, and count once). elapsed: the seconds of the whole
 * run, which are fewer than the stages' sum where files are done side by side. */
void report_print_timings(FILE *stream, const struct options *options, const struct report *report,
                          double elapsed);

/* Lines of --verbose: what came in, and what was done with which variant. */
void report_print_input(FILE *stream, const char *input, const struct report *report);
void report_print_ops(FILE *stream, const struct options *options,
                      const struct variant *const *variants);

#endif
