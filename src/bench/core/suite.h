/* SPDX-License-Identifier: MIT */
/* A suite defines what is measured: variants, or memory experiments. Each variant or experiment is
 * a row of the table. Measuring and printing are the same for all suites. */
#ifndef SMOOTHIMG_BENCH_SUITE_H
#define SMOOTHIMG_BENCH_SUITE_H

#include "src/bench/options/options.h"
#include "src/bench/core/results.h"
#include "src/bench/core/cells.h"

/* A figure is a number about a timed row. Each figure has a key in the JSON document, and some also
 * have a column in the table. */
struct figure {
    const char *heading; /* NULL: no column */
    int width;           /* width of the column, with the space before it */
    struct cell (*cell)(double value);
    const char *key;
    /* Returns a negative number if the figure is unknown. */
    double (*value)(const struct results *results, const struct group *group,
                    const struct row *row);
};

extern const struct figure figures[]; /* ends with a figure whose function `value` is NULL */

struct bench_suite {
    const char *word; /* the suite's name, as the argument of --suite */
    /* The prefix that makes an argument of --experiment from a group's name: "image-" makes
     * "image-smooth" from "smooth". On the emulated device the table prints the options --sectors
     * --experiment NAME, which count the memory accesses of the group's kernels. */
    const char *counted;

    /* For --list: prints the variants or experiments that the suite can measure. */
    void (*print_list)(FILE *stream);

    /* Checks that the variants or experiments which the options name exist (STATUS_USAGE) and can
     * run on this machine (STATUS_DEVICE). */
    enum status (*check)(const struct bench_options *options, const struct machine *machine,
                         struct error *error);

    /* Measures what the options select, and calls results_end_group after each group.
     * results->suite, machine and done are already set. `gpu` is NULL if there is no GPU, or for
     * --place cpu. If a result is wrong or a run fails, the row says so, and the measurement
     * continues. */
    enum status (*measure)(const struct bench_options *options, struct gpu *gpu,
                           struct results *results, struct error *error);
};

/* These suites are defined in variants/suite.c and memory/suite.c. */
extern const struct bench_suite variants_suite, memory_suite;

/* These functions print the parts of the table. They are in table.c. */
void table_print_head(FILE *stream, const struct results *results);
void table_print_group(FILE *stream, const struct results *results, const struct group *group);
void table_print_end(FILE *stream, const struct results *results);

/* In json.c. Prints all results as one document. */
void json_print(FILE *stream, const struct results *results);

#endif
