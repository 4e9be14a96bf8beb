/* SPDX-License-Identifier: MIT */
/* Images whose colours alpha weighs, by the definition: the repair of the variants that estimate.
 * Alpha itself is smoothed like any channel. */
#ifndef SMOOTHIMG_SMOOTH_WEIGHTED_EXACT_H
#define SMOOTHIMG_SMOOTH_WEIGHTED_EXACT_H

#include "kernels/common/exact.h"
#include "kernels/variant.h"

/* As smooth_exact_span: samples first..first+n-1 of row y, which must be whole pixels: out[0..n-1].
 * columns is room for n + 2 halo * channels. */
void smooth_weighted_span(const struct job *job, int64_t y, int64_t first, int64_t n,
                          uint128 *columns, int32_t *out);

/* One sample, x in samples. */
uint32_t smooth_weighted_sample(const struct job *job, int64_t y, int64_t x);

#endif
