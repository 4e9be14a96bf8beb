/* SPDX-License-Identifier: MIT */
/* A suite says what its rows are and which figures they have; the table, the document and the run
 * are the same for all. */
#ifndef SMOOTHIMG_BENCH_SUITE_H
#define SMOOTHIMG_BENCH_SUITE_H

#include "src/bench/options/options.h"
#include "src/bench/core/results.h"
#include "src/bench/core/cells.h"

/* A figure of a timed row: a column of the table, a key of the document, or both. */
struct figure {
    const char *heading; /* NULL: no column */
    bool names_against;  /* results->against belongs to the heading */
    int width;           /* with the space before it */
    struct cell (*cell)(double value);
    const char *key; /* NULL: not in the document */
    /* Below 0: not known. */
    double (*value)(const struct results *results, const struct group *group,
                    const struct row *row);
};

/* Called when a group is complete. */
typedef void group_done(void *context, const struct group *group);

struct bench_suite {
    const char *legend;           /* a line of the table's head: what the columns mean */
    int name_width;               /* of the column with the rows' names */
    const struct figure *figures; /* ends with one whose value is NULL */

    /* Prints the rows that this program has. */
    void (*print_list)(FILE *stream);

    /* Are the names known that the options give, and can what they ask for run here? STATUS_USAGE
     * or STATUS_DEVICE. */
    enum status (*check)(const struct bench_options *options, const struct machine *machine,
                         struct error *error);

    /* Measures what the options ask for, a group at a time. results->machine is there already. gpu
     * is NULL where there is none. A row that is wrong, or fails, stays in its group and the rest
     * goes on. */
    enum status (*measure)(const struct bench_options *options, struct gpu *gpu,
                           struct results *results, group_done *done, void *context,
                           struct error *error);

    /* What the table says besides its columns; each may be NULL: below the machine, below a timed
     * row, below a group, after the last group. */
    void (*print_head)(FILE *stream, const struct results *results);
    void (*print_row_note)(FILE *stream, const struct row *row);
    void (*print_group_note)(FILE *stream, const struct group *group);
    void (*print_end)(FILE *stream, const struct results *results);

    /* Pairs of the JSON document besides the figures: of the document and of a group, with commas
     * between them; of a row, each after a comma. */
    void (*json_head)(FILE *stream, const struct results *results);
    void (*json_group)(FILE *stream, const struct group *group);
    void (*json_row)(FILE *stream, const struct row *row);

    /* Writes the other files that the options ask for; may be NULL. */
    enum status (*write_files)(const struct bench_options *options, const struct results *results,
                               struct error *error);

    /* Frees results->own; may be NULL. */
    void (*free_own)(struct results *results);
};

/* variants/suite.c, memory/suite.c. */
extern const struct bench_suite variants_suite, memory_suite;

/* table.c: the table within 80 columns: its head, a group, its end. */
void table_print_head(FILE *stream, const struct bench_suite *suite, const struct results *results);
void table_print_group(FILE *stream, const struct bench_suite *suite, const struct results *results,
                       const struct group *group);

/* json.c: one document with everything. */
void json_print(FILE *stream, const struct bench_suite *suite, const struct results *results);

#endif
