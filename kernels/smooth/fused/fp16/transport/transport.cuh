/* SPDX-License-Identifier: MIT */
/* Copies the image into the shared memory of fused_fp16, and the outputs out of it, in a way that
 * depends on the GPU's generation. A transport is a type of kernel argument that describes the
 * source and the result; its members give the constants that differ between generations.
 * transport/bulk.cuh and transport/async.cuh have the copies, transport/ends.cuh those at the ends
 * of the image. */
#ifndef SMOOTHIMG_FUSED_FP16_TRANSPORT_CUH
#define SMOOTHIMG_FUSED_FP16_TRANSPORT_CUH

#include "kernels/smooth/fused/block_row.cuh"
#include "kernels/smooth/fused/fp16/mma.cuh"

/* On Hopper one thread starts the copies, which the TMA (tensor memory accelerator) makes box by
 * box. */
struct fp16_bulk {
    CUtensorMap in, side, out;
    int left, above; /* column and row of the source's first sample in the maps `in` and `side` */

    static constexpr bool bulk = true;

    /* arch: __CUDA_ARCH__ of the code that the GPU runs */
    __host__ __device__ static constexpr bool is_compiled_for(int arch)
    {
        return arch == 900;
    }
};

/* On GPUs of capability 8.x each lane of the helping warps loads 16 bytes at a time (cp.async), and
 * stores 16 bytes at a time. */
struct fp16_async {
    static constexpr bool bulk = false;

    __host__ __device__ static constexpr bool is_compiled_for(int arch)
    {
        return arch >= 800 && arch < 900;
    }
};

static inline int64_t row_samples(const struct view &view)
{
    return view.width * view.channels;
}

#endif
