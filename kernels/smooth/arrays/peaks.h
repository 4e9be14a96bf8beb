/* SPDX-License-Identifier: MIT */
/* What a tile's samples are, by which errors are bounded: the peaks of each block of a row that it
 * reads. Those of a slice, all that tiles of a column read at one place of the first stage's axis,
 * are found once for the column. */
#ifndef SMOOTHIMG_ARRAYS_PEAKS_H
#define SMOOTHIMG_ARRAYS_PEAKS_H

#include "kernels/smooth/arrays/tile.h"

struct slice {
    int64_t place;           /* of the first stage's axis, or -1 */
    struct array_peak whole; /* of all its rows */
    struct array_peak plain; /* of its rows whose blocks need no peaks of their own */
    bool has_blocks;         /* of the others */
};

struct peaks {
    struct slice *slices;
    struct array_peak *blocks_of_slices;
    struct array_peak *blocks; /* of the tile */
    struct array_peak all;
};

/* How many blocks a row has, with what is beside it. */
int64_t peaks_blocks(const struct array_tiling *tiling);

/* Places them in *memory, which it moves on. */
void peaks_lay_out(struct peaks *peaks, const struct array_tiling *tiling, uintptr_t *memory);

/* Forgets the slices: another column begins. */
void peaks_forget(struct peaks *peaks, const struct array_tiling *tiling);

/* Finds the peaks of a tile, for which tile_begin() was called: of each block of a row, and of all.
 */
void peaks_find(struct peaks *peaks, const struct tile *tile);

/* Returns the peak of all samples that the block of results from number x of a row on reads. */
struct array_peak peaks_in_reach(const struct peaks *peaks, const struct array_scheme *scheme,
                                 int64_t x);

/* Are all samples 0, or positive and not tiny? */
bool peak_is_plain(const struct array_peak *peak);

/* Does a box read what is outside of the array? */
bool peaks_read_outside(const struct array_scheme *scheme, const struct box *box);

#endif
