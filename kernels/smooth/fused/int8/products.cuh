/* SPDX-License-Identifier: MIT */
/* The matrix products of fused_int8, along the rows and down the columns. int8/plan.cuh defines the
 * sums, t, V and s.
 *
 * A tile is 16 samples of a row. The history, in shared memory, holds the sums along a row, V, for
 * the window's earlier rows. */
#ifndef SMOOTHIMG_FUSED_INT8_PRODUCTS_CUH
#define SMOOTHIMG_FUSED_INT8_PRODUCTS_CUH

#include "kernels/smooth/fused/int8/mma.cuh"
#include "kernels/smooth/fused/int8/memory.cuh"
#include "kernels/smooth/fused/int8/planes.cuh"

/* Returns a * b + c. It is written in PTX, since nvcc would compile two nested expressions of this
 * kind to three instructions instead of two. */
__device__ __forceinline__ uint32_t multiply_add(uint32_t a, uint32_t b, uint32_t c)
{
#ifdef __NVCC__
    asm("mad.lo.u32 %0,%0,%1,%2;" : "+r"(a) : "r"(b), "r"(c));
    return a;
#else
    return a * b + c;
#endif
}

/* Joins sums of products into one number: adds them, each times its place value, a power of 256,
 * divides the total by 2^s, and drops the fraction. int8/plan.cuh has the arithmetic. */
template <int COUNT>
__device__ __forceinline__ uint32_t join(const uint32_t (&sums)[COUNT][4], int i,
                                         const int8_plan &plan)
{
    const uint32_t low = COUNT == 4 ? sums[1][i] + (sums[0][i] >> 8) : sums[0][i];

    return multiply_add(sums[COUNT - 1][i], plan.upper,
                        multiply_add(sums[COUNT - 2][i], plan.middle, low >> plan.shift));
}

/* Adds a product to a sum. FIRST: the sum is the product alone. */
template <bool FIRST>
__device__ __forceinline__ void add_product(uint32_t (&sum)[4], const uint32_t *a, uint32_t b0,
                                            uint32_t b1)
{
    const uint32_t none[4] = {};

    if constexpr (FIRST)
        multiply_bytes_32(sum, a, b0, b1, none);
    else
        multiply_bytes_32(sum, a, b0, b1, sum);
}

/* Multiplies 32 bytes of each row of each tile by the weights, and adds the products to `sums`.
 * FIRST: the sums are these products alone. at, weights: addresses of the lane's first word of the
 * first tile, and of its words of the first sum's weights. */
template <class Shape, int COUNT, bool FIRST>
__device__ __forceinline__ void add_along(uint32_t (&sums)[Shape::together][COUNT][4], uint32_t at,
                                          uint32_t weights)
{
    uint32_t b[Shape::together][2];

    load_tiles<Shape>(b, at);
#pragma unroll
    for (int sum = 0; sum < COUNT; sum++) {
        uint32_t a[4];

        load_four(a, load_shared<uint4>(weights + (uint32_t)(sum * ALONG_BYTES)));
#pragma unroll
        for (int tile = 0; tile < Shape::together; tile++)
            add_product<FIRST>(sums[tile][sum], a, b[tile][0], b[tile][1]);
    }
}

/* How many blocks an iteration of a loop over blocks computes. Two are quicker with four sums along
 * a row (16 bits; 8 bits at halos above 16, and in small images), and slower with three. */
template <int ALONG> constexpr int INT8_UNROLLED = ALONG == SUMS ? 2 : 1;

/* Computes V, the sums along eight rows, in the order of the next product's operand. v[tile][0] and
 * [2]: sample 2 (lane / 4) in row 2 (lane % 4) and in the next row; [1] and [3]: the sample to its
 * right. at: address of the lane's first word of the first tile. */
