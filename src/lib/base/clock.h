/* SPDX-License-Identifier: MIT */
#ifndef SMOOTHIMG_CLOCK_H
#define SMOOTHIMG_CLOCK_H

/* Returns seconds since an arbitrary moment, for differences. */
double clock_seconds(void);

#endif
