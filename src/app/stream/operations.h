/* SPDX-License-Identifier: MIT */
/* The operations on an image that is in memory, whole. */
#ifndef SMOOTHIMG_OPERATIONS_H
#define SMOOTHIMG_OPERATIONS_H

#include "pipeline.h"

/* The border that operation i wants around its source: none behind the last. */
int64_t halo_before(const struct options *options, int i);

/* Does alpha weigh the image's colours when operation i is done to it? */
bool weighs_at(const struct options *options, int i, const struct image *image);

/* The bytes of the host's memory that operations_run will take for such an image (its samples need
 * not be there), with the image itself: those of its widest moment. `each`: bytes that each thread
 * takes besides. *threads are as many of those that were asked for as keep within the limit, and at
 * least one. */
int64_t operations_needs(const struct pipeline *pipeline, const struct image *about, int64_t each,
                         int *threads);

/* Replaces *image, which has the border of operation 0, by the result of all operations, each
 * verified where the options say so. On failure *image is still the caller's to free. */
enum status operations_run(const struct pipeline *pipeline, int threads, struct image *image,
                           struct report *report, struct error *error);

#endif
