/* SPDX-License-Identifier: MIT */
/* What came out, for the table, the JSON document and the plot. */
#ifndef SMOOTHIMG_RESULTS_H
#define SMOOTHIMG_RESULTS_H

#include "image.h"
#include "machine.h"
#include "measure.h"

#include <stdio.h>

#define MAX_ROWS 64

/* Rows that were measured together, under the same conditions. */
struct group {
    enum op op;
    const char *image; /* as the command line named it */
    struct shape shape;
    int64_t halo; /* 0 but for smooth */
    int threads;
    char checked[256];    /* against what, a sentence without its full stop */
    int64_t cached_bytes; /* of the image and its result, if a real GPU's cache holds both; or 0 */
    struct row rows[MAX_ROWS];
    int row_count;
};

struct results {
    struct machine machine;
    const char *against; /* the name of the row in which speeds are given */
    struct group *groups;
    int group_count;
};

/* The timed copy of that place, or NULL. */
const struct row *group_roof(const struct group *group, enum place place);

/* A row's share of the copy's rate at its place, 0..; 0: unknown. */
double row_share(const struct group *group, const struct row *row);

/* How many times as fast as the row named `against` it is; 0: unknown. */
double row_speed(const struct group *group, const struct row *row, const char *against);

/* Samples of a group's image, in all channels. */
int64_t group_samples(const struct group *group);

/* "CPU", "GPU". */
const char *place_word(enum place place);

/* "timed", "left out", "different", "failed": in documents. */
const char *outcome_word(enum outcome outcome);

/* table.c: the machine in two lines, for the table of any suite. */
void table_print_where(FILE *stream, const struct machine *machine);

/* table.c: instead of figures, from column `at`, why a row has none. */
void table_print_why(FILE *stream, const struct row *row, int at);

/* table.c: the lines before the first group, and a group, within 80 columns. */
void table_print_machine(FILE *stream, const struct machine *machine);
void table_print_group(FILE *stream, const struct group *group, const char *against);

/* json.c: the pairs "program" to "libraries" of a document, with the comma behind them. */
void json_print_about(FILE *stream, const struct machine *machine);

/* json.c: one document with everything. */
void json_print(FILE *stream, const struct results *results);

#endif
