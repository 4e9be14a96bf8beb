/* SPDX-License-Identifier: MIT */
/* How the image gets into the shared memory of fused_fp16, and how the outputs leave it; this
 * depends on the GPU's generation. A transport is a type of kernel argument that describes the two
 * images; its members give the constants that differ between generations. transport/bulk.cuh and
 * transport/async.cuh have the copies, transport/ends.cuh those at the ends of the image. */
#ifndef SMOOTHIMG_FUSED_FP16_TRANSPORT_CUH
#define SMOOTHIMG_FUSED_FP16_TRANSPORT_CUH

#include "kernels/smooth/fused/block_row.cuh"
#include "kernels/smooth/fused/fp16/mma.cuh"

/* On Hopper one thread has the TMA (tensor memory accelerator) copy boxes. */
struct fp16_bulk {
    CUtensorMap in, side, out;
    int left, above; /* column and row of the source's first sample in the maps `in` and `side` */

    static constexpr bool bulk = true;
    static constexpr int alignment = 1024; /* of shared memory */

    /* arch: __CUDA_ARCH__ of the code that the GPU runs */
    __host__ __device__ static constexpr bool is_compiled_for(int arch)
    {
        return arch == 900;
    }
};

/* From capability 8.0 on, each lane of the helping warps loads 16 bytes (cp.async), and stores
 * 16. */
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

/* Returns, for each half of a word, the lesser of `lowest` and a fraction in bits 14..0, of which
 * bit 15 is ignored. Where the TMA exists, one instruction does that with doubled fractions. Older
 * GPUs would take many, so they compare half floats, which are in the order of their bits; a NaN
 * (1111.. at the top) counts as greater than any number. */
template <class Transport>
__device__ __forceinline__ uint32_t lower_fractions(uint32_t lowest, uint32_t fractions)
{
    return Transport::bulk ? __viaddmin_u16x2(fractions, fractions, lowest)
                           : min_with_absolute(lowest, fractions);
}

/* Returns, in each half of a word, the lesser of two results of lower_fractions(). */
template <class Transport> __device__ __forceinline__ uint32_t lower_of(uint32_t a, uint32_t b)
{
    return Transport::bulk ? __vminu2(a, b) : min_with_absolute(a, b);
}

/* Returns the threshold that fits these comparisons; `threshold` is in units of 2^-16. */
template <class Transport> __device__ __forceinline__ uint32_t threshold_of(uint32_t threshold)
{
    return (Transport::bulk ? threshold : (threshold + 1) / 2) * 0x10001u;
}

#endif
