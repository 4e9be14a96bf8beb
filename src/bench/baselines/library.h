/* SPDX-License-Identifier: MIT */
/* The library's functions, made into variants (kernels/variant.h) for comparison. */
#ifndef SMOOTHIMG_BENCH_LIBRARY_H
#define SMOOTHIMG_BENCH_LIBRARY_H

#include "kernels/variant.h"

/* The variants that call the library, then a NULL. */
extern const struct variant *const library_rows[];

#endif
