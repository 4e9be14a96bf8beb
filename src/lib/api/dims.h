/* SPDX-License-Identifier: MIT */
/* Axes along which two arrays are walked together, as few of them as can be. */
#ifndef SMOOTHIMG_API_DIMS_H
#define SMOOTHIMG_API_DIMS_H

#include "kernels/common/arrays.h"

/* An axis of both arrays, or several that are one in both. */
struct dim {
    int64_t extent;        /* of dst */
    int64_t src, dst;      /* bytes from a place to the next */
    int64_t before, after; /* places of src beside those of dst */
};

struct dims {
    bool by_dst; /* in the order of dst's memory; else of src's */
    int count;
    struct dim dim[ARRAY_AXES]; /* the smallest steps first */
};

/* Puts an axis among the others. */
void dims_add(struct dims *dims, struct dim dim);

/* The axis from its other end: both addresses are moved there. */
struct dim dim_turned(struct dim dim, char **src, char **dst);

void dims_drop(struct dims *dims, int number);

/* The addresses and all steps of the dims, bit by bit together: where it is a multiple of a power
 * of two, each of them is. */
uint64_t dims_together(const struct dims *dims, const void *src, const void *dst);

/* Units of so many bytes that lie side by side in both arrays, up to `until` bytes, of which there
 * may be none. They leave the dims. */
struct dim dims_absorb(struct dims *dims, int64_t unit, int64_t until);

/* Joins those that are one in both arrays. */
void dims_join(struct dims *dims);

/* Moves both addresses to the next place of the axes from number `from` on. place: where they are,
 * of each axis; at first 0. False after the last place, and they are at the first again. */
bool dims_advance(const struct dims *dims, int from, int64_t *place, char **src, char **dst);

#endif
