/* SPDX-License-Identifier: MIT */
/* The suite of memory experiments: the data that it keeps besides its rows, and its callbacks. */
#ifndef SMOOTHIMG_MEMORY_SUITE_H
#define SMOOTHIMG_MEMORY_SUITE_H

#include "src/bench/core/suite.h"
#include "src/bench/memory/profiles.h"
#include "src/bench/memory/traces.h"

/* results->own of this suite. */
struct memory_own {
    struct traces traces;
    struct profiles profiles; /* for --profiles */
};

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
void memory_print_checked(FILE *stream, const struct group *group);
void memory_print_row_note(FILE *stream, const struct row *row);
void memory_print_end(FILE *stream, const struct results *results);
void memory_json_head(FILE *stream, const struct results *results);
void memory_json_group(FILE *stream, const struct group *group);
void memory_json_row(FILE *stream, const struct row *row);

#endif
