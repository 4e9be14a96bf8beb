/* SPDX-License-Identifier: MIT */
/* Smooths small images of a stack (images.h) on the host, several at a time. Copies them side by
 * side, each with the columns that the edge rule adds, and computes them as one image: loops over a
 * row are fast only if it has some hundred samples or more. */
#ifndef SMOOTHIMG_API_SIDE_BY_SIDE_H
#define SMOOTHIMG_API_SIDE_BY_SIDE_H

#include "src/lib/api/call.h"

/* Returns the greatest number of images of a stack that are computed as one; 1 if each is computed
 * alone. */
int64_t side_by_side_most(const struct call *call);

/* For smoothimg_reserve: later calls may have smaller images, which may be computed side by side
 * even if the call's images are not. Limits the height of the call's images to the greatest height
 * that is computed side by side; smaller images need no more memory. Returns false if no images up
 * to this size are computed side by side. */
bool side_by_side_largest(struct call *call);

/* Returns the request for the greatest number of images side by side. */
struct request side_by_side_request(const struct call *call);

/* Returns the bytes of a thread's memory for the copies and their results, a multiple of 64. */
int64_t side_by_side_bytes(const struct call *call);

/* A work_piece: computes group `number` of call->side_by_side images; the last group may have
 * fewer. */
enum status side_by_side_run(void *call, int thread, int64_t number, struct error *error);

#endif
