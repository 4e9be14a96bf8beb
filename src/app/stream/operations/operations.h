/* SPDX-License-Identifier: MIT */
/* The operations: on an image that is in memory, whole (operations.c), and what each of them works
 * on, all rows of an image or those that some rows of the result need (chain_rows.c). Each smooth
 * needs rows above and below those that it computes: the more, the more smooths follow. */
#ifndef SMOOTHIMG_OPERATIONS_H
#define SMOOTHIMG_OPERATIONS_H

#include "src/app/stream/context.h"
#include "src/app/stream/report.h"
#include "src/lib/filter/request.h"

/* Operations, and how they are done to an image. */
struct operations {
    const int *ops; /* enum op */
    int count;
    bool references; /* by their references, in place of the run's variants */
    struct request request;
    const struct combine *combines; /* of each operation; or NULL */
    int32_t kept_channels;          /* the last ones, which are alpha, and a mask's */
};

/* The border of operation i's source, in pixels; 0 after the last operation. */
int64_t chain_halo(const struct operations *operations, int i);

/* The edge rule of smooth. */
enum edge chain_edge(const struct operations *operations);

/* The shape of operation i's result. */
struct shape chain_shape(const struct operations *operations, int i, const struct shape *source);

/* How many rows above and below some rows of the result all operations need. */
int64_t chain_reach(const struct operations *operations);

/* Are there transposes, where some rows need all? Does the last row of the source become the first
 * of the result? */
bool chain_transposes(const struct operations *operations);
bool chain_turns(const struct operations *operations);

/* Makes the chain to all rows of the result from an image of this shape. Its views have only a
 * shape. Returns that of the result. */
struct shape chain_make(const struct operations *operations, const struct shape *shape,
                        struct chain *chain);

/* Makes of a chain without transposes that to rows first..last-1 of the result, whose image has
 * `height`. Returns the row of the image that the first src begins with: with EDGE_WRAP it may
 * begin above the image and end below it, where the image repeats. */
int64_t chain_take_rows(const struct operations *operations, int64_t height, int64_t first,
                        int64_t last, struct chain *chain);

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

/* Bytes of an image like the view, with a border; INT64_MAX: too many to count. */
int64_t view_needs(const struct view *view, int64_t halo);

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
