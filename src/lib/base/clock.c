/* SPDX-License-Identifier: MIT */
#include "src/lib/base/clock.h"

#include <time.h>

double clock_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void clock_add_since(double *mark, double *sum)
{
    const double now = clock_seconds();

    *sum += now - *mark;
    *mark = now;
}
