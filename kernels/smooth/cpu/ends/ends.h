/* SPDX-License-Identifier: MIT */
/* The ends of an image's rows, together with the samples that the edge rule adds. Loops compute the
 * blocks at either end of a row from copies, the lines; all others they read from the row itself.
 */
#ifndef SMOOTHIMG_SMOOTH_ENDS_H
#define SMOOTHIMG_SMOOTH_ENDS_H

#include "kernels/variant.h"

#define CACHE_LINE 64 /* bytes */

/* The rows of a segment, and which parts of them are copied. A line has its bytes at the same
 * places as the row. Places are counted from the first sample that the segment needs, which may be
 * outside of the row. */
struct row_ends {
    int sample_bytes;
    /* Place in a row of that first sample, in bytes; below 0 if it is outside. */
    int64_t begin;
    int64_t inside, end;    /* inside..end-1 are in the row */
    int64_t from[2], to[2]; /* the bytes of these that are copied, at least; from >= to: none */
    int64_t lead, trail;    /* samples before inside and from end on */
    /* For lead + trail samples, the samples of a row that they equal; NOWHERE: zeros, which the
     * lines contain. */
    int64_t *places;
};

/* Prepares the copies for rows of `length` samples, whose first is sample `begin` of a source row,
 * with all of the row copied. ends->places has enough space. */
void row_ends_find(struct row_ends *ends, const struct piece *piece, int64_t begin, int64_t length);

struct ends_loops {
    /* Fills `count` lines from these rows, given by their first pixels. */
    void (*copy)(const struct row_ends *ends, const char *const *rows, char *const *lines,
                 int count);
};

#endif
