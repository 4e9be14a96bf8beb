/* SPDX-License-Identifier: MIT */
/* The product of matrices of doubles that tensor cores make from sm_80 on, and shuffles and fma
 * before. NVIDIA's PTX manual defines how they lie over a warp's lanes (mma.m16n8k4). With g = lane
 * / 4 and t = lane % 4, a lane has
 *
 * - of A, 16 rows of 4: element t of row g, then of row g + 8;
 *
 * - of B, 4 rows, 8 columns: row t of column g;
 *
 * - of the sums, 16 rows, 8 columns: columns 2t and 2t + 1 of row g, then of row g + 8.
 *
 * A sum is that of four fma, each rounded to nearest, in the order of A's elements. The manual does
 * not say so: hence the test "GPU double products". */
#ifndef SMOOTHIMG_DOUBLE_PRODUCTS_CUH
#define SMOOTHIMG_DOUBLE_PRODUCTS_CUH

#include "kernels/common/launch.cuh"

#define PRODUCT_TERMS 4

#ifdef __NVCC__
/* sums += a * b. The whole warp calls it. */
__device__ __forceinline__ void add_doubles_4(double (&sums)[4], double a0, double a1, double b)
{
#if __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
        : "+d"(sums[0]), "+d"(sums[1]), "+d"(sums[2]), "+d"(sums[3])
        : "d"(a0), "d"(a1), "d"(b));
#elif __CUDA_ARCH__ >= 800 /* half of A at a time */
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};"
        : "+d"(sums[0]), "+d"(sums[1])
        : "d"(a0), "d"(b));
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};"
        : "+d"(sums[2]), "+d"(sums[3])
        : "d"(a1), "d"(b));
#else
    const unsigned g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;

#pragma unroll
    for (unsigned k = 0; k < PRODUCT_TERMS; k++)
#pragma unroll
        for (unsigned i = 0; i < 4; i++)
            sums[i] = fma(__shfl_sync(0xffffffffu, i < 2 ? a0 : a1, g * 4 + k),
                          __shfl_sync(0xffffffffu, b, (2 * t + i % 2) * 4 + k), sums[i]);
#endif
}
#else
#include "emulated_tensor.h"
#endif

#endif
