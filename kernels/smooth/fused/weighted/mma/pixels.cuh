/* SPDX-License-Identifier: MIT */
/* How fused_weighted_mma loads pixels. */
#ifndef SMOOTHIMG_FUSED_WEIGHTED_MMA_PIXELS_CUH
#define SMOOTHIMG_FUSED_WEIGHTED_MMA_PIXELS_CUH

#include "kernels/smooth/fused/weighted/windows.cuh"

#define MMA_COLUMNS 2 /* pixels that a lane loads at once */

/* Pixels side by side. */
template <typename Sample, int CHANNELS> struct mma_pixels {
    static constexpr int in_word = 4 / (int)sizeof(Sample);
    static constexpr int samples = MMA_COLUMNS * CHANNELS, count = samples / in_word;

    uint32_t words[count];

    /* The colours times alpha, and alpha, of a pixel, in units of 2^-1074. */
    __device__ __forceinline__ void get_values(double (&values)[CHANNELS], int pixel) const
    {
        const int first = pixel * CHANNELS;
        const uint32_t alpha = sample_in_words<Sample>(words, first + CHANNELS - 1);

#pragma unroll
        for (int c = 0; c < CHANNELS - 1; c++)
            values[c] = subnormal_of((uint64_t)alpha * sample_in_words<Sample>(words, first + c));
        values[CHANNELS - 1] = subnormal_of(alpha);
    }

    __device__ __forceinline__ void load_aligned(const char *from)
    {
        if constexpr (count == 1) {
            words[0] = *reinterpret_cast<const uint32_t *>(from);
        } else if constexpr (count == 2) {
            const uint2 two = *reinterpret_cast<const uint2 *>(from);

            words[0] = two.x;
            words[1] = two.y;
        } else {
            const uint4 four = *reinterpret_cast<const uint4 *>(from);

            words[0] = four.x;
            words[1] = four.y;
            words[2] = four.z;
            words[3] = four.w;
        }
    }

    /* Sample by sample, no pixel but the first `pixels`, the last of which takes the others'
     * places. */
    __device__ __forceinline__ void load_samples(const Sample *from, int pixels)
    {
#pragma unroll
        for (int i = 0; i < count; i++)
            words[i] = 0;
#pragma unroll
        for (int k = 0; k < samples; k++)
            words[k / in_word] |=
                (uint32_t)from[min(k / CHANNELS, pixels - 1) * CHANNELS + k % CHANNELS]
                << k % in_word * (32 / in_word);
    }
};

/* Columns of the image. */
template <typename Sample, int CHANNELS> struct mma_columns {
    const char *first; /* the first column's first pixel */
    int64_t stride;
    int last;   /* row of the border; it is read in place of those below it */
    int pixels; /* of these that there are; at least one */
    bool aligned;

    __device__ __forceinline__ mma_pixels<Sample, CHANNELS> load(int row) const
    {
        const char *from = first + min(row, last) * stride;
        mma_pixels<Sample, CHANNELS> own;

        if (aligned && pixels == MMA_COLUMNS)
            own.load_aligned(from);
        else
            own.load_samples(reinterpret_cast<const Sample *>(from), pixels);
        return own;
    }
};

#endif
