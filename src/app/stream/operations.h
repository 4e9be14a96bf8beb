/* SPDX-License-Identifier: MIT */
/* The operations on an image that is in memory, whole. */
#ifndef SMOOTHIMG_OPERATIONS_H
#define SMOOTHIMG_OPERATIONS_H

#include "src/app/stream/context.h"
#include "src/app/stream/report.h"

/* The border that operation i needs around its source; 0 after the last. */
int64_t halo_before(const struct dispatch_options *work, int i);

/* Does alpha weigh the image's colours when operation i is done to it? */
bool weighs_at(const struct dispatch_options *work, int i, const struct image *image);

/* The bytes of the host's memory that operations_run takes for such an image (its samples need not
 * be there), with the image itself: those of its widest moment. `each`: bytes that each thread
 * takes besides. *threads: as many of the context's as keep within the limit, and at least one. */
int64_t operations_needs(const struct stream_context *context, const struct image *header,
                         int64_t each, int *threads);

/* Replaces *image, which has the border of operation 0, by the result of all operations, each
 * verified where the options say so. input_bytes: that the image counts for in dispatcher_note. On
 * failure *image is still the caller's to free. */
enum status operations_run(const struct stream_context *context, int threads, double input_bytes,
                           struct image *image, struct report *report, struct error *error);

#endif
