/* SPDX-License-Identifier: MIT */
/* How the image comes into the shared memory of fused_fp16, and the outputs leave it: what a GPU's
 * generation decides. A transport is what the kernel gets of the two images; its members say what
 * else goes with it. transport/bulk.cuh and transport/async.cuh have the copies, transport/ends.cuh
 * those where the image ends. */
#ifndef SMOOTHIMG_FUSED_FP16_TRANSPORT_CUH
#define SMOOTHIMG_FUSED_FP16_TRANSPORT_CUH

#include "kernels/smooth/fused/fp16/mma.cuh"

#define UNIT 16 /* bytes that are copied at a time; the TMA's boxes are made of them */

/* On Hopper one thread asks the TMA for boxes. */
struct fp16_bulk {
    CUtensorMap in, side, out;
    int left, above; /* where in the maps of the source its first sample is */

    static constexpr bool bulk = true;
    static constexpr int alignment = 1024; /* of shared memory */

    /* arch: __CUDA_ARCH__ */
    __host__ __device__ static constexpr bool is_compiled_for(int arch)
    {
        return arch == 900;
    }
};

/* On GPUs from 8.0 on the helping warps ask for 16 bytes a lane (cp.async), and store them so. */
struct fp16_async {
    char *out;
    int64_t out_stride;

    static constexpr bool bulk = false;
    static constexpr int alignment = 128;

    __host__ __device__ static constexpr bool is_compiled_for(int arch)
    {
        return arch >= 800 && arch < 900;
    }
};

static inline int64_t row_samples(const struct view &view)
{
    return view.width * view.channels;
}

/* For each half of a word the lesser of `lowest` and a fraction in bits 14..0; bit 15 of a fraction
 * is no part of it. By the TMA's generation: of the fraction doubled, in one instruction. By the
 * others, where that takes many: as half floats, whose order is that of their bits, and of which
 * one that is no number (1111.. in front) is more than any other. */
template <class Transport>
__device__ __forceinline__ uint32_t lower_fractions(uint32_t lowest, uint32_t fractions)
{
    return Transport::bulk ? __viaddmin_u16x2(fractions, fractions, lowest)
                           : min_with_absolute(lowest, fractions);
}

/* The same for two of its results. */
template <class Transport> __device__ __forceinline__ uint32_t lower_of(uint32_t a, uint32_t b)
{
    return Transport::bulk ? __vminu2(a, b) : min_with_absolute(a, b);
}

/* What those compare with: `threshold` in units of 2^-16. */
template <class Transport> __device__ __forceinline__ uint32_t threshold_of(uint32_t threshold)
{
    return (Transport::bulk ? threshold : (threshold + 1) / 2) * 0x10001u;
}

#endif
