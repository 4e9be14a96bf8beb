/* SPDX-License-Identifier: MIT */
/* How smooth_cpu computes colours that alpha weighs: separably, in floats or doubles, with a bound
 * on the error (weighted/bound.h), and exactly where that leaves a sample unresolved.
 *
 * Each row is widened to reals, its colours multiplied by their alpha, which is exact. The two
 * passes of the filter, through a ring of rows (cpu/ring.h), give N for the colours and A for alpha
 * (common/exact.h). The result is the rounded quotient.
 *
 * No term of these sums is negative, so the relative error of a sum is small even if the sum is: a
 * little alpha at the end of the window gives as exact a colour as much alpha does. A quotient that
 * is too near a half is computed again in integers. Halves do occur: midway between two isolated
 * pixels the mean of their colours may be one.
 *
 * 8-bit samples with small halos are computed in floats, which take half the time of doubles and
 * leave about one sample in a thousand unresolved. */
#ifndef SMOOTHIMG_SMOOTH_WEIGHTED_H
#define SMOOTHIMG_SMOOTH_WEIGHTED_H

#include "kernels/variant.h"

/* As in struct variant, for jobs that are weighted. */
size_t smooth_weighted_scratch_bytes(const struct job *job);
const char *smooth_weighted_run(const struct job *job);

#endif
