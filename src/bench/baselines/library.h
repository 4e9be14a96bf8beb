/* SPDX-License-Identifier: MIT */
/* The library's functions as variants, for comparison: they follow the contract of
 * kernels/variant.h, too. */
#ifndef SMOOTHIMG_BENCH_LIBRARY_H
#define SMOOTHIMG_BENCH_LIBRARY_H

#include "kernels/variant.h"

/* The functions of smoothimg.h, on the host and on a device. Ends with a NULL. */
extern const struct variant *const library_rows[];

#endif
