/* SPDX-License-Identifier: MIT */
/* The operations of a run, as they are done to an image: by calls of the library on arrays in
 * memory, which are images, parts of them, or pages of a volume. */
#ifndef SMOOTHIMG_OPERATIONS_H
#define SMOOTHIMG_OPERATIONS_H

#include "src/app/stream/context.h"
#include "src/app/stream/report.h"

struct operations {
    struct computer *computer;
    const struct work_options *work;
    bool weighted;         /* the last channel is alpha, or a mask, and weighs the others */
    int32_t kept_channels; /* the last ones, which are alpha, and a mask's */
};

/* As they are done to an image with this header. */
struct operations operations_of(const struct stream_context *context, const struct image *header);

/* STATUS_UNSUPPORTED, with a remedy, if the operations cannot be done to the image of that header;
 * STATUS_USAGE for an offset above its maxval. */
enum status operations_check(const struct operations *operations, const struct image *header,
                             const char *name, struct error *error);

/* Do the operations only move pixels, of whatever meaning? */
bool operations_only_move(const struct work_options *work);

/* How many rows above and below some rows of its result operation 0 needs. */
int64_t operations_reach(const struct operations *operations);

/* The shape of operation i's result; and the header of the last one's, for writers. */
struct shape operations_shape(const struct operations *operations, int i,
                              const struct shape *source);
struct image operations_result(const struct operations *operations, const struct image *header);

/* What an operation is done to: dst is the part of the result that begins at this page and row of
 * src. Pages of one shape lie one below the other, without gaps between them. A transpose or a
 * reverse is done to all of one page. */
struct part {
    struct image src, dst;
    int64_t src_pages, dst_pages;
    int64_t page, row;
};

/* Bytes of the host's memory that operations_compute takes by so many threads. The images of the
 * part have no samples (image_place). */
double operations_bytes(const struct operations *operations, int i, int threads,
                        const struct part *part);

/* Does operation i by a context that is lent, of so many threads; reference: by its reference, by a
 * context that is not. Adds the time, with what computed, to *times. */
enum status operations_compute(const struct operations *operations, int i, bool reference,
                               struct smoothimg_context *context, int threads,
                               const struct part *part, struct op_times *times,
                               struct error *error);

#endif
