/* SPDX-License-Identifier: MIT */
/* What each operation of a chain works on: all rows of an image, or those that some rows of the
 * result need. Each smooth needs rows above and below those that it computes: the more, the more
 * smooths follow. */
#ifndef SMOOTHIMG_CHAIN_ROWS_H
#define SMOOTHIMG_CHAIN_ROWS_H

#include "src/app/dispatch/dispatcher.h"
#include "src/lib/filter/request.h"

/* Operations, and how they are done to an image. */
struct operations {
    const int *ops; /* enum op */
    int count;
    struct request request;
    const struct combine *combines; /* of each operation; or NULL */
    int32_t kept_channels;          /* the last ones, which are alpha, and a mask's */
};

/* The border of operation i's source, in pixels; 0 after the last operation. */
int64_t chain_halo(const struct operations *operations, int i);

/* The edge rule of smooth. */
enum edge chain_edge(const struct operations *operations);

/* How many rows above and below some rows of the result all operations need. */
int64_t chain_reach(const struct operations *operations);

/* Are there transposes, where some rows need all? Does the last row of the source become the first
 * of the result? */
bool chain_transposes(const struct operations *operations);
bool chain_turns(const struct operations *operations);

/* Makes the chain to all rows of the result from an image of this shape. Its views have only a
 * shape. Returns that of the result. */
struct shape chain_make(const struct operations *operations, const struct shape *shape,
                        struct chain *chain);

/* Makes of a chain without transposes that to rows first..last-1 of the result, whose image has
 * `height`. Returns the row of the image that the first src begins with: with EDGE_WRAP it may
 * begin above the image and end below it, where the image repeats. */
int64_t chain_take_rows(const struct operations *operations, int64_t height, int64_t first,
                        int64_t last, struct chain *chain);

#endif
