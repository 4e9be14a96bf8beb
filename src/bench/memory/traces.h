/* SPDX-License-Identifier: MIT */
/* What the memory suite's rows ask of memory, counted on the emulated device before the
 * rows are timed. */
#ifndef SMOOTHIMG_TRACES_H
#define SMOOTHIMG_TRACES_H

#include "kernels/memory/experiments.h"
#include "src/bench/transactions/transactions.h"

struct gpu;

struct traces {
    struct traced_rows rows;
    char why[512]; /* why nothing was counted, a sentence; or "" */
};

/* Counts the wanted GPU rows at a small size. If smoothimg-tracer is missing or fails, sets
 * traces->why and returns STATUS_OK. STATUS_INPUT without memory. The caller frees
 * traces->rows.list. */
enum status traces_make(const struct bench_options *options, const struct gpu *gpu,
                        struct traces *traces, struct error *error);

/* The counts of an experiment, owned by *traces; NULL if it was not counted. */
const struct traced_row *traces_find(const struct traces *traces,
                                     const struct experiment *experiment);

#endif
