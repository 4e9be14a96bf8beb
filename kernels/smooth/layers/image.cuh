/* SPDX-License-Identifier: MIT */
/* How smooth_layers reads and writes. Where all is inside the image and aligned, a lane takes 8
 * bytes of a row at once; elsewhere it takes sample by sample. */
#ifndef SMOOTHIMG_LAYERS_IMAGE_CUH
#define SMOOTHIMG_LAYERS_IMAGE_CUH

#include "kernels/common/edge.h"
#include "kernels/smooth/layers/numbers.cuh"

/* The pixel or row that the rule copies to one outside; any where the samples there are zero, which
 * layers_outside fills in. Not inlined, since it is seldom needed and divides. */
__device__ __attribute__((noinline)) static int64_t index_outside(enum edge edge, int64_t i,
                                                                  int64_t length)
{
    return max(edge_index(edge, i, length), (int64_t)0);
}

__device__ __forceinline__ int64_t index_anywhere(enum edge edge, int64_t i, int64_t length)
{
    return i >= 0 && i < length ? i : index_outside(edge, i, length);
}

/* A lane's columns, anywhere, with one row on its way. Each sample has a load of its own, and all
 * are done at once. */
template <typename Sample, int CHANNELS> struct layers_samples {
    static constexpr int columns = layer_numbers<Sample>::columns;
    const view &src;
    enum edge edge;
    uint32_t from[columns]; /* where in a row they come from, in samples */
    Sample coming[columns];

    /* x: the lane's first sample, from -1024 pixels on. */
    __device__ __forceinline__ layers_samples(const view &image, enum edge rule, int64_t x)
        : src(image), edge(rule), coming()
    {
#pragma unroll
        for (int i = 0; i < columns; i++) {
            const int64_t shifted = x + i + (int64_t)1024 * CHANNELS; /* not below 0 */
            const int64_t pixel = shifted / CHANNELS - 1024;

            from[i] =
                (uint32_t)(index_anywhere(edge, pixel, src.width) * CHANNELS + shifted % CHANNELS);
        }
    }

    __device__ __forceinline__ void fetch(int64_t y)
    {
        const Sample *row = row_of<const Sample>(src, index_anywhere(edge, y, src.height));

#pragma unroll
        for (int i = 0; i < columns; i++)
            coming[i] = row[from[i]];
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
