/* SPDX-License-Identifier: MIT */
/* Reads the image as an operand for fused_int8: the bytes of 16 neighbouring samples, or, with
 * planes, the bytes of one channel of 16 pixels, gathered from between the other channels.
 *
 * These 16 samples or pixels are a tile. */
#ifndef SMOOTHIMG_FUSED_INT8_PLANES_CUH
#define SMOOTHIMG_FUSED_INT8_PLANES_CUH

#include "kernels/smooth/fused/int8/mma.cuh"
#include "kernels/smooth/fused/int8/plan.cuh"

/* Returns the address at which a lane reads a warp's tiles. With one plane, the lane passes it to
 * load_matrices(), as the address of a row of 16 bytes; each call loads two units of 16 bytes of
 * one tile and two of the next. With planes, it is the address of the words that hold the lane's
 * own four bytes of each plane. */
template <class Shape>
__device__ __forceinline__ const char *lane_of_tiles(const char *rows, int row_bytes, int lane)
{
    if constexpr (Shape::planes == 1)
        return rows + lane % 8 * row_bytes + 16 * (lane / 8 % 2 + lane / 16 * Shape::bytes);
    else
        return rows + lane / 4 * row_bytes + 4 * Shape::planes * (lane % 4);
}

/* Reads COUNT words of shared memory with as few loads as possible. */
template <int COUNT>
__device__ __forceinline__ void load_words(uint32_t (&words)[COUNT], uint32_t address)
{
    if constexpr (COUNT == 2) {
        const uint2 two = load_shared<uint2>(address);

        words[0] = two.x;
        words[1] = two.y;
    } else if constexpr (COUNT == 4) {
        load_four(words, load_shared<uint4>(address));
    } else {
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            words[i] = load_shared<uint32_t>(address + 4 * (uint32_t)i);
    }
}

/* A plane is one channel, gathered from the pixels in `planes` words. Returns the index, in these
 * words, of the byte that becomes byte i of the plane's gathered word. */
template <class Shape> __device__ constexpr int byte_of_plane(int plane, int i)
{
    return (i / Shape::bytes * Shape::planes + plane) * Shape::bytes + i % Shape::bytes;
}

/* Returns a selector for __byte_perm() that gathers the bytes of a plane. If `word` is 1, the
 * arguments of __byte_perm() are words 0 and 1; if it is higher, they are the bytes gathered so far
 * and that word. */
template <class Shape> __device__ constexpr uint32_t selector_of_plane(int plane, int word)
{
    uint32_t selector = 0;

    for (int i = 0; i < 4; i++) {
        const int byte = byte_of_plane<Shape>(plane, i);
        const int from = word < 2 ? byte % 8 : byte / 4 == word ? 4 + byte % 4 : i;

        selector |= (uint32_t)from << (4 * i);
    }
    return selector;
}

/* Gathers four bytes of each plane, which is one channel, from the pixels in `planes` words. */
template <class Shape>
__device__ __forceinline__ void gather_planes(uint32_t (&bytes)[Shape::planes],
                                              const uint32_t (&words)[Shape::planes])
{
    constexpr uint32_t as_it_is = 0x3210;

#pragma unroll
    for (int plane = 0; plane < Shape::planes; plane++) {
        bytes[plane] = __byte_perm(words[0], words[1], selector_of_plane<Shape>(plane, 1));
#pragma unroll
        for (int word = 2; word < Shape::planes; word++)
            if (selector_of_plane<Shape>(plane, word) != as_it_is)
                bytes[plane] =
                    __byte_perm(bytes[plane], words[word], selector_of_plane<Shape>(plane, word));
    }
}

/* Loads 32 bytes of each row of each tile as an operand: b[tile][0] and [1] are the registers b0
 * and b1 of int8/mma.cuh. */
template <class Shape>
__device__ __forceinline__ void load_tiles(uint32_t (&b)[Shape::tiles][2], const char *at)
{
    if constexpr (Shape::planes == 1) {
#pragma unroll
        for (int tile = 0; tile < Shape::tiles; tile += 2) {
            uint32_t words[4];

            load_matrices(words, shared_address(at + 16 * Shape::bytes * tile));
#pragma unroll
            for (int i = 0; i < 4; i++)
                b[tile + i / 2][i % 2] = words[i];
        }
    } else {
#pragma unroll
        for (int tile = 0; tile < Shape::tiles; tile += Shape::planes)
#pragma unroll
            for (int half = 0; half < 2; half++) {
                uint32_t words[Shape::planes], bytes[Shape::planes];

                load_words(words, shared_address(at) +
                                      16 * (uint32_t)(Shape::bytes * tile + Shape::planes * half));
                gather_planes<Shape>(bytes, words);
#pragma unroll
                for (int plane = 0; plane < Shape::planes; plane++)
                    b[tile + plane][half] = bytes[plane];
            }
    }
}

#endif
