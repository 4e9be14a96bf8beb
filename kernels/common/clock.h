/* SPDX-License-Identifier: MIT */
#ifndef SMOOTHIMG_CLOCK_H
#define SMOOTHIMG_CLOCK_H

#include <time.h>

/* Returns the time in seconds since an arbitrary moment. Only differences of two results have a
 * meaning. */
static inline double clock_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Adds the seconds since *mark, a result of clock_seconds(), to *sum, and sets *mark to the present
 * time. */
static inline void clock_add_since(double *mark, double *sum)
{
    const double now = clock_seconds();

    *sum += now - *mark;
    *mark = now;
}

#endif
