/* SPDX-License-Identifier: MIT */
/* Cuts a job on the host into tiles: boxes of results, each computed by one thread.
 *
 * A stage is all passes along one axis (scheme.h). A number is a sample converted to a real number,
 * its weight, or a sum. */
#ifndef SMOOTHIMG_ARRAYS_TILING_H
#define SMOOTHIMG_ARRAYS_TILING_H

#include "kernels/smooth/arrays/host/recursions.h"
#include "kernels/smooth/arrays/scheme.h"

struct array_tiling {
    const struct array_scheme *scheme;
    const struct array_loops *loops;
    const struct smooth_cosines_loops *cosines_loops;
    const struct array_cosines *cosines; /* sums of cosines in place of taps (cosines.h); or NULL */
    int64_t block[ARRAY_STAGES];  /* [s]: greatest extent of a tile along the axis of stage s */
    int64_t counts[ARRAY_STAGES]; /* [s]: how many tiles there are along that axis */
    int64_t tiles;                /* tiles of the whole job */
};

/* Returns the tiling that is predicted to take the least time. */
struct array_tiling array_tiling_of(const struct array_scheme *scheme,
                                    const struct array_cosines *cosines);

/* Sets `counts` and `tiles` from the other members. */
void array_tiling_count(struct array_tiling *tiling);

/* Returns how many coordinates along the stage's axis its passes read for `extent` adjacent
 * results. */
int64_t array_reach(const struct stage *stage, int64_t extent);

/* Returns the distance from one row of a tile to the next, in numbers. A row has `pixels` pixels of
 * results, and on both sides the other pixels on which these depend. */
int64_t array_pitch(const struct array_scheme *scheme, int64_t pixels);

/* Returns how many 64-bit words of memory a tile with these extents takes if each number has
 * `words` words. descends: recursions sum down its columns. */
int64_t array_tile_words(const struct array_scheme *scheme, const int64_t *extents, int words,
                         bool descends);

/* Returns how many 64-bit words of memory the smallest useful tile takes, if each number has
 * `words` words. In a smaller tile the results would share too little of what they read. */
int64_t array_least_words(const struct array_scheme *scheme, int words);

/* Returns how many samples of the result a tile has. */
int64_t array_tile_samples(const struct array_scheme *scheme, const int64_t *extents);

/* Returns the predicted time of a tile, counted in products of a number and a tap. */
double array_tile_products(const struct array_scheme *scheme, const int64_t *extents);

#endif
