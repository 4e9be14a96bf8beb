/* SPDX-License-Identifier: MIT */
/* The definition of the filter for float samples (common/float_sum.h), as plain loops. */
#ifndef SMOOTHIMG_SMOOTH_FLOATS_REFERENCE_H
#define SMOOTHIMG_SMOOTH_FLOATS_REFERENCE_H

#include "kernels/variant.h"

/* Returns the bits of one sample of the result: the direct two-dimensional sum over its window,
 * exact, and rounded once. With skip_nan, the sum is divided by the sum of the weights of the
 * samples that are not NaN; if there are none, the result is a NaN. Samples with weight 0 do not
 * count, whatever their value. */
uint32_t reference_float(const struct piece *piece, int64_t y, int64_t x, int32_t channel);

#endif
