/* SPDX-License-Identifier: MIT */
/* Declares struct smoothimg_filter. */
#ifndef SMOOTHIMG_API_FILTER_H
#define SMOOTHIMG_API_FILTER_H

#include "kernels/common/arrays.h"
#include "src/lib/api/as_images.h"
#include "src/lib/smoothimg.h"

/* The two definitions of the weights: in units of 2^-46 and of 2^-62. */
enum { COARSE, FINE, DEFINITIONS };

struct smoothimg_filter {
    uint64_t number;    /* unique in the process */
    int terms, results; /* results: 1, or, with SMOOTHIMG_APART, the number of terms */
    enum smoothimg_norm norm;
    enum smoothimg_missing missing;
    bool is_mean;          /* no result is greater than the greatest source sample */
    const char *no_smooth; /* NULL: it only smooths, in one term; else what it would have to be */
    /* NULL: the engines of images can compute it; else what it would have to be. */
    const char *obstacle;
    /* For images: the weights of the filtered axes, as a request has them. */
    const uint64_t *tables[IMAGE_AXES];
    /* What the jobs of all results share: all but arrays, taps and the context's members. */
    struct array_job job;
    struct array_taps *taps[DEFINITIONS];
    struct array_weight weights[]; /* of the taps */
};

#endif
