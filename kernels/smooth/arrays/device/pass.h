/* SPDX-License-Identifier: MIT */
/* A pass of a box along one axis: what its kernels get. Arrays lie in their own places (source,
 * result) or in scratch, without gaps: then an index counts (outer, along the axis, inner), where
 * `outer` are all places along the axes before it, and `inner` those along the axes after it. */
#ifndef SMOOTHIMG_ARRAYS_DEVICE_PASS_H
#define SMOOTHIMG_ARRAYS_DEVICE_PASS_H

#include "kernels/common/arrays.h"
#include "kernels/smooth/arrays/loops.h"

/* What measure() found in the source; joined by |. */
#define KIND_NOT_PLAIN 1u /* a number that is not plain (loops.h) */
#define KIND_HUGE 2u      /* a finite number beyond the plain ones */

HOST_DEVICE unsigned real_kinds(double value)
{
    return (real_is_plain(value) ? 0 : KIND_NOT_PLAIN) |
           (fabs(value) > MOST_PLAIN && isfinite(value) ? KIND_HUGE : 0);
}

/* An array in its own place; of an axis of the box: how many places, and bytes between them. */
struct device_array {
    char *origin;
    enum sample_type type;
    int axes;
    int64_t extent[ARRAY_AXES], stride[ARRAY_AXES];
};

/* Planes of real numbers in scratch. */
struct device_reals {
    double *value, *rest, *magnitude; /* NULL: none */
};

struct device_pass {
    struct device_array src;            /* of the first pass; extents as it reads them */
    struct device_array dst;            /* of the last pass */
    struct sample_format to;            /* of dst */
    struct device_reals in, out, total; /* total: of the terms so far */

    int axis;
    int64_t outer, inner;
    int64_t length;        /* places that it reads along the axis */
    int64_t first, extent; /* that it gives: so many, from there on */
    int halo;
    enum edge edge;
    const double *taps, *rests; /* of 2 halo + 1 taps, from the first place on */
    const struct real *outside; /* what is outside the box's numbers; NULL: 0 */

    const unsigned *kinds;                /* of measure(); NULL: all numbers are plain */
    bool in_stays_plain, out_stays_plain; /* if the source is plain, so are these */

    bool is_last;                                        /* it gives samples, */
    bool combines, squares, is_first_term, is_last_term; /* of several terms */
    bool special_is_sure; /* an estimate that is infinite or NaN is right, if nothing is huge */
    bool magnitudes;      /* bounds depend on them */
    bool exact_only;
    struct array_bound bound;
    uint32_t *open;               /* a bit for each sample of the result, that may be wrong */
    unsigned long long *any_open; /* how many */
    int64_t first_sample;         /* the number of the box' first sample in the result */
};

#endif
