/* SPDX-License-Identifier: MIT */
/* Which source rows of a flat image are the same. The edge rule copies its few rows to the whole
 * border, so that most of the 2 halo_y + height rows have the same sums along them. */
#ifndef SMOOTHIMG_SMOOTH_SAME_ROWS_H
#define SMOOTHIMG_SMOOTH_SAME_ROWS_H

#include "kernels/variant.h"

/* A flat image has at most halo_y / FLAT rows. Finding the same rows costs less than a hundredth of
 * what it saves there; at half a halo filtering all rows costs only five times as much. */
#define FLAT 8
#define MAX_DISTINCT (MAX_HALO / FLAT + 1) /* its rows, and one of zeros; fewer than in a ring */

struct same_rows {
    bool found;                                    /* else the rest is not set */
    int64_t first;                                 /* the source row of kinds[0] */
    uint8_t kinds[2 * MAX_HALO + MAX_HALO / FLAT]; /* equal for rows that are the same */
};

/* Looks for them among the rows that rows top..last-1 of the result depend on, ends included. Finds
 * none if the image is not flat, or if so many rows are different that it is a band of a higher
 * image. */
void same_rows_find(const struct piece *piece, int64_t top, int64_t last, struct same_rows *same);

/* The kind of source row y, 0..halo_y/FLAT. */
static inline int same_rows_kind(const struct same_rows *same, int64_t y)
{
    return same->kinds[y - same->first];
}

/* Rows that are the same, in the window of one row of the result. */
struct weighed_row {
    int64_t y;       /* one of them */
    uint64_t weight; /* the sum of their weights */
};

/* The kinds of rows in the window of row y; returns how many. */
int same_rows_weigh(const struct piece *piece, const struct same_rows *same, int64_t y,
                    struct weighed_row rows[MAX_DISTINCT]);

#endif
