/* SPDX-License-Identifier: MIT */
#ifndef SMOOTHIMG_CLOCK_H
#define SMOOTHIMG_CLOCK_H

/* Returns the time in seconds since an arbitrary moment. Only differences of two results have a
 * meaning. */
double clock_seconds(void);

/* Adds the time since *mark, a value of clock_seconds, to *sum, and sets *mark to now. */
void clock_add_since(double *mark, double *sum);

#endif
