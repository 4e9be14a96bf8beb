/* SPDX-License-Identifier: MIT */
/* The axes along which two arrays, src and dst, are traversed together. Neighbouring axes are
 * joined into one where that is possible. A place is an index along an axis. */
#ifndef SMOOTHIMG_API_DIMS_H
#define SMOOTHIMG_API_DIMS_H

#include "kernels/common/arrays.h"

/* One axis of both arrays, or several axes that are joined into one. */
struct dim {
    int64_t extent;        /* places of dst */
    int64_t src, dst;      /* steps: bytes from one place to the next */
    int64_t before, after; /* places of src before dst's first place, and after its last */
};

struct dims {
    bool by_dst; /* the axes are sorted by the steps of dst (true) or of src (false) */
    int count;
    struct dim dim[ARRAY_AXES]; /* sorted by step, the smallest first */
};

/* Inserts an axis where it belongs in the order. */
void dims_add(struct dims *dims, struct dim dim);

/* Returns the axis in reverse, and moves both addresses to the axis's other end. */
struct dim dim_turned(struct dim dim, char **src, char **dst);

void dims_drop(struct dims *dims, int number);

/* Returns the bitwise or of both addresses and all steps. A power of two divides the result only if
 * it divides each address and each step. */
uint64_t dims_together(const struct dims *dims, const void *src, const void *dst);

/* Removes the innermost axes along which units of `unit` bytes are contiguous in both arrays. Stops
 * when the removed axes together have `until` bytes (0: never). Returns the removed axes joined
 * into one axis of units. If no axis was removed, the returned axis has one place. */
struct dim dims_absorb(struct dims *dims, int64_t unit, int64_t until);

/* Joins neighbouring axes wherever in both arrays their samples follow each other at equal
 * distances, as along a single axis. */
void dims_join(struct dims *dims);

/* Moves both addresses to the next place along the axes from index `from` on. place[] is the
 * current place along each axis; the caller sets it to zeros at first. Returns false after the last
 * place; the addresses are then at the first place again. */
bool dims_advance(const struct dims *dims, int from, int64_t *place, char **src, char **dst);

#endif
