/* SPDX-License-Identifier: MIT */
/* Cuts a job on the host into tiles: boxes of results, each computed by one thread. */
#ifndef SMOOTHIMG_ARRAYS_TILING_H
#define SMOOTHIMG_ARRAYS_TILING_H

#include "kernels/smooth/arrays/scheme.h"

struct array_tiling {
    const struct array_scheme *scheme;
    const struct array_loops *loops;
    int64_t block[ARRAY_STAGES];  /* most coordinates of a tile along each stage's axis */
    int64_t counts[ARRAY_STAGES]; /* tiles along each stage's axis */
    int64_t tiles;                /* tiles of the whole job */
};

/* Returns the sizes of tiles that cost least. */
struct array_tiling array_tiling_of(const struct array_scheme *scheme);

/* Sets `counts` and `tiles` from the other members. */
void array_tiling_count(struct array_tiling *tiling);

/* Returns the most coordinates of a stage's axis that `extent` results read. */
int64_t array_reach(const struct stage *stage, int64_t extent);

/* Returns the distance from one row of a tile to the next, in numbers: a row of `pixels` pixels of
 * results, and what the filter reaches on both sides. */
int64_t array_pitch(const struct array_scheme *scheme, int64_t pixels);

/* Returns how many 64-bit words of memory a tile with these extents takes, if each of its numbers
 * has `words` of them. */
int64_t array_tile_words(const struct array_scheme *scheme, const int64_t *extents, int words);

/* Returns the same for the smallest box whose results still share most of what they read. */
int64_t array_least_words(const struct array_scheme *scheme, int words);

/* Returns the cost of a tile: how many products of numbers and taps take as long. */
double array_tile_products(const struct array_scheme *scheme, const int64_t *extents);

#endif
