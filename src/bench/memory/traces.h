/* SPDX-License-Identifier: MIT */
/* What the rows of the memory suite ask of memory, counted before they are timed. */
#ifndef SMOOTHIMG_TRACES_H
#define SMOOTHIMG_TRACES_H

#include "kernels/memory/experiments.h"
#include "src/bench/transactions/transactions.h"

struct traces {
    struct traced_rows rows;
    char why[512]; /* nothing was counted; or "" */
};

/* Counts the GPU's rows that the options ask for, at a size that takes a moment. That there is
 * nothing to count with is no failure: then nothing was counted. STATUS_INPUT without memory. */
enum status traces_make(const struct bench_options *options, struct traces *traces,
                        struct error *error);

/* The counts of an experiment, in *traces; NULL if there are none. */
const struct traced_row *traces_find(const struct traces *traces,
                                     const struct experiment *experiment);

#endif
