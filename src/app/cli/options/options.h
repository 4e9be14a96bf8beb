/* SPDX-License-Identifier: MIT */
/* The options of smoothimg: their values, and their table. */
#ifndef SMOOTHIMG_OPTIONS_H
#define SMOOTHIMG_OPTIONS_H

#include "src/app/batch/batch.h"
#include "src/text/option_table.h"

#include <stdbool.h>

/* The bit that stands for an operation in a set of operations: BIT(SMOOTH) stands for
 * OPERATION_SMOOTH. */
#define BIT(OPERATION) (1u << OPERATION_##OPERATION)

enum action { ACTION_RUN, ACTION_LIST_VARIANTS, ACTION_LIST_DEVICES, ACTION_HELP, ACTION_VERSION };

/* The values of all options, complete and checked after cli_parse. The strings point into argv.
 * Options whose argument is a word, and actions like --help, have members of type int, not enum:
 * the parser (option_table.h) stores ints. */
struct options {
    /* The operations that --op names, as a set of the bits BIT(); without --op only smooth. */
    unsigned operations;
    int action;                 /* enum action */
    struct batch_options batch; /* for src/app/batch and src/app/stream */
    int64_t halos[3];           /* --halo of x, y, z */
    /* --sigma of x, y, z, if it is given. 0: that axis is not filtered. */
    double sigmas[3];
    /* How many axes have a number: 2 if the argument is "6", which is for x and y. 0: the option
     * was not given. */
    int halo_count, sigma_count;
    double truncate;        /* 0: not given */
    const char *sigma_text; /* the argument of --sigma; NULL: not given */
    int nan;                /* enum nan_rule, from --nan alone: --mask changes only filter.nan */
    int64_t max_metadata;   /* the limit for one file, in bytes */
    bool strip_metadata;
    bool no_progress, quiet, verbose, json;
    uint64_t given; /* bit i: the option in row i of the table was given */
};

/* option_table_parse fills a struct options by this table. */
extern const struct option_table option_table;

/* The words of --op, --edge, --norm, --alpha and --nan, in the order of their enums; each list ends
 * with a NULL. */
extern const char *const operation_words[];
extern const char *const edge_words[];
extern const char *const norm_words[];
extern const char *const alpha_words[];
extern const char *const nan_words[];

/* The values that cli_parse starts with, before it stores the given options. */
extern const struct options default_options;

/* Sets the axes of the filter from --halo, --sigma and --truncate. Sets stream.stack if --halo or
 * --sigma has a third number. Returns STATUS_USAGE if a sigma implies too large a halo. */
enum status axes_complete(struct options *options, struct error *error);

/* Returns true if the argument of --sigma looks like "2,5". This means 2 for x and 5 for y, but
 * the user may have meant two and a half, which many countries write with a comma. */
bool axes_look_like_one(const struct options *options);

#endif
