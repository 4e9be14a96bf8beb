/* SPDX-License-Identifier: MIT */
/* Small images of a stack on the host: copied side by side, each with the columns that the edge
 * rule puts beside it, and computed as one, since loops over a row take some hundred samples at a
 * time. */
#ifndef SMOOTHIMG_API_SIDE_BY_SIDE_H
#define SMOOTHIMG_API_SIDE_BY_SIDE_H

#include "src/lib/api/call.h"

/* How many images of the call are computed as one; 1: each by itself. */
int64_t side_by_side_most(const struct call *call);

/* Makes the call one of smaller images, which need the most memory side by side. False if there are
 * none. */
bool side_by_side_largest(struct call *call);

/* What is asked of as many images as there can be. */
struct request side_by_side_request(const struct call *call);

/* Bytes of a thread's memory that their copies and results take: a multiple of 64. */
int64_t side_by_side_bytes(const struct call *call);

/* Computes call->side_by_side images, or those that are left, from that many times `number` on: a
 * work_piece. */
enum status side_by_side_run(void *call, int thread, int64_t number, struct error *error);

#endif
