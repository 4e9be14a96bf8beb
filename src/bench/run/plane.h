/* SPDX-License-Identifier: MIT */
/* Makes Gauss filters, and requests (struct request, kernels/variant.h) that apply them to an
 * image, for benchmarks and tests of variants. */
#ifndef SMOOTHIMG_PLANE_H
#define SMOOTHIMG_PLANE_H

#include "src/lib/filter/gauss.h"

struct filter {
    /* The filter along the rows (x), and down the columns (y). If both halos are 0, the result
     * equals the image. */
    struct filter_axis x, y;
    enum norm norm;
    enum edge edge;
};

/* The parts of a filter that a request needs: the weights along both axes, and the edge rule. */
struct plane_filter {
    int64_t halo_x, halo_y;
    enum edge edge;
    /* Weights in units of 2^-46: 2 halo + 1 along each axis. */
    uint64_t x[2 * MAX_HALO + 1], y[2 * MAX_HALO + 1];
};

/* Computes *weights. Returns STATUS_INVALID if weights are too large (gauss_weights). */
enum status plane_filter_make(const struct filter *filter, struct plane_filter *weights,
                              struct error *error);

/* Sets the members of the request that describe the filter: halos, weights, edge rule. The request
 * points to the weights, which must outlive it. */
void request_set_filter(struct request *request, const struct plane_filter *weights);

/* Returns a request for one thread and an image src that has no samples around it in memory. For
 * OP_SMOOTH, `filter` must outlive the request; if it is NULL, the caller sets a filter by
 * request_set_filter. Other operations ignore `filter`. */
struct request request_of(enum op op, const struct plane_filter *filter, uint32_t maxval,
                          struct view src, struct view dst);

/* Returns how many pixels beyond each side of the image the filter reaches. */
struct beside request_reach(const struct request *request);

#endif
