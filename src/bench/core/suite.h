/* SPDX-License-Identifier: MIT */
/* A suite defines its rows and their figures. The run, the table and the JSON document are the same
 * for all suites. */
#ifndef SMOOTHIMG_BENCH_SUITE_H
#define SMOOTHIMG_BENCH_SUITE_H

#include "src/bench/options/options.h"
#include "src/bench/core/results.h"
#include "src/bench/core/cells.h"

/* A figure of a timed row: a column of the table, a key of the JSON document, or both. */
struct figure {
    const char *heading; /* NULL: no column */
    bool names_against;  /* the heading ends with results->against */
    int width;           /* of the column, with the space before it */
    struct cell (*cell)(double value);
    const char *key; /* NULL: not in the document */
    /* Negative if it is not known. */
    double (*value)(const struct results *results, const struct group *group,
                    const struct row *row);
};

struct bench_suite {
    const char *legend;           /* a line of the table's head: what the columns mean */
    int name_width;               /* of the column with the rows' names */
    const char *counted;          /* before a group's name, in --experiment of --sectors */
    const struct figure *figures; /* ends with one whose value is NULL */

    /* Prints the rows that this program has, for --list. */
    void (*print_list)(FILE *stream);

    /* Checks that the rows which the options name exist (STATUS_USAGE) and can run on this machine
     * (STATUS_DEVICE). */
    enum status (*check)(const struct bench_options *options, const struct machine *machine,
                         struct error *error);

    /* Measures what the options ask for, and calls results_end_group after each group.
     * results->suite, machine and done are set already. gpu is NULL if there is none, or for
     * --place cpu. A row that is wrong or fails stays in its group, and the measurement continues.
     */
    enum status (*measure)(const struct bench_options *options, struct gpu *gpu,
                           struct results *results, struct error *error);

    /* What the table has besides its columns; each may be NULL. */
    void (*print_head)(FILE *stream, const struct results *results);   /* below the machine */
    void (*print_row_note)(FILE *stream, const struct row *row);       /* below a timed row */
    void (*print_group_note)(FILE *stream, const struct group *group); /* below a group */
    void (*print_end)(FILE *stream, const struct results *results);    /* after the last group */

    /* JSON pairs besides the figures: of the document and of a group, with commas between the
     * pairs; of a row, with a comma before each pair. */
    void (*json_head)(FILE *stream, const struct results *results);
    void (*json_group)(FILE *stream, const struct group *group);
    void (*json_row)(FILE *stream, const struct row *row); /* NULL: nothing more */

    /* Writes the other files that the options ask for; may be NULL. */
    enum status (*write_files)(const struct bench_options *options, const struct results *results,
                               struct error *error);

    /* Frees results->own; may be NULL. */
    void (*free_own)(struct results *results);
};

/* variants/suite.c, memory/suite.c. */
extern const struct bench_suite variants_suite, memory_suite;

/* table.c: the table within 80 columns: its head, then each group. */
void table_print_head(FILE *stream, const struct results *results);
void table_print_group(FILE *stream, const struct results *results, const struct group *group);

/* json.c: all results as one document. */
void json_print(FILE *stream, const struct results *results);

#endif
