/* SPDX-License-Identifier: MIT */
/* The product of matrices of bytes that tensor cores make from sm_80 on, exact in 32 bits. NVIDIA's
 * PTX manual defines it, and how the matrices lie over a warp's lanes (mma.m16n8k32). With g = lane
 * / 4 and t = lane % 4, a lane has
 *
 * - of A, 16 rows of 32 bytes: row g in a[0] and a[2], row g + 8 in a[1] and a[3]; bytes 4t..4t + 3
 *   of the row in a[0] and a[1], bytes 16 + 4t..16 + 4t + 3 in a[2] and a[3];
 *
 * - of B, 32 rows, 8 columns: bytes 4t..4t + 3 of column g in b0, bytes 16 + 4t..16 + 4t + 3 in b1;
 *
 * - of the result, 16 rows, 8 columns: columns 2t and 2t + 1 of row g, then of row g + 8. */
#ifndef SMOOTHIMG_FUSED_INT8_MMA_CUH
#define SMOOTHIMG_FUSED_INT8_MMA_CUH

#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ void load_four(uint32_t (&to)[4], const uint4 &from)
{
    to[0] = from.x;
    to[1] = from.y;
    to[2] = from.z;
    to[3] = from.w;
}

/* Returns x, computed once: nvcc would compute addresses again in each iteration of a loop, which
 * made a third of its instructions. */
template <typename T> __device__ __forceinline__ T kept(T x)
{
#ifdef __NVCC__
    asm volatile("" : "+r"(x));
#endif
    return x;
}

#ifdef __NVCC__
/* result = a * b + c. The whole warp calls it. */
__device__ __forceinline__ void multiply_bytes_32(uint32_t (&result)[4], const uint32_t *a,
                                                  uint32_t b0, uint32_t b1, const uint32_t (&c)[4])
{
    asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},"
        "{%10,%11,%12,%13};"
        : "=r"(result[0]), "=r"(result[1]), "=r"(result[2]), "=r"(result[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "r"(c[0]), "r"(c[1]),
          "r"(c[2]), "r"(c[3]));
}
#else
#include "emulated_tensor.h"
#endif

#endif
