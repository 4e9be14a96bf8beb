/* SPDX-License-Identifier: MIT */
/* Reads the source of a piece (the part of a request that one call computes) on a GPU. For samples
 * that do not exist the edge rule applies. */
#ifndef SMOOTHIMG_SMOOTH_SOURCE_CUH
#define SMOOTHIMG_SMOOTH_SOURCE_CUH

#include "kernels/common/edge.h"
#include "kernels/common/launch.cuh"

/* A kernel's argument: the pixels of a piece, the samples beside them, and the edge rule. */
struct source : view {
    struct beside beside;
    enum edge edge;
};

static inline source source_of(const struct piece *piece)
{
    return {piece->src, piece->beside, (enum edge)piece->request->edge};
}

/* Returns the index of the existing row that the edge rule copies to row y (y itself, if row y
 * exists), or NOWHERE if it makes row y zero. */
__device__ __forceinline__ int64_t source_row(const source &src, int64_t y)
{
    return edge_place(src.edge, y, src.beside.above, src.height, src.beside.below);
}

/* Returns the column of the existing pixel that the edge rule copies to column x (x itself, if
 * pixel x exists), or NOWHERE if it makes pixel x zero. */
__device__ __forceinline__ int64_t source_column(const source &src, int64_t x)
{
    return edge_place(src.edge, x, src.beside.left, src.width, src.beside.right);
}

/* Returns the index of the existing sample that the edge rule copies to sample i of a row (i
 * itself, if that sample exists), or NOWHERE if it makes sample i zero. Indices count samples from
 * the first one of pixel 0; sample i is less than 2^31 samples beyond an end of the row. */
__device__ __forceinline__ int64_t source_sample(const source &src, int64_t i)
{
    const int64_t channels = src.channels;
    const int64_t begin = -src.beside.left * channels;
    const int64_t end = (src.width + src.beside.right) * channels;

    if (i >= begin && i < end)
        return i;
    /* The distance from the row's end fits 32 bits, and divisions of 64 bits are slow. */
    const uint32_t all = (uint32_t)channels;
    const uint32_t beyond = (uint32_t)(i < begin ? begin - 1 - i : i - end);
    const int64_t pixels = beyond / all, rest = beyond % all;
    const int64_t column = source_column(src, i < begin ? -src.beside.left - 1 - pixels
                                                        : src.width + src.beside.right + pixels);

    return column == NOWHERE ? NOWHERE
                             : column * channels + (i < begin ? channels - 1 - rest : rest);
}

/* Returns the address of pixel 0 in row y or, if row y does not exist, in the row that the edge
 * rule copies to it; NULL if the edge rule makes row y zero. */
template <typename T> __device__ __forceinline__ const T *source_line(const source &src, int64_t y)
{
    const int64_t row = source_row(src, y);

    return row == NOWHERE ? nullptr : row_of<const T>(src, row);
}

/* Returns the address of the sample of pixel x, or of the pixel that the edge rule copies to x, in
 * a channel; NULL if the edge rule makes pixel x zero. line: the row's address, as source_line()
 * returns it. */
template <typename T>
__device__ __forceinline__ const T *source_at(const source &src, const T *line, int64_t x,
                                              int32_t channel)
{
    const int64_t column = line ? source_column(src, x) : NOWHERE;

    return column == NOWHERE ? nullptr : line + column * src.channels + channel;
}

/* Returns the sample of pixel x in a channel. line: the row's address, as source_line() returns it.
 * inside: pixel x is known to exist. If `inside` is false and pixel x does not exist, the edge rule
 * applies. */
template <typename T>
__device__ __forceinline__ T source_get(const source &src, const T *line, int64_t x,
                                        int32_t channel, bool inside)
{
    const T *sample =
        inside && line ? line + x * src.channels + channel : source_at(src, line, x, channel);

    return sample ? *sample : 0;
}

/* True if rows `first` to `last` exist. */
__device__ __forceinline__ bool source_has_rows(const source &src, int64_t first, int64_t last)
{
    return first + src.beside.above >= 0 && last < src.height + src.beside.below;
}

/* True if pixels `first` to `last` of a row exist. */
__device__ __forceinline__ bool source_has_columns(const source &src, int64_t first, int64_t last)
{
    return first + src.beside.left >= 0 && last < src.width + src.beside.right;
}

/* True if all samples in the window of a sample exist; `column` is the index of that sample in its
 * row, counted in samples. */
__device__ __forceinline__ bool source_has_window(const source &src, int halo_x, int halo_y,
                                                  int64_t row, int64_t column)
{
    const int64_t reach = (int64_t)halo_x * src.channels;

    return row + src.beside.above >= halo_y && row + halo_y < src.height + src.beside.below &&
           column + src.beside.left * src.channels >= reach &&
           column + reach < (src.width + src.beside.right) * src.channels;
}

#endif
