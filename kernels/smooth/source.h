/* SPDX-License-Identifier: MIT */
/* Reads the source of a piece (the part of a request that one call computes) on the CPU. For
 * samples that do not exist the edge rule applies. */
#ifndef SMOOTHIMG_SMOOTH_SOURCE_H
#define SMOOTHIMG_SMOOTH_SOURCE_H

#include "kernels/common/edge.h"
#include "kernels/common/numbers.h"
#include "kernels/common/sample.h"
#include "kernels/variant.h"

/* Returns the column of the existing pixel that the edge rule copies to column x (x itself, if
 * pixel x exists), or NOWHERE if it makes pixel x zero. */
static inline int64_t source_column_index(const struct piece *piece, int64_t x)
{
    return edge_place((enum edge)piece->request->edge, x, piece->beside.left, piece->src.width,
                      piece->beside.right);
}

/* Returns how many of the existing rows or columns on one side of src the filter may read. beside:
 * how many exist on this side; other: on the opposite side. The filter reads at most `halo` of
 * them. But with EDGE_WRAP, if one side has fewer than `halo`, the filter goes on from the far end
 * of the other side, and may read all rows or columns of both sides. */
static inline int64_t source_reached(const struct piece *piece, int64_t beside, int64_t other,
                                     int64_t halo)
{
    return piece->request->edge == EDGE_WRAP && min(beside, other) < halo ? beside
                                                                          : min(beside, halo);
}

/* Returns the index of the existing sample that the edge rule copies to sample i of a row (i
 * itself, if that sample exists), or NOWHERE if it makes sample i zero. Indices count samples from
 * the first one of pixel 0; i >= -halo_x * channels. */
static inline int64_t source_sample_index(const struct piece *piece, int64_t i)
{
    const int64_t step = piece->src.channels, shifted = i + piece->request->halo_x * step;
    const int64_t column = source_column_index(piece, shifted / step - piece->request->halo_x);

    return column == NOWHERE ? NOWHERE : column * step + shifted % step;
}

/* Returns the address of pixel 0 in row y or, if row y does not exist, in the row that the edge
 * rule copies to it; NULL if the edge rule makes row y zero. */
static inline const void *source_row(const struct piece *piece, int64_t y)
{
    const int64_t row = edge_place((enum edge)piece->request->edge, y, piece->beside.above,
                                   piece->src.height, piece->beside.below);

    return row == NOWHERE ? NULL : (const char *)piece->src.origin + row * piece->src.stride_bytes;
}

static inline uint32_t source_get(const struct piece *piece, int64_t y, int64_t x, int32_t channel)
{
    const int64_t column = source_column_index(piece, x);
    struct view row = piece->src;

    row.origin = (void *)source_row(piece, y);
    return !row.origin || column == NOWHERE ? 0 : sample_get(&row, 0, column, channel);
}

/* True if all samples in the window of sample i of row y exist. i counts samples from the first one
 * of pixel 0. */
static inline bool source_has_window(const struct piece *piece, int64_t y, int64_t i)
{
    const struct beside *beside = &piece->beside;
    const int64_t step = piece->src.channels, reach = piece->request->halo_x * step;

    return y + beside->above >= piece->request->halo_y &&
           y + piece->request->halo_y < piece->src.height + beside->below &&
           i + beside->left * step >= reach &&
           i + reach < (piece->src.width + beside->right) * step;
}

#endif
