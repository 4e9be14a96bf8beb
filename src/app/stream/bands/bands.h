/* SPDX-License-Identifier: MIT */
/* The plan that plan.c makes for bands.c. */
#ifndef SMOOTHIMG_BANDS_H
#define SMOOTHIMG_BANDS_H

#include "src/app/stream/passage.h"

struct band_plan {
    const struct passage *passage;
    int threads;
    int64_t rows;          /* rows of a band, a multiple of the writer's block */
    struct shape from, to; /* shapes of the source and of the result of the highest band */
    bool keeps_all;        /* all rows must be in memory before the first one is computed */
    int64_t keep;  /* source rows kept for later bands, unless rows can be read in any order */
    int64_t bytes; /* host memory of the threads and the reader; INT64_MAX: overflow */
};

/* Plans the bands of an image. If the budget's limit is too low for the best plan, plans lower
 * bands or fewer threads. Even then plan.bytes may exceed the limit. */
struct band_plan bands_plan(const struct passage *passage);

#endif
