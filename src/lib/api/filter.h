/* SPDX-License-Identifier: MIT */
/* What is behind struct smoothimg_filter. */
#ifndef SMOOTHIMG_API_FILTER_H
#define SMOOTHIMG_API_FILTER_H

#include "kernels/common/arrays.h"
#include "src/lib/api/image_weights.h"
#include "src/lib/smoothimg.h"

/* What calls with a filter differ in: images, whose first axis may be along the rows; arrays, by
 * the term of a result that is apart. */
enum { OF_IMAGES, OF_TURNED_IMAGES, OF_ARRAYS };

/* The two definitions of the weights. */
enum { COARSE, FINE, DEFINITIONS };

struct smoothimg_filter {
    uint64_t number; /* it, and as many after it as calls differ in, are of no other filter */
    int axes, filtered, terms;
    enum smoothimg_combination combination;
    enum smoothimg_norm norm;
    enum smoothimg_missing missing;
    double outside, outside_rest; /* as in struct array_job */
    bool is_mean; /* no sample of its result is greater than the source's greatest */
    struct image_weights *images; /* NULL: it is no filter of images, for this reason: */
    const char *obstacle;
    int axis[ARRAY_FILTERED];
    int64_t halo[ARRAY_FILTERED];
    struct array_taps *taps[DEFINITIONS];
    struct array_weight weights[]; /* of the taps */
};

#endif
