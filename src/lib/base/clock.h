/* SPDX-License-Identifier: MIT */
#ifndef SMOOTHIMG_CLOCK_H
#define SMOOTHIMG_CLOCK_H

/* Returns the time in seconds since an arbitrary moment. Only differences of two results have a
 * meaning. */
double clock_seconds(void);

#endif
