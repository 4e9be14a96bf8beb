/* SPDX-License-Identifier: MIT */
/* What the rows of the memory suite ask of memory, counted before they are timed. */
#ifndef SMOOTHIMG_LAB_TRACES_H
#define SMOOTHIMG_LAB_TRACES_H

#include "lab.h"
#include "transactions.h"

struct lab_traces {
    struct traced_row *rows; /* owned */
    int count;
    char why[512]; /* nothing was counted; or "" */
};

/* Counts the GPU's rows that the options ask for, at a size that takes a moment. That there is
 * nothing to count with is no failure: then nothing was counted. STATUS_INPUT without memory. */
enum status lab_traces_make(const struct bench_options *options, struct lab_traces *traces,
                            struct error *error);

/* The counts of an experiment, in *traces; NULL if there are none. */
const struct traced_row *lab_traces_find(const struct lab_traces *traces,
                                         const struct experiment *experiment);

void lab_traces_free(struct lab_traces *traces);

#endif
