/* SPDX-License-Identifier: MIT */
/* The suite of memory experiments: its copies, peaks and profiles. */
#ifndef SMOOTHIMG_MEMORY_SUITE_H
#define SMOOTHIMG_MEMORY_SUITE_H

#include "kernels/memory/experiments.h"
#include "src/bench/core/suite.h"
#include "src/files/output/output.h"

/* The projection profiles of the image, the sum of each row and of each column, on their way to the
 * file of --profiles. */
struct profiles {
    int64_t *sums[2];  /* of rows, of columns; owned; NULL until an experiment has computed them */
    int64_t counts[2]; /* how many sums */
    struct output output;
};

/* path: of the file; NULL: there is none, and nothing is kept. STATUS_OUTPUT. */
enum status profiles_open(struct profiles *profiles, const char *path, struct error *error);

/* Copies the experiment's result, which is right, if it is a profile that *profiles lacks.
 * STATUS_INPUT without memory. */
enum status profiles_take(struct profiles *profiles, const struct experiment_job *job,
                          struct error *error);

/* If the status is STATUS_OK, writes the file, whole or not at all: a line of headings, then for
 * each sum a line with "row" or "column", its number from 0, and the sum, with tabs between.
 * STATUS_OUTPUT; else the status. */
enum status profiles_close(struct profiles *profiles, enum status status, struct error *error);

/* peaks.c: measures results->copy_rate: a copy by one thread of the CPU, unless --place gpu, and,
 * unless gpu is NULL, one on the GPU. Both copy more bytes than caches hold. STATUS_INPUT or
 * STATUS_DEVICE without memory. */
enum status peaks_measure_copies(const struct bench_options *options, struct gpu *gpu,
                                 struct results *results, struct error *error);

/* peaks.c: measures results->peak by the arithmetic rows of PEAK_GROUP. A peak whose row is wrong
 * stays 0. */
enum status peaks_measure(const struct bench_options *options, struct gpu *gpu,
                          struct results *results, struct error *error);

#endif
