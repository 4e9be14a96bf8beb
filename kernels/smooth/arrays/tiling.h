/* SPDX-License-Identifier: MIT */
/* Cuts a job on the host into tiles: boxes of results, each computed by one thread. */
#ifndef SMOOTHIMG_ARRAYS_TILING_H
#define SMOOTHIMG_ARRAYS_TILING_H

#include "kernels/smooth/arrays/scheme.h"

struct array_tiling {
    const struct array_scheme *scheme;
    const struct array_loops *loops;
    int64_t block[ARRAY_STAGES];  /* most places of a tile along each stage */
    int64_t counts[ARRAY_STAGES]; /* of tiles */
    int64_t tiles;                /* tiles in one column, along the first stage's axis */
};

/* The sizes that cost least. */
struct array_tiling array_tiling_of(const struct array_scheme *scheme);

/* Counts the tiles from their sizes. The scheme is set. */
void array_tiling_count(struct array_tiling *tiling);

/* Returns the most places of a stage that results of this extent read. */
int64_t array_reach(const struct stage *stage, int64_t extent);

/* Returns the numbers of a row of a tile, including those beside it. */
int64_t array_pitch(const struct array_scheme *scheme, int64_t pixels);

/* Returns how many words a tile takes if its numbers have so many 64-bit words. */
int64_t array_tile_words(const struct array_scheme *scheme, const int64_t *extents, int words);

/* The same for a box that is large enough for its results to share most of what they read. */
int64_t array_least_words(const struct array_scheme *scheme, int words);

/* Returns the cost of a tile, in products of its numbers. */
double array_tile_products(const struct array_scheme *scheme, const int64_t *extents);

#endif
