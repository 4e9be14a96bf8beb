/* SPDX-License-Identifier: MIT */
/* The operations: on an image that is in memory, whole, one after the other. */
#ifndef SMOOTHIMG_OPERATIONS_H
#define SMOOTHIMG_OPERATIONS_H

#include "src/app/stream/context.h"
#include "src/app/stream/report.h"
#include "src/lib/filter/request.h"

/* Operations, and how they are done to an image. */
struct operations {
    const int *ops; /* enum op */
    int count;
    struct request request;
    const struct combine *combines; /* of each operation; or NULL */
    int32_t kept_channels;          /* the last ones, which are alpha, and a mask's */
};

/* The border of operation i's source, in pixels; 0 after the last operation. */
int64_t operations_halo(const struct operations *operations, int i);

/* The edge rule of smooth. */
enum edge operations_edge(const struct operations *operations);

/* How many rows above and below some rows of its result the first operation needs. */
int64_t operations_reach(const struct operations *operations);

/* Operation i on an image of this shape. The job's views have only a shape. */
struct piece operations_piece(const struct operations *operations, int i,
                              const struct shape *shape);

/* The operations of the run, as they are done to an image with this header, by one thread. */
struct operations operations_of(const struct stream_context *context, const struct image *header);

/* STATUS_UNSUPPORTED, with a remedy, if the operations cannot be done to the image of that header;
 * STATUS_USAGE for an offset above its maxval. */
enum status operations_check(const struct stream_context *context,
                             const struct operations *operations, const struct image *header,
                             const char *name, struct error *error);

/* Do the operations of the run only move pixels, of whatever meaning? */
bool operations_only_move(const struct stream_context *context);

/* The header of the result, for writers. */
struct image operations_result(const struct operations *operations, const struct image *header);

/* Bytes of the memory in which operation i computes a job on the processor by such a variant. */
int64_t job_needs(const struct operations *operations, int i, const struct variant *variant,
                  const struct job *job);

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
