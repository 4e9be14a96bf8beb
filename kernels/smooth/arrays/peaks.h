/* SPDX-License-Identifier: MIT */
/* Finds the peaks of a tile's samples, by which errors are bounded. A peak has the greatest and the
 * least magnitude of some samples (struct array_peak). There is one for each block of the rows that
 * the tile reads. A slice is what all tiles of a column read at one coordinate of the first stage's
 * axis; its peaks are found once for the column. */
#ifndef SMOOTHIMG_ARRAYS_PEAKS_H
#define SMOOTHIMG_ARRAYS_PEAKS_H

#include "kernels/smooth/arrays/tile.h"

struct slice {
    int64_t place;           /* coordinate along the first stage's axis; -1: none */
    struct array_peak whole; /* peak of all its rows */
    struct array_peak plain; /* peak of its plain rows, whose blocks have no peaks of their own */
    bool has_blocks;         /* its other rows have a peak for each block */
};

struct peaks {
    struct slice *slices;
    struct array_peak *blocks_of_slices;
    struct array_peak *blocks; /* the peaks of the tile's blocks */
    struct array_peak all;
};

/* Returns how many blocks a row of a tile has, including the samples on both sides on which results
 * depend. */
int64_t peaks_blocks(const struct array_tiling *tiling);

/* Takes memory for the peaks from *memory, which it advances. */
void peaks_lay_out(struct peaks *peaks, const struct array_tiling *tiling, uintptr_t *memory);

/* Marks all slices as unknown, before the first tile of another column. */
void peaks_forget(struct peaks *peaks, const struct array_tiling *tiling);

/* Finds the peaks of a tile, after tile_begin(): one for each block of a row, and one of all
 * samples. */
void peaks_find(struct peaks *peaks, const struct tile *tile);

/* Returns the peak of all samples on which a block of results depends. The block begins at index x
 * of a row. */
struct array_peak peaks_in_reach(const struct peaks *peaks, const struct array_scheme *scheme,
                                 int64_t x);

/* True if all samples are 0, or positive and not tiny. */
bool peak_is_plain(const struct array_peak *peak);

/* True if results in the box depend on values outside of the array. */
bool peaks_read_outside(const struct array_scheme *scheme, const struct box *box);

#endif
