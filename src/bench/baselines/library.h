/* SPDX-License-Identifier: MIT */
/* The library's functions as variants, to compare with: kernels/variant.h is their contract too. */
#ifndef SMOOTHIMG_BENCH_LIBRARY_H
#define SMOOTHIMG_BENCH_LIBRARY_H

#include "kernels/variant.h"

/* smoothimg.h, on the host and on a device. Ends with a NULL. */
extern const struct variant *const library_rows[];

#endif
