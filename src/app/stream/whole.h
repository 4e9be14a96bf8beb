/* SPDX-License-Identifier: MIT */
/* All operations on an image that is in memory, one after the other. */
#ifndef SMOOTHIMG_WHOLE_H
#define SMOOTHIMG_WHOLE_H

#include "src/app/stream/operations/operations.h"

struct whole_plan {
    int threads;
    int64_t
        bytes; /* of the host's memory, at its peak, with the image; INT64_MAX: too many to count
                */
};

/* For an image with this header: by as many of the context's threads as stay within the limit, in
 * bytes, at least one. each: further bytes of each thread. */
struct whole_plan whole_plan_make(const struct stream_context *context,
                                  const struct operations *operations, const struct image *header,
                                  int64_t each, int64_t limit);

/* Replaces *image by the result of all operations, verified where the options say so. On failure
 * *image is still the caller's to free. */
enum status whole_run(const struct stream_context *context, const struct operations *operations,
                      int threads, struct image *image, struct stage_times *times,
                      struct error *error);

#endif
