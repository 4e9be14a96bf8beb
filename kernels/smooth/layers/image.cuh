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

/* The 8 bytes from sample x of a row on, by the rule. */
template <typename Sample, int CHANNELS>
__device__ __attribute__((noinline)) uint64_t
load_samples(const Sample *row, int64_t x, int64_t width, const layers_border &border)
{
    constexpr int columns = layer_numbers<Sample>::columns;
    uint64_t bytes = 0;

#pragma unroll 1
    for (int i = 0; i < columns; i++) {
        const int64_t shifted = x + i + (int64_t)1024 * CHANNELS; /* above 0 */
        const int64_t pixel = shifted / CHANNELS - 1024;
        const int64_t from =
            pixel >= 0 && pixel < width ? pixel : pixel_outside(border, pixel, width);

        if (from != -1 || border.filled)
            bytes |= (uint64_t)row[from * CHANNELS + shifted % CHANNELS]
                     << (8 * (int)sizeof(Sample) * i);
    }
    return bytes;
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

    __device__ __forceinline__ layers_source(const view &image, const layers_border &outside,
                                             int64_t first, int64_t top, bool aligned)
        : src(image), border(outside), x(first), y(top), next(NULL)
    {
        constexpr int columns = layer_numbers<Sample>::columns;
        const int64_t samples = src.width * CHANNELS;

        needed = x + columns > -REACH && x < samples + REACH;
        whole = aligned && (border.filled || (x >= 0 && x + columns <= samples));
        if (INSIDE)
            next = reinterpret_cast<const char *>(row_of<const Sample>(src, y) + x);
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
        return whole ? *reinterpret_cast<const uint64_t *>(row + x)
                     : load_samples<Sample, CHANNELS>(row, x, src.width, border);
    }

    __device__ __forceinline__ uint64_t load()
    {
        return INSIDE ? load_inside() : load_anywhere();
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
