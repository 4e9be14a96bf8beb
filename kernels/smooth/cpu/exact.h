/* SPDX-License-Identifier: MIT */
/* The repair of the estimating variants. */
#ifndef SMOOTHIMG_SMOOTH_EXACT_H
#define SMOOTHIMG_SMOOTH_EXACT_H

#include "kernels/variant.h"

/* Computes samples first..first+n-1 (samples, not pixels) of row y by the definition, separably in
 * integers: out[0..n-1]. columns is room for n + 2 halo_x * channels. The cost is 2 halo_x +
 * 2 halo_y + 2 wide multiplications a sample however many of them are unresolved, so that an image
 * with every sample near a half (a chequer) is slower by a factor, and not by the window's area. */
void smooth_exact_span(const struct piece *piece, int64_t y, int64_t first, int64_t n,
                       uint64_t *columns, int32_t *out);

/* One sample, x in samples, by the definition. */
uint32_t smooth_exact_sample(const struct piece *piece, int64_t y, int64_t x);

#endif