template <class Shape, int COUNT>
__device__ __forceinline__ void sum_along_rows(uint32_t (&v)[Shape::together][4],
                                               const int8_plan &plan, uint32_t at, uint32_t weights)
{
    uint32_t sums[Shape::together][COUNT][4];

    add_along<Shape, COUNT, true>(sums, at, weights);
#pragma unroll INT8_UNROLLED < COUNT>
    for (int block = 1; block < plan.along_blocks; block++) {
        at += 32 * Shape::planes;
        weights += COUNT * ALONG_BYTES;
        add_along<Shape, COUNT, false>(sums, at, weights);
    }
#pragma unroll
    for (int tile = 0; tile < Shape::together; tile++) {
        v[tile][0] = join<COUNT>(sums[tile], 0, plan);
        v[tile][1] = join<COUNT>(sums[tile], 2, plan);
        v[tile][2] = join<COUNT>(sums[tile], 1, plan);
        v[tile][3] = join<COUNT>(sums[tile], 3, plan);
    }
}

/* Multiplies V of eight rows by weights down the columns, and adds the products to `sums`. FIRST:
 * all sums begin with 0, except sums[..][1], which begin with `offset`. */
template <bool FIRST, int TILE_COUNT>
__device__ __forceinline__ void add_down(uint32_t (&sums)[TILE_COUNT][SUMS][4], uint32_t weights,
                                         const uint32_t (&v)[TILE_COUNT][4],
                                         const uint32_t (&offset)[4])
{
#pragma unroll
    for (int sum = 0; sum < SUMS; sum++) {
        const uint2 b = load_shared<uint2>(weights + (uint32_t)(sum * DOWN_BYTES));

#pragma unroll
        for (int tile = 0; tile < TILE_COUNT; tile++)
            if (FIRST && sum == 1) /* the unit of these sums is the offset's (int8_plan) */
                multiply_bytes_32(sums[tile][sum], v[tile], b.x, b.y, offset);
            else
                add_product<FIRST>(sums[tile][sum], v[tile], b.x, b.y);
    }
}

template <int TILE_COUNT>
__device__ __forceinline__ void load_history(uint32_t (&v)[TILE_COUNT][4], uint32_t history)
{
#pragma unroll
    for (int tile = 0; tile < TILE_COUNT; tile++)
        load_four(v[tile], load_shared<uint4>(history + (uint32_t)(tile * TILE_BYTES)));
}

template <class Shape>
__device__ __forceinline__ void store_history(uint32_t history,
                                              const uint32_t (&v)[Shape::together][4])
{
#pragma unroll
    for (int tile = 0; tile < Shape::together; tile++)
        store_shared(history + (uint32_t)(tile * TILE_BYTES),
                     make_uint4(v[tile][0], v[tile][1], v[tile][2], v[tile][3]));
}

/* Computes t, the totals of eight rows of outputs. t[tile][0] and [1]: sample 2 (lane / 4) in row 2
 * (lane % 4) and in the next row; [2] and [3]: the sample to its right. oldest: index in the
 * history of the window's first block of eight rows. last: V of the window's last block. */
template <class Shape, int ALONG>
__device__ __forceinline__ void sum_down_columns(uint32_t (*t)[4], const int8_plan &plan,
                                                 uint32_t weights, uint32_t history,
                                                 const uint32_t (&offset)[4], int oldest,
                                                 const uint32_t (&last)[Shape::together][4])
{
    const int before = plan.down_blocks - 1;
    uint32_t sums[Shape::together][SUMS][4], v[Shape::together][4];

    load_history(v, history + (uint32_t)oldest * Shape::history_bytes);
    add_down<true>(sums, weights, v, offset);
    add_down<false>(sums, weights + (uint32_t)(before * SUMS * DOWN_BYTES), last, offset);
#pragma unroll INT8_UNROLLED < ALONG>
    for (int block = 1; block < before; block++) {
        oldest = oldest + 1 < before ? oldest + 1 : 0;
        weights += SUMS * DOWN_BYTES;
        load_history(v, history + (uint32_t)oldest * Shape::history_bytes);
        add_down<false>(sums, weights, v, offset);
    }
#pragma unroll
    for (int tile = 0; tile < Shape::together; tile++)
#pragma unroll
        for (int i = 0; i < 4; i++)
            t[tile][i] = join<SUMS>(sums[tile], i, plan);
}

#endif
