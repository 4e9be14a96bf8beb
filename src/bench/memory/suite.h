/* SPDX-License-Identifier: MIT */
/* The suite of memory experiments: the data that it keeps besides its rows, and its callbacks. */
#ifndef SMOOTHIMG_MEMORY_SUITE_H
#define SMOOTHIMG_MEMORY_SUITE_H

#include "kernels/memory/experiments.h"
#include "src/bench/core/suite.h"

/* The projection profiles of the image: the sum of each row and of each column. For --profiles.
 * results->own of this suite. */
struct profiles {
    int64_t *sums[2];  /* of rows, of columns; owned; NULL until an experiment has computed them */
    int64_t counts[2]; /* how many sums */
};

/* Copies the experiment's result, which is right, if it is a profile that *profiles lacks.
 * STATUS_INPUT without memory. */
enum status profiles_take(struct profiles *profiles, const struct experiment_job *job,
                          struct error *error);

/* Writes a file with tabs between the fields: a line of headings, then for each sum a line with
 * "row" or "column", its number from 0, and the sum. The file appears whole or not at all:
 * STATUS_OUTPUT. */
enum status profiles_write(const struct profiles *profiles, const char *path, struct error *error);

void profiles_free(struct profiles *profiles);

/* peaks.c: measures results->copy_rate: a copy by one thread of the CPU, unless --place gpu, and,
 * unless gpu is NULL, one on the GPU. Both copy more bytes than caches hold. STATUS_INPUT or
 * STATUS_DEVICE without memory. */
enum status peaks_measure_copies(const struct bench_options *options, struct gpu *gpu,
                                 struct results *results, struct error *error);

/* peaks.c: measures results->peak by the arithmetic rows of PEAK_GROUP. A peak whose row is wrong
 * stays 0. */
enum status peaks_measure(const struct bench_options *options, struct gpu *gpu,
                          struct results *results, struct error *error);

/* figures.c */
extern const struct figure memory_figures[];
void memory_print_head(FILE *stream, const struct results *results);
void memory_print_row_note(FILE *stream, const struct row *row);
void memory_print_end(FILE *stream, const struct results *results);
void memory_json_head(FILE *stream, const struct results *results);
void memory_json_group(FILE *stream, const struct group *group);
void memory_json_row(FILE *stream, const struct row *row);

#endif
