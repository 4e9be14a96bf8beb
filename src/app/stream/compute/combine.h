/* SPDX-License-Identifier: MIT */
/* What an operation makes of a smooth, or of derivatives, and the source, sample by sample: after
 * they have been rounded, by whatever variant. */
#ifndef SMOOTHIMG_COMBINE_H
#define SMOOTHIMG_COMBINE_H

#include "src/app/stream/compute/work.h"
#include "src/files/image/image.h"

struct combination {
    enum operation operation; /* of sharpen, difference, gradient and laplace */
    int32_t amount, offset;   /* as in struct work_options */
    uint32_t maxval;          /* of the samples; FLOAT_SAMPLES: the result is there already, but: */
    int32_t kept;             /* how many of the last channels stay the source's: alpha, a mask's */
    struct view src, dst;     /* of one size */
    const int32_t *derivatives; /* of integers: all samples of dst, row after row without gaps,
                                 * in the place of a smooth in dst; else NULL */
};

/* Replaces the samples of dst, the smooth, by what they make with those of src. */
enum status combine_samples(struct combination *combination, int threads, struct error *error);

#endif
