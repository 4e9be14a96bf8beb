/* SPDX-License-Identifier: MIT */
/* How high the bands of an image are, and how many threads work on them, within a limit of memory.
 * For bands.c alone. */
#ifndef SMOOTHIMG_BANDS_CUT_H
#define SMOOTHIMG_BANDS_CUT_H

#include "bands.h"

struct bands_cut {
    int64_t rows; /* of a band: as many as the sink takes, or a multiple of it */
    int64_t keep; /* rows of the source that are kept, where it has them in order */
    int threads;
    int64_t bytes; /* of memory, with everything: above bands->max_bytes if that cannot be kept */
};

/* For the image that source_begin has found. */
struct bands_cut bands_cut(const struct bands *bands, const struct source *source,
                           const struct sink *sink, const struct image *about);

#endif
