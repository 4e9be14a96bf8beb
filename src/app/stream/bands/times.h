/* SPDX-License-Identifier: MIT */
/* The time of each stage where reading, computing and writing of one image overlap. */
#ifndef SMOOTHIMG_BANDS_TIMES_H
#define SMOOTHIMG_BANDS_TIMES_H

#include "src/app/dispatch/dispatcher.h"

/* Seconds: of one thread, or the mean of all threads, whose stages sum up to the time that has
 * passed. Reading and writing include waiting for another thread that does so. */
struct bands_times {
    double read, halo, write;
    struct op_times {
        double compute;
        struct gpu_times gpu;          /* a part of compute */
        const struct variant *variant; /* that computed it; NULL: none yet */
    } ops[MAX_OPS];                    /* what is not of a single operation counts as the first */
};

/* Adds the time since *mark (of clock_seconds) to the stage, and sets *mark to now. */
void lap(double *mark, double *stage);

/* Adds scale x the seconds; bytes as they are. */
void bands_times_add(struct bands_times *sum, const struct bands_times *times, double scale);

#endif
