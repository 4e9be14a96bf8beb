/* SPDX-License-Identifier: MIT */
/* How smooth_layers reads and writes: a lane takes 8 bytes of a row at once, or sample by sample
 * where they are not aligned, or not all inside the image. */
#ifndef SMOOTHIMG_LAYERS_IMAGE_CUH
#define SMOOTHIMG_LAYERS_IMAGE_CUH

#include "kernels/common/edge.h"
#include "kernels/smooth/layers/numbers.cuh"

/* What is outside of the source. */
struct layers_border {
    enum edge edge;
    bool filled; /* the source has its border, and the rule is not asked */
    int64_t halo;
};

/* Not inlined, so that the loop over the rows stays short. The same rule as of the border's other
 * pixels: -1 where they are zero. */
__device__ __attribute__((noinline)) static int64_t pixel_outside(const layers_border &border,
                                                                  int64_t i, int64_t length)
{
    return border.filled ? max(-border.halo, min(i, length - 1 + border.halo))
                         : edge_index(border.edge, i, length);
}

#define ZERO_SAMPLE INT64_MIN

/* Where in a row the samples of a lane's columns, from sample x on, come from by the rule; or
 * ZERO_SAMPLE. Not inlined, and once for all rows: it divides. */
template <typename Sample, int CHANNELS, int COLUMNS>
__device__ __attribute__((noinline)) void find_columns(int64_t (&from)[COLUMNS], int64_t x,
                                                       int64_t width, const layers_border &border)
{
#pragma unroll 1
    for (int i = 0; i < COLUMNS; i++) {
        const int64_t shifted = x + i + (int64_t)1024 * CHANNELS; /* above 0 */
        const int64_t pixel = shifted / CHANNELS - 1024;
        const int64_t inside =
            pixel >= 0 && pixel < width ? pixel : pixel_outside(border, pixel, width);

        from[i] =
            inside != -1 || border.filled ? inside * CHANNELS + shifted % CHANNELS : ZERO_SAMPLE;
    }
}

/* A lane's columns of the source, from a row on, one row after the other. REACH: samples that its
 * outputs' windows reach beyond them, in all layers. INSIDE: all is there. */
template <typename Sample, int CHANNELS, int REACH, bool INSIDE> struct layers_source {
    const view &src;
    const layers_border &border;
    int64_t x, y;     /* the lane's first sample; the next row */
    const char *next; /* INSIDE: that sample of the next row */
    bool needed;      /* some output may depend on it */
    bool whole;       /* one load brings all */
    int64_t columns_from[INSIDE ? 1 : layer_numbers<Sample>::columns]; /* otherwise */

    __device__ __forceinline__ layers_source(const view &image, const layers_border &outside,
                                             int64_t first, int64_t top, bool aligned)
        : src(image), border(outside), x(first), y(top), next(NULL)
    {
        constexpr int columns = layer_numbers<Sample>::columns;
        const int64_t samples = src.width * CHANNELS;

        needed = x + columns > -REACH && x < samples + REACH;
        whole = aligned && (border.filled || (x >= 0 && x + columns <= samples));
        if constexpr (INSIDE)
            next = reinterpret_cast<const char *>(row_of<const Sample>(src, y) + x);
        else if (!whole)
            find_columns<Sample, CHANNELS>(columns_from, x, src.width, border);
    }

    __device__ __forceinline__ uint64_t load_inside()
    {
        const char *from = next;

        next += src.stride_bytes;
        return *reinterpret_cast<const uint64_t *>(from);
    }

    __device__ __forceinline__ uint64_t load_anywhere()
    {
        const int64_t from = y >= 0 && y < src.height ? y : pixel_outside(border, y, src.height);
        const Sample *row = row_of<const Sample>(src, from);

        y++;
        if (!needed || (from == -1 && !border.filled))
            return 0;
        return whole ? *reinterpret_cast<const uint64_t *>(row + x) : load_samples(row);
    }

    /* All loads at once: a warp that waits for one after the other takes 4 us a row. */
    __device__ __forceinline__ uint64_t load_samples(const Sample *row) const
    {
        uint64_t bytes = 0;

#pragma unroll
        for (int i = 0; i < layer_numbers<Sample>::columns; i++) {
            const bool zero = columns_from[i] == ZERO_SAMPLE;
            const uint64_t sample = zero ? 0 : row[columns_from[i]];

            bytes |= sample << (8 * (int)sizeof(Sample) * i);
        }
        return bytes;
    }

    __device__ __forceinline__ uint64_t load()
    {
        if constexpr (INSIDE)
            return load_inside();
        else
            return load_anywhere();
    }
};

/* Writes a lane's outputs, or the first `left` of them. aligned: to 8 bytes. */
template <bool INSIDE, typename Sample>
__device__ __forceinline__ void store_samples(Sample *to, uint64_t bytes, int64_t left,
                                              bool aligned)
{
    constexpr int columns = layer_numbers<Sample>::columns;

    if (INSIDE || (aligned && left >= columns)) {
        *reinterpret_cast<uint64_t *>(to) = bytes;
    } else {
#pragma unroll 1
        for (int i = 0; i < columns; i++)
            if (i < left)
                to[i] = (Sample)(bytes >> (8 * (int)sizeof(Sample) * i));
    }
}

#endif
