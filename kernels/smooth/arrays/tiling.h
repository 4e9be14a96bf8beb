/* SPDX-License-Identifier: MIT */
/* How the host cuts a job into tiles: boxes of results, that one thread computes at a time. */
#ifndef SMOOTHIMG_ARRAYS_TILING_H
#define SMOOTHIMG_ARRAYS_TILING_H

#include "kernels/smooth/arrays/scheme.h"

struct array_tiling {
    const struct array_scheme *scheme;
    const struct array_loops *loops;
    int64_t block[ARRAY_STAGES];  /* places of a tile along each stage, at most */
    int64_t counts[ARRAY_STAGES]; /* of tiles */
    int64_t tiles;                /* one column, along the first stage's axis, after the other */
};

/* The sizes that cost least. */
struct array_tiling array_tiling_of(const struct array_scheme *scheme);

/* Counts the tiles, by their sizes, of a scheme that is set. */
void array_tiling_count(struct array_tiling *tiling);

/* The places of a stage that results of an extent read, at most. */
int64_t array_reach(const struct stage *stage, int64_t extent);

/* Numbers of a row of a tile, with what is beside it. */
int64_t array_pitch(const struct array_scheme *scheme, int64_t pixels);

/* How many words a tile takes whose numbers have so many words of 64 bits. */
int64_t array_tile_words(const struct array_scheme *scheme, const int64_t *extents, int words);

/* The same of a box that is large enough for its results to share most of what they read. */
int64_t array_least_words(const struct array_scheme *scheme, int words);

/* What a tile costs, in products of its numbers. */
double array_tile_products(const struct array_scheme *scheme, const int64_t *extents);

#endif
