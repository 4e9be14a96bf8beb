/* SPDX-License-Identifier: MIT */
/* struct smoothimg_filter. */
#ifndef SMOOTHIMG_API_FILTER_H
#define SMOOTHIMG_API_FILTER_H

#include "kernels/common/arrays.h"
#include "src/lib/api/as_images.h"
#include "src/lib/smoothimg.h"

/* The two definitions of the weights. */
enum { COARSE, FINE, DEFINITIONS };

struct smoothimg_filter {
    uint64_t number;    /* unique in the process */
    int terms, results; /* results: 1, or as many as terms that are apart */
    enum smoothimg_norm norm;
    enum smoothimg_missing missing;
    bool is_mean;          /* its result is never greater than the greatest source sample */
    const char *no_smooth; /* NULL: one smooth; else what it would have to be for that */
    const char *obstacle;  /* NULL: images can have it; else what it would have to be for that */
    const uint64_t *tables[IMAGE_AXES]; /* for images: weights of the filtered axes, as a request
                                           has them */
    struct array_job job; /* of a result; without arrays, taps and what a context has */
    struct array_taps *taps[DEFINITIONS];
    struct array_weight weights[]; /* of the taps */
};

#endif
