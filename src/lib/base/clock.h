/* SPDX-License-Identifier: MIT */
#ifndef SMOOTHIMG_CLOCK_H
#define SMOOTHIMG_CLOCK_H

/* A clock for differences, in seconds. */
double clock_seconds(void);

#endif
