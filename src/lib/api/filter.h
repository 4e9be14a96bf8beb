/* SPDX-License-Identifier: MIT */
/* Declares struct smoothimg_filter. */
#ifndef SMOOTHIMG_API_FILTER_H
#define SMOOTHIMG_API_FILTER_H

#include "kernels/common/arrays.h"
#include "src/lib/api/images.h"
#include "src/lib/smoothimg.h"

/* A filter has its weights twice: rounded to units of 2^-46 (COARSE) and of 2^-62 (FINE). The types
 * of the arrays decide which of them a call uses. */
enum { COARSE, FINE, DEFINITIONS };

struct smoothimg_filter {
    uint64_t number; /* unique in the process */
    int results;     /* 1, or, with SMOOTHIMG_APART, the number of terms */
    /* With SMOOTHIMG_APART: for each term, the number of successive terms, from this term on, that
     * have the same radii. One call computes these terms, since they share passes over the samples.
     */
    int alike[ARRAY_FILTERED];
    enum smoothimg_norm norm;
    enum smoothimg_missing missing;
    bool adjoint;  /* the weights are reversed, and the constant outside is 0 */
    bool by_parts; /* the filter is an adjoint that is computed in parts (adjoint.h) */
    bool is_mean;  /* if true, no result is greater than the greatest source sample */
    /* NULL if the filter is a single term that only smooths; else the condition that the filter
     * violates, for messages. */
    const char *no_smooth;
    /* NULL if the engines (implementations) that are only for images can compute the filter; else
     * the condition that it violates, for messages. */
    const char *obstacle;
    /* For images, if `no_smooth` is NULL and at most two axes are filtered: 2 halo + 1 weights for
     * each of them, in units of 2^-46, as in weights_x of struct request. */
    const uint64_t *tables[IMAGE_AXES];
    /* The filter in the form that the engine of arrays, the implementation for any array, takes. A
     * call copies the job, and sets in the copy the arrays, the taps (weights), and what depends on
     * the context. */
    struct array_job job;
    /* taps[COARSE or FINE][t * job.filtered + i]: the weights of term t along filtered axis i. */
    struct array_taps *taps[DEFINITIONS];
    struct array_weight weights[]; /* the weights to which the taps point */
};

/* Returns a number that no other filter of the process has. */
uint64_t filter_next_number(void);

/* Returns NULL if the engines (implementations) that are only for images can compute the filter,
 * whose axes and weights are set. Else returns the condition that it violates, such as "one or two
 * axes are smoothed". */
const char *filter_obstacle(const struct smoothimg_filter *filter);

#endif
