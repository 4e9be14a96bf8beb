/* SPDX-License-Identifier: MIT */
/* Prints what was done: for --verbose, --timings and --json, and at the end of a batch. */
#ifndef SMOOTHIMG_PRINT_REPORT_H
#define SMOOTHIMG_PRINT_REPORT_H

#include "src/app/batch/batch.h"
#include "src/app/cli/options/options.h"
#include "src/app/stream/report.h"

#include <stdio.h>

/* The checksum as printed: "xxh3:" and 16 digits. */
struct checksum_text {
    char text[24];
};
struct checksum_text report_checksum(const struct report *report);

/* The table of --timings: seconds and speed of each stage (MB/s: 10^6 bytes of samples per second;
 * a sample that is read and written counts once). elapsed: seconds of the whole run, fewer than the
 * sum of the stages if files were done side by side. */
void report_print_timings(FILE *stream, const struct options *options, const struct report *report,
                          double elapsed);

/* Lines of --verbose: the input, and each operation with its variant. */
void report_print_input(FILE *stream, const char *input, const struct report *report);
void report_print_ops(FILE *stream, const struct options *options, const struct report *report);

/* The last line of a batch: how many files were done, skipped, failed and so on. */
void report_print_summary(const struct options *options, const struct plan *plan,
                          const struct batch_counts *counts);

/* The curve that samples are decoded by: "sRGB", or "a gamma of 0.45455". */
struct curve_text {
    char text[32];
};
struct curve_text curve_text(const struct image_curve *curve);

#endif
