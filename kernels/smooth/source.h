/* SPDX-License-Identifier: MIT */
/* Reads the source of a piece on the CPU. For samples that do not exist the edge rule applies. */
#ifndef SMOOTHIMG_SMOOTH_SOURCE_H
#define SMOOTHIMG_SMOOTH_SOURCE_H

#include "kernels/common/edge.h"
#include "kernels/common/numbers.h"
#include "kernels/common/sample.h"
#include "kernels/variant.h"

/* Returns the existing row that the edge rule copies to row y, or NOWHERE. */
static inline int64_t source_row_index(const struct piece *piece, int64_t y)
{
    return edge_place((enum edge)piece->request->edge, y, piece->beside.above, piece->src.height,
                      piece->beside.below);
}

/* Returns the existing pixel that the edge rule copies to pixel x, or NOWHERE. */
static inline int64_t source_column_index(const struct piece *piece, int64_t x)
{
    return edge_place((enum edge)piece->request->edge, x, piece->beside.left, piece->src.width,
                      piece->beside.right);
}

/* Return how many samples of a row of src the filter reaches before the first pixel, and after the
 * last one. */
static inline int64_t source_samples_left(const struct piece *piece)
{
    return min(piece->beside.left, piece->request->halo_x) * piece->src.channels;
}

static inline int64_t source_samples_right(const struct piece *piece)
{
    return min(piece->beside.right, piece->request->halo_x) * piece->src.channels;
}

/* Returns how many of the `beside` rows or columns on one side the filter may read; `other`: those
 * on the other side. The filter may read at most halo of them. With EDGE_WRAP it may read all, if a
 * side has fewer than halo, since the filter then goes on from the far end. */
static inline int64_t source_reached(const struct piece *piece, int64_t beside, int64_t other,
                                     int64_t halo)
{
    return piece->request->edge == EDGE_WRAP && min(beside, other) < halo ? beside
                                                                          : min(beside, halo);
}

/* Returns the existing sample that the edge rule copies to sample i of a row, or NOWHERE; both
 * count from the first pixel. i is at least -halo_x pixels. */
static inline int64_t source_sample_index(const struct piece *piece, int64_t i)
{
    const int64_t step = piece->src.channels, shifted = i + piece->request->halo_x * step;
    const int64_t column = source_column_index(piece, shifted / step - piece->request->halo_x);

    return column == NOWHERE ? NOWHERE : column * step + shifted % step;
}

/* Returns row y from pixel 0 on, or NULL if its samples are zero. */
static inline const void *source_row(const struct piece *piece, int64_t y)
{
    const int64_t row = source_row_index(piece, y);

    return row == NOWHERE ? NULL : (const char *)piece->src.origin + row * piece->src.stride_bytes;
}

static inline uint32_t source_get(const struct piece *piece, int64_t y, int64_t x, int32_t channel)
{
    const int64_t row = source_row_index(piece, y), column = source_column_index(piece, x);

    return row == NOWHERE || column == NOWHERE ? 0 : sample_get(&piece->src, row, column, channel);
}

/* True if the whole window of sample i of row y exists. */
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
