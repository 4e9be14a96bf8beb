/* SPDX-License-Identifier: MIT */
/* The repair of means of floats: exact sums, by common/float_sum.h. */
#ifndef SMOOTHIMG_SMOOTH_FLOAT_EXACT_H
#define SMOOTHIMG_SMOOTH_FLOAT_EXACT_H

#include "kernels/common/float_sum.h"
#include "kernels/variant.h"

/* The exact sum down a column of the window, with the weights of wy. */
struct float_column {
    struct float_sum sum; /* of its finite samples */
    uint64_t there;       /* the sum of the weights of its samples that are no NaN */
};

/* The samples of a row that two roundings leave open. */
struct float_repair {
    const struct piece *piece;
    int64_t y, first;        /* of the first one, in samples */
    const float *low, *high; /* n of each: a sample is open where their bits differ */
    int64_t n;
    struct float_column *columns; /* room for n + 2 halo_x * channels */
};

/* Computes the open samples by the definition: out[0..n-1], which may be low; the others stay as
 * they are. No window of an open sample has an infinity. The cost is at most that of n + 2 halo_x *
 * channels columns and n sums along them, so that a row with every sample open is slower by a
 * factor, and not by the window's area. */
void smooth_float_repair(const struct float_repair *repair, uint32_t *out);

#endif
