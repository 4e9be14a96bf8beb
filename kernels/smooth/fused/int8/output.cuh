/* SPDX-License-Identifier: MIT */
/* What fused_digits writes: its outputs, and the list of those in doubt. */
#ifndef SMOOTHIMG_FUSED_DIGITS_OUTPUT_CUH
#define SMOOTHIMG_FUSED_DIGITS_OUTPUT_CUH

#include "fused_digits_memory.cuh"
#include "fused_repair.cuh"

/* Where outputs go: a lane's 16 bytes of one row of a step, or of two. */
struct digits_target {
    char *next;
    int64_t stride;
    int bytes; /* to the end of the image's row: 16 or more, or what there is */
    int rows;  /* to the end of the strip, from the lane's first one on */
};

template <int BYTES>
__device__ __forceinline__ digits_target target_of_strip(const view &dst, int64_t sample,
                                                         int64_t row, int rows, int lane)
{
    const int down = lane / (4 * BYTES), right = lane % (4 * BYTES) * 16;
    const int64_t bytes = (dst.width * dst.channels - sample) * BYTES - right;

    return {row_of<char>(dst, row + down) + sample * BYTES + right, dst.stride_bytes,
            (int)max(min(bytes, (int64_t)16), (int64_t)0), rows - down};
}

/* Writes a step's outputs by way of shared memory, 16 bytes at once. */
template <int BYTES>
__device__ __forceinline__ void store_step(digits_target &target, char *out,
                                           const uint32_t (&t)[DIGITS_TILES][4], int lane)
{
    constexpr int row_bytes = digits_memory<BYTES>::out_row, in_row = 4 * BYTES;
    char *to = out + lane % 4 * 2 * row_bytes + lane / 4 * 2 * BYTES;
    const char *from = out + lane / in_row * row_bytes + lane % in_row * 16;

#pragma unroll
    for (int tile = 0; tile < DIGITS_TILES; tile++)
#pragma unroll
        for (int i = 0; i < 2; i++) {
            void *pair = to + i * row_bytes + 16 * tile * BYTES;

            if constexpr (BYTES == 1)
                *static_cast<uint16_t *>(pair) =
                    (uint16_t)__byte_perm(t[tile][i], t[tile][2 + i], 0x0073);
            else
                *static_cast<uint32_t *>(pair) = __byte_perm(t[tile][i], t[tile][2 + i], 0x7632);
        }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < BYTES; i++) {
        const char *unit = from + 4 * i * row_bytes;
        char *there = target.next + 4 * i * target.stride;

        if (4 * i < target.rows && target.bytes == 16)
            *reinterpret_cast<uint4 *>(there) = *reinterpret_cast<const uint4 *>(unit);
        else if (4 * i < target.rows)
#pragma unroll 1
            for (int byte = 0; byte < target.bytes; byte++)
                there[byte] = unit[byte];
    }
    target.next += 8 * target.stride;
    target.rows -= 8;
}

/* A warp's samples in doubt. They gather in shared memory: a place in the list takes a microsecond
 * to get, and the whole block would wait. */
struct digits_doubts {
    uint32_t *queue;    /* 512 step + 32 number of t + lane */
    int count;          /* in the queue */
    int64_t first, top; /* the warp's first output */
    int samples, rows;  /* from there to the ends of the image and the strip */
};

/* Where in the warp's outputs a doubt is. */
__device__ __forceinline__ int right_of(uint32_t doubt)
{
    return (int)(doubt / 128 % 4 * 16 + doubt % 32 / 4 * 2 + doubt / 64 % 2);
}

__device__ __forceinline__ int down_of(uint32_t doubt)
{
    return (int)(doubt / 512 * 8 + doubt % 4 * 2 + doubt / 32 % 2);
}

/* Empties the queue into the list. */
__device__ __forceinline__ void list_queue(digits_doubts &own, int channels, doubts *doubts,
                                           int64_t capacity, int lane)
{
    unsigned long long at = 0;

    __syncwarp();
    if (lane == 0)
        at = atomicAdd(&doubts->count, (unsigned long long)own.count);
    at = __shfl_sync(0xffffffff, at, 0);
    for (int i = lane; i < own.count; i += 32) {
        const int64_t sample = own.first + right_of(own.queue[i]);

        if (at + (unsigned)i < (unsigned long long)capacity)
            doubts->list[at + (unsigned)i] = {sample / channels, own.top + down_of(own.queue[i]),
                                              (int32_t)(sample % channels), 1};
    }
    __syncwarp();
    own.count = 0;
}

/* Whether any fraction's upper 16 bits are so low that it may be in doubt. */
template <int BYTES>
__device__ __forceinline__ bool any_low(const uint32_t (&t)[DIGITS_TILES][4], uint32_t doubt)
{
    constexpr uint32_t fractions = BYTES == 1 ? 0x6521 : 0x5410;
    uint32_t lowest = 0xffffffff;

#pragma unroll
    for (int tile = 0; tile < DIGITS_TILES; tile++)
#pragma unroll
        for (int i = 0; i < 4; i += 2)
            lowest = __vminu2(lowest, __byte_perm(t[tile][i], t[tile][i + 1], fractions));
    return min(lowest & 0xffff, lowest >> 16) <= doubt >> 16;
}

/* Puts a step's samples in doubt into the queue, and that into the list when it is half full. */
template <int BYTES>
__device__ __forceinline__ void queue_doubts(digits_doubts &own, const digits_plan &plan,
                                             const uint32_t (&t)[DIGITS_TILES][4], int step,
                                             doubts *doubts, int64_t capacity, int lane)
{
    uint32_t which = 0, lanes;

    if (!__any_sync(0xffffffff, any_low<BYTES>(t, plan.doubt)))
        return;
#pragma unroll
    for (int i = 0; i < 4 * DIGITS_TILES; i++)
        which |= (t[i / 4][i % 4] << (8 * BYTES) < plan.doubt ? 1u : 0u) << i;
    while ((lanes = __ballot_sync(0xffffffff, which != 0)) != 0) {
        const uint32_t doubt =
            (uint32_t)(512 * step + 32 * (__ffs((int)which) - 1) + lane); /* if there is one */
        const bool inside = which && right_of(doubt) < own.samples && down_of(doubt) < own.rows;

        lanes = __ballot_sync(0xffffffff, inside);
        if (inside)
            own.queue[own.count + __popc(lanes & ((1u << lane) - 1))] = doubt;
        own.count += __popc(lanes);
        which &= which - 1;
        if (own.count > DIGITS_QUEUE - 32)
            list_queue(own, plan.channels, doubts, capacity, lane);
    }
}

#endif
