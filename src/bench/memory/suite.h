/* SPDX-License-Identifier: MIT */
/* The suite of memory experiments: what it keeps besides its rows, and what is printed of them. */
#ifndef SMOOTHIMG_MEMORY_SUITE_H
#define SMOOTHIMG_MEMORY_SUITE_H

#include "src/bench/core/suite.h"
#include "src/bench/memory/profiles.h"
#include "src/bench/memory/traces.h"

/* results->own */
struct memory_own {
    struct traces traces;
    struct profiles profiles; /* for --profiles */
};

/* peaks.c: what the rows are compared with. */

/* Measures a copy by one thread of the CPU, and, unless gpu is NULL, one on the device, both of
 * more bytes than caches have. STATUS_INPUT or STATUS_DEVICE without the memory for it. */
enum status peaks_measure_copies(const struct bench_options *options, struct gpu *gpu,
                                 struct results *results, struct error *error);

/* Measures the rows of PEAK_GROUP, once they were found right. A peak that is wrong stays unknown:
 * where the group was asked for, its rows say so. */
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
