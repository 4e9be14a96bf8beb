/* SPDX-License-Identifier: MIT */
/* Windows of single samples, which the estimates of rows leave open. */
#ifndef SMOOTHIMG_ARRAYS_WINDOW_H
#define SMOOTHIMG_ARRAYS_WINDOW_H

#include "kernels/smooth/arrays/bounds.h"
#include "kernels/smooth/arrays/combine.h"

/* What single windows are summed by, in two doubles. */
struct array_window {
    const struct array_job *job;
    const struct array_loops *loops;
    const struct taps *taps[ARRAY_FILTERED]; /* of a term: of its axes */
    struct reals row, sum;                   /* array_window_length() numbers each */
};

int64_t array_window_length(const struct array_job *job);

/* An estimate of the result at this place; its rest is that of the rounded sum. */
struct real array_estimate(const struct array_window *window, const int64_t *place);

#endif
