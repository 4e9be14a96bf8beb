/* SPDX-License-Identifier: MIT */
/* Gaussian filters of arrays of any number of axes and any type of samples (sample_type.h): the
 * contract.
 *
 * Along each filtered axis a a term has taps w_a(k), k = -halo..halo, integers in units of 2^-bits.
 * With n filtered axes,
 *
 *     V_t(x) = sum over the window of w_1(k1) ... w_n(kn) in(x + k) / 2^(bits n)
 *     out(x) = V_1 + V_2 + ..., or the root of V_1^2 + V_2^2 + ..., rounded once
 *
 * Integers: floor(V + 1/2), clamped to the type's range. Floats: the nearest number, ties to even,
 * gradual underflow included; an exact zero is +0. Samples whose weight is 0 do not count. A window
 * with a NaN, or with infinities of both signs of their products, gives a NaN; one infinity gives
 * itself. In integers a NaN becomes 0.
 *
 * Outside the array a sample is the one that the edge rules of the term's axes name, or `outside`.
 */
#ifndef SMOOTHIMG_ARRAYS_H
#define SMOOTHIMG_ARRAYS_H

#include "kernels/common/sample_type.h"
#include "kernels/common/edge.h"
#include "kernels/common/u128.h"
#include "kernels/variant.h"

#define ARRAY_AXES 64     /* of an array, at most */
#define ARRAY_FILTERED 32 /* of these, at most so many are filtered */

/* A weight in units of 2^-bits. */
struct array_weight {
    uint128 magnitude; /* below 2^ARRAY_WEIGHT_BITS */
    bool negative;
};

#define ARRAY_WEIGHT_BITS 108 /* two doubles hold it */

/* The two units of weights. */
#define ARRAY_COARSE_BITS 46
#define ARRAY_FINE_BITS 62

/* Which of them a filter has: the fine ones, where coarse weights would give results that are not
 * the real Gaussian's, rounded. Integers of up to 16 bits have none into integers of any size. */
static inline int array_weight_bits(enum sample_type from, enum sample_type to)
{
    const struct sample_format source = sample_format(from), result = sample_format(to);
    const bool from_long = source.significant_bits > 24, to_long = result.significant_bits > 24;

    return from_long || (to_long && (source.is_float || result.is_float)) ? ARRAY_FINE_BITS
                                                                          : ARRAY_COARSE_BITS;
}

/* One axis of a term. The tap at distance -k is that at k, negated if odd. */
struct array_taps {
    const struct array_weight *weights; /* halo + 1 of them, from the centre outwards */
    bool odd;
    enum edge edge; /* EDGE_ZERO: `outside` is there */
};

enum array_combination {
    ARRAY_SUM,      /* of the terms: one term, or a Laplacian */
    ARRAY_MAGNITUDE /* the root of the sum of their squares */
};

/* One array. */
struct array {
    void *origin; /* of its first sample */
    enum sample_type type;
    int64_t strides[ARRAY_AXES]; /* bytes from a sample to the next along an axis: of any sign */
};

/* One call. src and dst share no byte. */
struct array_job {
    int axes;
    int64_t shape[ARRAY_AXES]; /* of src: each at least 1 */
    /* The part of the result that dst is: extent places from `first` on along each axis. */
    int64_t first[ARRAY_AXES], extent[ARRAY_AXES];
    struct array src, dst;

    int filtered;                 /* how many axes are filtered, in every term */
    int axis[ARRAY_FILTERED];     /* which: ascending */
    int64_t halo[ARRAY_FILTERED]; /* 0..MAX_HALO */
    double outside;               /* finite */
    double outside_rest;          /* to be added: of an integer of 64 bits; else 0 */
    int bits;                     /* of the weights' fraction */

    int terms; /* at least 1 */
    enum array_combination combination;
    const struct array_taps *taps; /* of term t and filtered axis i: taps[t * filtered + i] */

    bool exact_only; /* no estimates: the definition itself, for tests */
    int threads;
    const struct isa *isa; /* NULL: the highest */
};

#ifdef __cplusplus
extern "C" {
#endif
/* The engine of arrays, of each backend: it computes requests with `arrays`, whose origins are the
 * piece's; on a device every sample lies at a multiple of its size. */
extern const struct engine array_engine, array_device_engine;
#ifdef __cplusplus
}
#endif

#endif
