/* SPDX-License-Identifier: MIT */
/* The ends of a row of an image, in which are also the samples that the edge rule puts beside it:
 * copies, the lines, from which loops compute the blocks at either end of a row. All others they
 * read where they lie. */
#ifndef SMOOTHIMG_SMOOTH_ENDS_H
#define SMOOTHIMG_SMOOTH_ENDS_H

#include "kernels/variant.h"

#define CACHE_LINE 64 /* bytes */

/* Of the rows of a segment, and what is copied of them. A line has its bytes at the same places,
 * which count from the first sample that the segment needs: that may be beside the row. */
struct row_ends {
    int sample_bytes;
    int64_t begin;          /* where that sample is in a row, in bytes; below 0 beside it */
    int64_t inside, end;    /* inside..end-1 are in the row */
    int64_t from[2], to[2]; /* of these the ones that are copied, at least; from >= to: none */
    int64_t lead, trail;    /* samples before inside and from end on */
    int64_t *places; /* lead + trail samples of a row that they are like; NOWHERE: all are zeros,
                        which the lines have */
};

/* Sets them for rows of `length` samples, of which the first is sample `begin` of a row of the
 * source, to be copied as a whole. ends->places has room. */
void row_ends_find(struct row_ends *ends, const struct piece *piece, int64_t begin, int64_t length);

struct ends_loops {
    /* Fills `count` lines by these rows, from their first pixels on. */
    void (*copy)(const struct row_ends *ends, const char *const *rows, char *const *lines,
                 int count);
};

#endif
