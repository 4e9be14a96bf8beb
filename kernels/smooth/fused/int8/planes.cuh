/* SPDX-License-Identifier: MIT */
/* Reads the image as an operand for fused_int8: the bytes of 16 neighbouring samples, or, with
 * planes, the bytes of one channel of 16 pixels, gathered from between the other channels.
 *
 * These 16 samples or pixels are a tile. */
#ifndef SMOOTHIMG_FUSED_INT8_PLANES_CUH
#define SMOOTHIMG_FUSED_INT8_PLANES_CUH

#include "kernels/smooth/fused/copies.cuh"
#include "kernels/smooth/fused/int8/mma.cuh"
#include "kernels/smooth/fused/int8/plan.cuh"

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

    if constexpr (Shape::planes == 1)
        bytes[0] = words[0];
    else
#pragma unroll
        for (int plane = 0; plane < Shape::planes; plane++) {
            bytes[plane] = __byte_perm(words[0], words[1], selector_of_plane<Shape>(plane, 1));
#pragma unroll
            for (int word = 2; word < Shape::planes; word++)
                if (selector_of_plane<Shape>(plane, word) != as_it_is)
                    bytes[plane] = __byte_perm(bytes[plane], words[word],
                                               selector_of_plane<Shape>(plane, word));
        }
}

/* Loads 32 bytes of each row of each tile as an operand: b[tile][0] and [1] are the registers b0
 * and b1 of int8/mma.cuh. at: the address of the lane's first word of the first tile. */
template <class Shape>
__device__ __forceinline__ void load_tiles(uint32_t (&b)[Shape::together][2], uint32_t at)
{
#pragma unroll
    for (int tile = 0; tile < Shape::together; tile += Shape::planes)
#pragma unroll
        for (int half = 0; half < 2; half++) {
            uint32_t words[Shape::planes], bytes[Shape::planes];

            load_words(words, at + 16 * (uint32_t)(Shape::bytes * tile + Shape::planes * half));
            gather_planes<Shape>(bytes, words);
#pragma unroll
            for (int plane = 0; plane < Shape::planes; plane++)
                b[tile + plane][half] = bytes[plane];
        }
}

#endif
