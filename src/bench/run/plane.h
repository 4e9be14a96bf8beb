/* SPDX-License-Identifier: MIT */
/* Requests for variants by benchmarks and tests: a filter of images, and requests with it. */
#ifndef SMOOTHIMG_PLANE_H
#define SMOOTHIMG_PLANE_H

#include "src/lib/filter/gauss.h"

struct filter {
    struct filter_axis x, y; /* along the rows, down the columns; both halos 0: the identity */
    enum norm norm;
    enum edge edge;
};

/* The weights of both axes, and the filter's rules that a request needs. */
struct plane_filter {
    int64_t halo_x, halo_y;
    enum edge edge;
    /* In units of 2^-46, 2 halo + 1 each. */
    uint64_t x[2 * MAX_HALO + 1], y[2 * MAX_HALO + 1];
};

/* Fills *weights. Fails as gauss_weights does. */
enum status plane_filter_make(const struct filter *filter, struct plane_filter *weights,
                              struct error *error);

/* Sets the members of the request that describe the filter: halos, weights, edge rule. The weights
 * stay the caller's. */
void request_set_filter(struct request *request, const struct plane_filter *weights);

/* Returns a request for one thread, with everything that the filter reaches beside src. For smooth,
 * `filter` must outlive it; if it is NULL nothing is smoothed. */
struct request request_of(enum op op, const struct plane_filter *filter, uint32_t maxval,
                          struct view src, struct view dst);

/* Returns the surroundings of the computed part that the filter reaches. */
struct beside request_reach(const struct request *request);

#endif
