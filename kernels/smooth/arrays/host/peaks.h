/* SPDX-License-Identifier: MIT */
/* Finds the peaks of the samples that a tile reads. Error bounds are computed from peaks. A peak
 * holds the greatest and the least magnitude of some samples (struct array_peak). A tile is the
 * part of the result that a thread computes at a time. A block is ARRAY_BLOCK adjacent indices of a
 * row; its peak is the peak of the samples at these indices in all rows that the tile reads. */
#ifndef SMOOTHIMG_ARRAYS_PEAKS_H
#define SMOOTHIMG_ARRAYS_PEAKS_H

#include "kernels/smooth/arrays/host/tile.h"

struct peaks {
    struct array_peak *blocks; /* the peaks of the tile's blocks */
    struct array_peak all;     /* the peak of all samples that the tile reads */
};

/* Returns how many blocks cover a row of a tile and the samples on both sides that its results
 * depend on. */
int64_t peaks_blocks(const struct array_tiling *tiling);

/* Finds the peak of each block of a tile, and the peak of all samples that the tile reads. If
 * bounds do not depend on the samples (scheme->bounds.scans is false), these peaks are the extremes
 * of the sample type. peaks->blocks has space for peaks_blocks() peaks. Call tile_begin() first. */
void peaks_find(struct peaks *peaks, const struct tile *tile);

/* Returns the peak of all samples on which ARRAY_BLOCK adjacent results of a row depend. x: index
 * of the first of these results. */
struct array_peak peaks_in_reach(const struct peaks *peaks, const struct array_scheme *scheme,
                                 int64_t x);

/* True if every sample from which the peak was found is finite, and is +0 or at least LEAST_PLAIN
 * (2^-600). */
bool peak_is_plain(const struct array_peak *peak);

/* True if results in the box may depend on the value outside of the array (EDGE_ZERO). */
bool peaks_read_outside(const struct array_scheme *scheme, const struct box *box);

#endif
