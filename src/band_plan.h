/* SPDX-License-Identifier: MIT */
/* How an image is cut into bands, for how many threads; bands_bytes is here too. */
#ifndef SMOOTHIMG_BAND_PLAN_H
#define SMOOTHIMG_BAND_PLAN_H

#include "bands.h"

struct band_plan {
    int threads;
    int64_t rows; /* of a band: a multiple of the sink's unit */
    int64_t keep; /* rows of a source that has them in order, to be kept for the bands to come */
};

/* For an image whose sink has begun. */
struct band_plan band_plan_make(const struct bands *bands, const struct source *source,
                                const struct sink *sink, const struct image *about);

/* Are the bands done on a GPU, as far as it serves? */
bool bands_on_gpu(const struct bands *bands);

#endif
