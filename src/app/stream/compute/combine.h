/* SPDX-License-Identifier: MIT */
/* Computes sharpen and difference from the source and the smoothed source, and gradient and laplace
 * from the derivatives, sample by sample. The library has computed and rounded the smoothed source
 * and the derivatives before. */
#ifndef SMOOTHIMG_COMBINE_H
#define SMOOTHIMG_COMBINE_H

#include "src/app/stream/compute/work.h"
#include "src/files/image/image.h"

struct combination {
    enum operation operation; /* sharpen, difference, gradient or laplace */
    int32_t amount, offset;   /* as in struct work_options */
    /* The samples' maxval. If it is FLOAT_SAMPLES, the library has written the results to dst, and
     * combine_samples only copies the `kept` channels. */
    uint32_t maxval;
    /* How many of the last channels (alpha, the mask) keep the samples of the source. */
    int32_t kept;
    struct view src, dst; /* two images of the same size */
    /* Integer images: the derivatives of all samples of dst, row after row without gaps; NULL if
     * dst holds the smoothed source. */
    const int32_t *derivatives;
};

/* Replaces each sample of dst, the smoothed source, by its combination with the sample of src. With
 * `derivatives`, sets each sample of dst from its derivative instead. */
enum status combine_samples(struct combination *combination, int threads, struct error *error);

#endif
