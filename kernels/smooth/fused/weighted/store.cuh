/* SPDX-License-Identifier: MIT */
/* Storing pixels that lie side by side, from their t's (fused/arithmetic.cuh). */
#ifndef SMOOTHIMG_FUSED_WEIGHTED_STORE_CUH
#define SMOOTHIMG_FUSED_WEIGHTED_STORE_CUH

#include "kernels/smooth/fused/arithmetic.cuh"
#include "kernels/smooth/fused/weighted/windows.cuh"

/* Stores the whole numbers of the first `valid` pixels. aligned: `to` is, to the bytes of all
 * pixels, or to 16. */
template <typename Sample, int PIXELS, int CHANNELS>
__device__ __forceinline__ void store_pixels(Sample *to, const double (&t)[PIXELS][CHANNELS],
                                             int valid, bool aligned)
{
    constexpr int samples = PIXELS * CHANNELS, in_word = 4 / (int)sizeof(Sample);
    constexpr size_t bytes = samples * sizeof(Sample);
    struct alignas(bytes < 16 ? bytes : 16) {
        uint32_t words[samples / in_word];
    } pixels;
    const auto at = [&](int k) { return t[k / CHANNELS][k % CHANNELS]; };

#pragma unroll
    for (int w = 0; w < samples / in_word; w++)
        if constexpr (in_word == 4)
            pixels.words[w] = totals_in_doubles::pack_bytes(at(4 * w), at(4 * w + 1), at(4 * w + 2),
                                                            at(4 * w + 3));
        else
            pixels.words[w] = totals_in_doubles::pack_halves(at(2 * w), at(2 * w + 1));
    if (aligned && valid >= PIXELS) {
        *reinterpret_cast<decltype(pixels) *>(to) = pixels;
        return;
    }
#pragma unroll
    for (int k = 0; k < samples; k++)
        if (k < valid * CHANNELS)
            to[k] = (Sample)sample_in_words<Sample>(pixels.words, k);
}

#endif
