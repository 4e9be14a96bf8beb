/* SPDX-License-Identifier: MIT */
/* What came out of the memory suite, for its table, its JSON document and its plot. */
#ifndef SMOOTHIMG_LAB_RESULTS_H
#define SMOOTHIMG_LAB_RESULTS_H

#include "lab_traces.h"
#include "machine.h"
#include "measure.h"
#include "profiles.h"

#include <stdio.h>

#define LAB_MAX_ROWS 40 /* of a group */

/* A row of a group: an experiment at a size. row.bytes are its useful bytes. */
struct lab_row {
    struct row row;
    const char *shows; /* a sentence: what to see here */
    double flops;      /* of one run; 0: it is not about arithmetic */
    double asked;      /* bytes that all threads together load and store: caches apart */
    bool doubles;      /* they are of double precision */
    bool exact;        /* the result must be the same, bit by bit */
    double worst;      /* else: the largest share of its bound that an element's error took, 0..1 */
    const struct traced_row *traced; /* what it asks of memory, in the results; NULL: not known */
};

/* The experiments of one name at one size: a ladder whose first row is its foot. The name is that
 * of its experiments, not owned. */
struct lab_group {
    const char *name;
    char size[96]; /* in words */
    struct lab_row rows[LAB_MAX_ROWS];
    int row_count;
};

/* By which the rows are judged, measured in the same run; 0 where it is not known. */
struct lab_roofs {
    double copy[2]; /* bytes a second, read and written, by enum place */
    double peak[2]; /* of the GPU: operations a second, in single and double precision */
};

struct lab_results {
    struct machine machine;
    struct lab_roofs roofs;
    struct lab_group *groups;
    int group_count;
    struct lab_traces traces;
    struct profiles profiles; /* for --profiles */
};

/* Frees what the results own. */
void lab_results_free(struct lab_results *results);

/* The share of the copy's rate at the row's place, 0..; 0: unknown. */
double lab_share(const struct lab_results *results, const struct lab_row *row);

/* How many times as fast it is as the group's first timed row of its place that has as many useful
 * bytes, and arithmetic or none, as it has; 0: unknown. */
double lab_gain(const struct lab_group *group, const struct lab_row *row);

/* Operations a second; operations for a useful byte, and for a byte that threads ask for; 0 where
 * there are none. */
double lab_flop_rate(const struct lab_row *row);
double lab_intensity(const struct lab_row *row);
double lab_asked_intensity(const struct lab_row *row);

/* lab_table.c: the lines before the first group, a group, and the lines behind the last, within 80
 * columns. */
void lab_table_print_machine(FILE *stream, const struct lab_results *results);
void lab_table_print_group(FILE *stream, const struct lab_results *results,
                           const struct lab_group *group);
void lab_table_print_peaks(FILE *stream, const struct lab_results *results);

/* lab_json.c: one document with everything. */
void lab_json_print(FILE *stream, const struct lab_results *results);

#endif
