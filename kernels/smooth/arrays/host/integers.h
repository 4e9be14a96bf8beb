/* SPDX-License-Identifier: MIT */
/* Passes that compute in integers, in two's complement. An integer has as many 64-bit words as a
 * result needs; partial sums may overflow, since they are computed modulo the integers' range. The
 * results are exact: they need no error bound, and no sample stays unresolved. Samples are
 * multiples of 2^unit, taps multiples of 2^-bits. The words of number x of a row begin at index
 * x * words, with the lowest word first. */
#ifndef SMOOTHIMG_ARRAYS_INTEGERS_H
#define SMOOTHIMG_ARRAYS_INTEGERS_H

#include "kernels/smooth/arrays/bounds.h"
#include "kernels/smooth/arrays/exact.h"

/* Stores a sample at `to`, in units of 2^unit, or 0 if it is infinite or NaN. */
void integer_set(const struct exact_number *number, int unit, int words, uint64_t *to);

/* Adds the product of the sum of all taps and the number at `from` to the number at `to`. A pass
 * adds this where all numbers that it reads are equal. */
void integer_add_sum(const struct axis_taps *taps, const uint64_t *from, int words, uint64_t *to);

/* Filters rows[0..2 halo] into n numbers at `out`. If `adds`, adds the results to the numbers at
 * `out`, otherwise replaces these. */
void integer_pass(const struct axis_taps *taps, const uint64_t *const *rows, bool adds, int64_t n,
                  int words, uint64_t *out);

#endif
