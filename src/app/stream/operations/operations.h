/* SPDX-License-Identifier: MIT */
/* The operations on an image that is in memory, whole. */
#ifndef SMOOTHIMG_OPERATIONS_H
#define SMOOTHIMG_OPERATIONS_H

#include "src/app/stream/operations/chain_rows.h"
#include "src/app/stream/context.h"
#include "src/app/stream/report.h"

/* The operations of the run, as they are done to an image with this header, by one thread. */
struct operations operations_of(const struct stream_context *context, const struct image *header);

/* STATUS_UNSUPPORTED, with a remedy, if the operations cannot be done to the image of that header;
 * STATUS_USAGE for an offset above its maxval. */
enum status operations_check(const struct stream_context *context,
                             const struct operations *operations, const struct image *header,
                             const char *name, struct error *error);

/* Do the operations of the run only move pixels, of whatever meaning? */
bool operations_only_move(const struct stream_context *context);

/* The peak of the host memory, in bytes, that operations_run takes for an image with this header,
 * the image included. `each`: further bytes of each thread. Sets the operations' threads: the most,
 * up to the context's, that stay within the limit; at least one. */
int64_t operations_needs(const struct stream_context *context, struct operations *operations,
                         const struct image *header, int64_t each);

/* Replaces *image, which has the border of operation 0, by the result of all operations, each
 * verified where the options say so. On failure *image is still the caller's to free. */
enum status operations_run(const struct stream_context *context,
                           const struct operations *operations, struct image *image,
                           struct report *report, struct error *error);

#endif
