/* SPDX-License-Identifier: MIT */
/* A line is a buffer with copies of both ends of an image's row and with the samples that the edge
 * rule adds there. The filter reads the blocks at either end from lines, and all others from the
 * row itself.
 *
 * A segment is a range of columns that is computed from the top of the image to the bottom before
 * the next one. */
#ifndef SMOOTHIMG_SMOOTH_ENDS_H
#define SMOOTHIMG_SMOOTH_ENDS_H

#include "kernels/variant.h"

#define CACHE_LINE 64 /* bytes */

/* Says which samples of a segment's rows are copied to lines (buffers for the rows' ends). A sample
 * has one byte. Positions are offsets from the first sample that the segment needs. They are the
 * same in row and line. */
struct row_ends {
    int64_t begin;       /* offset of position 0 in the row; negative if it lies before the row */
    int64_t inside, end; /* positions inside..end-1 exist in the row */
    int64_t from[2], to[2]; /* for each end: positions from..to-1 must be copied */
    int64_t lead, trail;    /* samples before `inside`, and from `end` on */
    /* For each of these lead + trail samples, the sample of the row that the edge rule copies
     * there, or NOWHERE for a zero, which the line already holds. */
    int64_t *places;
};

/* Sets *ends for `length` samples of the source's rows, from sample `begin` on. All that exist
 * are then copied, unless the caller narrows from[] and to[]. ends->places has space for lead +
 * trail samples. */
void row_ends_find(struct row_ends *ends, const struct piece *piece, int64_t begin, int64_t length);

/* Fills a line with copies of a row's ends and with what the edge rule puts beside them. `row`
 * points to the first pixel of the row. */
void row_ends_copy(const struct row_ends *ends, const char *row, char *line);

#endif
