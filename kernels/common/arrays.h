/* SPDX-License-Identifier: MIT */
/* The contract of the engine that filters arrays of any number of axes and any sample type
 * (sample_type.h).
 *
 * A request asks for one or more terms, such as the second derivatives that a Laplacian adds. A
 * term filters the array `in` along n of its axes. Its filter along the i-th of these axes has taps
 * w_i(j), j = -halo..halo, which are integers in units of 2^-bits. x is the index of a sample, and
 * k is a distance within the window; both have one component for each axis. The components of k are
 * k1, ..., kn along the filtered axes, and 0 along the others. V_t is the value of term t, and out
 * is the result:
 *
 *     V_t(x) = sum over the window of w_1(k1) ... w_n(kn) in(x + k) / 2^(bits n)
 *     out(x) = V_1 + V_2 + ..., or the square root of V_1^2 + V_2^2 + ..., rounded once
 *
 * A request may also ask for each V_t as a result of its own. V is any result before rounding. An
 * integer result is floor(V + 1/2), clamped to the range of its type. A float result is the number
 * nearest to V, ties to even, with gradual underflow; an exact zero is +0. A sample's weight is the
 * product of its taps. A sample whose weight is 0 has no effect, even if it is a NaN. A window that
 * holds a NaN gives NaN. If a window holds infinities, each is multiplied by its weight: if all
 * these products have the same sign, the result is the infinity of that sign, otherwise NaN. For a
 * square root each V_t is found so, and then squared: the result is +infinity or NaN. In an integer
 * result, NaN becomes 0.
 *
 * A sample outside the array has the value of the sample inside to which the edge rules of the axes
 * lead, or, under EDGE_ZERO, the value `outside`. */
#ifndef SMOOTHIMG_ARRAYS_H
#define SMOOTHIMG_ARRAYS_H

#include "kernels/common/sample_type.h"
#include "kernels/common/edge.h"
#include "kernels/common/u128.h"
#include "kernels/variant.h"

#define ARRAY_AXES 64     /* greatest number of axes of an array */
#define ARRAY_FILTERED 32 /* greatest number of axes that a request filters */

/* A weight in units of 2^-bits, where array_weight_bits() gives `bits`. */
struct array_weight {
    uint128 magnitude; /* below 2^ARRAY_WEIGHT_BITS */
    bool negative;
};

/* The greatest number of bits of a weight's magnitude. Estimates hold a magnitude in two doubles,
 * whose sum has a relative error below 2^-106. */
#define ARRAY_WEIGHT_BITS 108

/* The unit of weights is 2^-ARRAY_COARSE_BITS or 2^-ARRAY_FINE_BITS. */
#define ARRAY_COARSE_BITS 46
#define ARRAY_FINE_BITS 62

/* Returns the number of fraction bits of the weights, for samples of type `from` and results of
 * type `to`. ARRAY_FINE_BITS is for samples and results of more than 24 significant bits, which
 * show smaller errors of the weights. But for integer samples of up to 16 bits it is
 * ARRAY_COARSE_BITS if the results are integers, even of 32 or 64 bits. */
static inline int array_weight_bits(enum sample_type from, enum sample_type to)
{
    const struct sample_format source = sample_format(from), result = sample_format(to);
    const bool from_long = source.significant_bits > 24, to_long = result.significant_bits > 24;

    return from_long || (to_long && (source.is_float || result.is_float)) ? ARRAY_FINE_BITS
                                                                          : ARRAY_COARSE_BITS;
}

/* The filter of a term along one axis. Unless `odd`, it is symmetric: the taps at distances -k and
 * k are equal. If `odd`, it is antisymmetric: the tap at -k is the negative of the tap at k, as in
 * a derivative of odd order. */
struct array_taps {
    const struct array_weight *weights; /* halo + 1 weights, from the centre outwards */
    bool odd;
    enum edge edge; /* EDGE_ZERO: samples outside the array have the job's value `outside` */
};

