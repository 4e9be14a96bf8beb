/* SPDX-License-Identifier: MIT */
/* What is asked of an operation, whatever the pixels: jobs are made from it, and nowhere else. */
#ifndef SMOOTHIMG_REQUEST_H
#define SMOOTHIMG_REQUEST_H

#include "src/lib/filter/gauss.h"

/* Operations other than smooth look at the last three members only. */
struct request {
    const struct filter_weights *filter; /* not owned; NULL: nothing is smoothed */
    bool weighted;         /* the last channel is alpha, or a mask, and weighs the others */
    int threads;           /* CPU: at least 1 */
    int block;             /* GPU: edge of the thread block; 0: the variant's own */
    const struct isa *isa; /* CPU: NULL: the highest */
};

/* The job of one call, of one image with a border, without plan and scratch. The
 * request's filter has to outlive it. */
struct job request_job(const struct request *request, enum op op, uint32_t maxval, struct view src,
                       struct view dst);

#endif
