/* SPDX-License-Identifier: MIT */
/* Sums of terms, and roots of sums of their squares, in one double or two. */
#ifndef SMOOTHIMG_ARRAYS_COMBINE_H
#define SMOOTHIMG_ARRAYS_COMBINE_H

#include "kernels/smooth/arrays/loops.h"

/* total += term or its square, n numbers; first: total = it. */
void combine_add(const struct reals *total, const struct reals *term, bool first, bool squares,
                 int64_t n);

/* total = its root. Where squares may have lost bits to underflow, the magnitude becomes infinite:
 * nothing is sure. */
void combine_root(const struct reals *total, int64_t n);

#endif