/* Returns tap k, -halo..halo, of a filter along one axis. */
HOST_DEVICE struct array_weight array_tap_at(const struct array_weight *weights, bool odd,
                                             int64_t k)
{
    struct array_weight tap = weights[k < 0 ? -k : k];

    tap.negative = tap.negative != (odd && k < 0);
    return tap;
}

HOST_DEVICE bool array_weight_is_zero(const struct array_weight *weight)
{
    return u128_low(weight->magnitude) == 0 && u128_high(weight->magnitude) == 0;
}

/* How samples are weighted. Except in ARRAY_ALIKE, a sample `in` has also a weight m of its own,
 * and there is one term, without derivatives:
 *
 *     out(x) = (sum of w * m * in) / (sum of w * m), rounded once
 *
 * where w is the product of the sample's taps along all axes, and both sums are over the window.
 * Where the sum of w * m is 0 there is no mean. A sample whose w or m is 0 does not count. */
enum array_weighing {
    ARRAY_ALIKE, /* all samples count alike: there is no m */
    /* m is the pixel's alpha: its sample with the last index along the last axis. Alpha itself is
     * filtered as in ARRAY_ALIKE. Where there is no mean a sample keeps its value. A window with an
     * m that is infinite or NaN has the mean NaN. The last axis is not filtered and has two samples
     * or more, and dst holds all samples along that axis. */
    ARRAY_BY_ALPHA,
    /* m is 0 if the sample is a NaN, else 1. Where there is no mean the result is a NaN. */
    ARRAY_WITHOUT_NAN
};

enum array_combination {
    ARRAY_SUM,       /* the sum of the terms, which may be only one */
    ARRAY_MAGNITUDE, /* the square root of the sum of the terms' squares */
    ARRAY_APART      /* each term is a result of its own */
};

struct array {
    void *origin; /* address of the first sample */
    enum sample_type type;
    int64_t strides[ARRAY_AXES]; /* bytes from a sample to the next along an axis; any sign */
};

/* A request for arrays. src and dst do not overlap. */
struct array_job {
    int axes;
    int64_t shape[ARRAY_AXES]; /* length of src along each axis, at least 1 */
    /* The part of the result that dst holds: along each axis, `extent` samples, of which the first
     * has index `first`. */
    int64_t first[ARRAY_AXES], extent[ARRAY_AXES];
    struct array src, dst;

    int filtered;                 /* number of filtered axes, which is the same in every term */
    int axis[ARRAY_FILTERED];     /* the filtered axes, ascending */
    int64_t halo[ARRAY_FILTERED]; /* halo along each filtered axis: 0..MAX_HALO */
    /* Under EDGE_ZERO, samples outside the array have the value outside + outside_rest, which is
     * finite. outside_rest is 0, unless the value is a 64-bit integer that a double cannot hold. */
    double outside;
    double outside_rest;
    int bits; /* fraction bits of the weights */

    int terms; /* at least 1 */
    enum array_combination combination;
    const struct array_taps *taps; /* taps[t * filtered + i]: of term t along filtered axis i */
    enum array_weighing weighing;
    /* With ARRAY_APART: for each term, the distance in bytes from dst to the term's result. dst
     * holds the result of the first term. */
    int64_t result[ARRAY_FILTERED];

    bool exact_only; /* no estimates, only exact sums; for tests */
    int threads;
    const struct isa *isa; /* CPU: the instruction set; NULL: the highest that the processor has */
};

#ifdef __cplusplus
extern "C" {
#endif
/* These engines, one for the CPU and one for GPUs, compute requests whose member `arrays` is set.
 * They read and write at the origins of src and dst in struct piece, not at those in struct
 * array_job. On a GPU every sample's address is a multiple of its size. */
extern const struct engine array_engine, array_device_engine;
#ifdef __cplusplus
}
#endif

#endif
