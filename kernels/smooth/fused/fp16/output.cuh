/* SPDX-License-Identifier: MIT */
/* What the computing warps of fused_fp16 make of a step's totals: samples in the order of the
 * image, and fractions. */
#ifndef SMOOTHIMG_FUSED_FP16_OUTPUT_CUH
#define SMOOTHIMG_FUSED_FP16_OUTPUT_CUH

#include "kernels/smooth/fused/fp16/shape.cuh"

/* Two samples of each of two rows: the first's totals a, b, the second's c, d. */
__device__ __forceinline__ uint32_t round_pair(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    /* bytes 1 and 2 hold the sample's eight bits, one place too low */
    return __byte_perm(__byte_perm(a, c, 0x6521) << 1, __byte_perm(b, d, 0x6521) << 1, 0x7531);
}

/* A lane's outputs of a step: in each word two neighbouring samples of a row, and the two below.
 * Its two neighbouring pixels, or samples, of each tile follow one another. fractions: of each
 * tile's first and second output, in two rows. */
template <class Shape>
__device__ __forceinline__ void round_step(uint32_t (&packed)[Shape::tiles],
                                           uint32_t (&fractions)[Shape::tiles][2],
                                           const float (&totals)[Shape::tiles][4])
{
    constexpr int planes = Shape::planes;
    uint32_t bits[Shape::tiles][4];

#pragma unroll
    for (int tile = 0; tile < Shape::tiles; tile++) {
#pragma unroll
        for (int i = 0; i < 4; i++)
            bits[tile][i] = __float_as_uint(totals[tile][i]);
        fractions[tile][0] = __byte_perm(bits[tile][0], bits[tile][1], 0x5410);
        fractions[tile][1] = __byte_perm(bits[tile][2], bits[tile][3], 0x5410);
    }
#pragma unroll
    for (int i = 0; i < Shape::tiles; i++) {
        const int tile = i / planes * planes, first = 2 * (i % planes), second = first + 1;
        const uint32_t *a = &bits[tile + first % planes][first / planes * 2];
        const uint32_t *c = &bits[tile + second % planes][second / planes * 2];

        packed[i] = round_pair(a[0], a[1], c[0], c[1]);
    }
}

/* Where a lane writes its first outputs, in the first step of a buffer. */
template <class Shape>
__device__ __forceinline__ uint32_t output_of_lane(const fp16_memory<Shape> &memory, int warp,
                                                   int lane)
{
    const int left = Shape::warp_columns * warp;

    if (Shape::planes == 1 && Shape::bulk) /* as store_matrices_transposed wants it */
        return shared_address(memory.out) +
               place_of_output<Shape>((uint32_t)(left + lane / 8 * 16), (uint32_t)(lane % 8));
    return shared_address(memory.out) +
           place_of_output<Shape>((uint32_t)(left + lane / 4 * 2 * Shape::planes),
                                  (uint32_t)(lane % 4 * 2));
}

/* Writes a lane's outputs. Swizzled, the row below lies in the next line with bit 4 of the address
 * the other way round; 16 samples further are bits 4 and 5, and 16 pixels of two planes bit 5. */
template <class Shape>
__device__ __forceinline__ void store_packed(uint32_t to, const uint32_t (&packed)[Shape::tiles])
{
    const uint32_t below = (to + ROW_BYTES) ^ 16;

    if constexpr (Shape::planes == 1 && Shape::bulk) {
        store_matrices_transposed(to, packed);
    } else if constexpr (Shape::planes == 1) {
#pragma unroll
        for (int tile = 0; tile < Shape::tiles; tile++) {
            store_16(to ^ (16 * (uint32_t)tile), (uint16_t)packed[tile]);
            store_16(below ^ (16 * (uint32_t)tile), (uint16_t)(packed[tile] >> 16));
        }
    } else if constexpr (Shape::planes == 2) {
#pragma unroll
        for (int tile = 0; tile < Shape::tiles; tile += 2) {
            store_32(to ^ (16 * (uint32_t)tile),
                     __byte_perm(packed[tile], packed[tile + 1], 0x5410));
            store_32(below ^ (16 * (uint32_t)tile),
                     __byte_perm(packed[tile], packed[tile + 1], 0x7632));
        }
    } else if constexpr (Shape::planes == 3) {
#pragma unroll
        for (uint32_t i = 0; i < 3; i++) {
            store_16(to + 2 * i, (uint16_t)packed[i]);
            store_16(to + Shape::out_box + 2 * i, (uint16_t)(packed[i] >> 16));
        }
    } else {
        store_64(to, __byte_perm(packed[0], packed[1], 0x5410),
                 __byte_perm(packed[2], packed[3], 0x5410));
        store_64(below, __byte_perm(packed[0], packed[1], 0x7632),
                 __byte_perm(packed[2], packed[3], 0x7632));
    }
}

#endif
