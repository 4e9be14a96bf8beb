/* SPDX-License-Identifier: MIT */
/* How smooth_cpu computes colours that alpha weighs: separably, in floats or doubles, with a bound
 * on the error (weighted/bound.h), and exactly where that leaves a sample unresolved.
 *
 * Each row is taken apart into planes of reals, one for each channel, and colours are multiplied by
 * their alpha, which is exact. The two passes of the filter, through a ring of rows (cpu/ring.h),
 * give N for the colours and A for alpha (common/exact.h). The result is the rounded quotient. In
 * planes, a vector of A serves as many pixels as it has lanes: one division for each pixel, and
 * none of alpha's values is moved to its colours' places. A pixel of 2 or 4 channels is a lane too,
 * an integer whose bits are shifted to and from the planes.
 *
 * No term of these sums is negative, so the relative error of a sum is small even if the sum is: a
 * little alpha at the end of the window gives as exact a colour as much alpha does. A quotient that
 * is too near a half is computed again in integers. Halves do occur: midway between two isolated
 * pixels the mean of their colours may be one.
 *
 * 8-bit samples with small halos are computed in floats, which take half the time of doubles and
 * leave about one sample in a thousand unresolved.
 *
 * Where alpha is the same all over the windows of two rows, in a segment of the ring, it makes no
 * difference (weighted/even.h). Another arithmetic, with a ring of its own, takes these rows, or
 * they are copied. */
#ifndef SMOOTHIMG_SMOOTH_WEIGHTED_H
#define SMOOTHIMG_SMOOTH_WEIGHTED_H

#include "kernels/variant.h"

/* As in struct engine, for requests that are weighted. The piece's state is a smooth_u8_weights,
 * which is read if smooth_u8_serves() the request. */
size_t smooth_weighted_scratch_bytes(const struct request *request);
const char *smooth_weighted_run(const struct piece *piece);

#endif
