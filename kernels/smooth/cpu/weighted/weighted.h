/* SPDX-License-Identifier: MIT */
/* How smooth_cpu treats colours that alpha weighs: separably, in floats or doubles, proved right or
 * computed again.
 *
 * A row's samples are widened, and its colours multiplied by their alpha, which is exact. The two
 * passes of the filter, through a ring of rows (cpu/ring.h), then give the definition's
 * N for the colours, and A for alpha, in grey levels; their quotient is the result, rounded.
 *
 * Nothing in these sums is negative, so their relative errors are small however small they are: a
 * trace of alpha at the end of the window makes as good a colour as any. A quotient that is too
 * near to a half is computed again in integers. Halves do occur: half way between two isolated
 * pixels the mean of their colours is exactly one.
 *
 * 8-bit samples and small halos are done in floats, which take half the time; there about one
 * sample in a thousand stays unresolved. */
#ifndef SMOOTHIMG_SMOOTH_WEIGHTED_H
#define SMOOTHIMG_SMOOTH_WEIGHTED_H

#include "kernels/variant.h"

/* Scratch for all threads; and run(), which takes weighted jobs alone. */
size_t smooth_weighted_scratch_bytes(const struct job *job);
const char *smooth_weighted_run(const struct job *job);

#endif
