/* SPDX-License-Identifier: MIT */
/* What is behind struct smoothimg_filter. */
#ifndef SMOOTHIMG_API_FILTER_H
#define SMOOTHIMG_API_FILTER_H

#include "kernels/common/arrays.h"
#include "src/lib/api/as_images.h"
#include "src/lib/smoothimg.h"

/* The two definitions of the weights. */
enum { COARSE, FINE, DEFINITIONS };

struct smoothimg_filter {
    uint64_t number;    /* of no other filter of the process */
    int terms, results; /* results: 1, or as many as terms that are apart */
    enum smoothimg_norm norm;
    enum smoothimg_missing missing;
    bool is_mean;          /* no sample of its result is greater than the source's greatest */
    const char *no_smooth; /* what it would have to be to be one smooth; NULL: it is one */
    const char *obstacle;  /* what it would have to be for images; NULL: it is one of these */
    const uint64_t *tables[IMAGE_AXES]; /* for images: weights of the filtered axes, as a request
                                           has them */
    struct array_job job; /* of a result; without arrays, taps and what a context has */
    struct array_taps *taps[DEFINITIONS];
    struct array_weight weights[]; /* of the taps */
};

#endif
