/* SPDX-License-Identifier: MIT */
/* The code with which the helping warps (shape.cuh) repair unresolved samples. A repair sums the
 * window again, in integers, from the rows that are still in shared memory. The rows of the windows
 * of up to 32 samples are distributed over the lanes. Taps have 32 bits, and the sums of rows are
 * truncated to multiples of 2^-23 of a grey level. A sample that is still unresolved, about one in
 * 10^5 repairs, is summed exactly, as the definition (smooth/reference.c) does. If a round has too
 * many unresolved samples, fused_int8 computes all outputs of the thread block again.
 *
 * A round is 32 rows of outputs. The ring buffer in shared memory has slots for groups of 16 rows
 * of the image. A plane is one channel whose bytes are gathered from between the bytes of the other
 * channels. Each tap is split into REPAIR_DIGITS digits of a byte. */
#ifndef SMOOTHIMG_FUSED_FP16_REPAIR_CUH
#define SMOOTHIMG_FUSED_FP16_REPAIR_CUH

#include "kernels/smooth/fused/fp16/fp16.cuh"

/* Adds the products of the taps and a row of a window to the sums, digit by digit. offset: the
 * window's first byte in the row. All bytes of the window are multiplied; the bytes of other
 * channels are multiplied by 0. */
template <class Shape>
__device__ __forceinline__ void
add_window_row(uint32_t (&sums)[REPAIR_DIGITS], const fp16_memory<Shape> &memory,
               const tap_bytes &bytes, int slot, int row, int offset)
{
    /* The window may begin at any byte of a word, and with either word of a pair. */
    constexpr int words = (2 * Shape::most_reach + 7) / 4, pairs = (2 * Shape::most_reach + 15) / 8;
    constexpr int last = Shape::in_row + Shape::side_row - 8;
    uint32_t word[2 * pairs];

#pragma unroll
    for (int i = 0; i < pairs; i++) {
        const fp16_place place = place_of_input(memory, min((offset & ~7) + 8 * i, last), row);
        const uint2 pair = load_shared<uint2>(place.address + (uint32_t)slot * place.group);

        word[2 * i] = pair.x;
        word[2 * i + 1] = pair.y;
    }
#pragma unroll
    for (int i = 0; i < 2 * pairs - 1; i++)
        word[i] = offset & 4 ? word[i + 1] : word[i];
#pragma unroll
    for (int i = 0; i < words; i++) {
        const uint32_t four = __funnelshift_r(word[i], word[i + 1], (uint32_t)offset % 4 * 8);

#pragma unroll
        for (int digit = 0; digit < REPAIR_DIGITS; digit++)
            sums[digit] = __dp4a(four, bytes.words[digit][i], sums[digit]);
    }
}

/* Sums the windows of `count` samples, from index `first` of the queue on, and adds the sums to
 * these samples' totals. Each unit of work is two rows at the same distance from the sample's row,
 * which share a weight; the sample's own row is paired with itself. slot: the ring's slot that has
 * the round's first row. */
template <class Shape>
__device__ __forceinline__ void sum_windows(fp16_memory<Shape> &memory, const fp16_queue &queue,
                                            const tap_bytes &bytes, int halo, int reach, int first,
                                            int count, int slot, int helper, int lane)
{
    const int distances = halo + 1, items = count * distances;

#pragma unroll 1
    for (int item = lane; item < items; item += 32) {
        const int sample = item / distances, distance = item - sample * distances;
        const int at = queue.samples[first + sample];
        uint32_t sums[REPAIR_DIGITS] = {};

#pragma unroll Shape::planes == 1 ? 2 : 1 /* rows of planes are longer, and take more registers */
        for (int i = 0; i < 2; i++) {
            const int y = (at >> 10) + (i ? halo + distance : halo - distance);
            const int ring = slot + y / GROUP_ROWS;

            add_window_row(sums, memory, bytes, ring >= Shape::groups ? ring - Shape::groups : ring,
                           y % GROUP_ROWS, (at & 1023) + Shape::before - reach);
        }
        atomicAdd(&memory.total[helper][sample], repair_term(sums, memory.taps[distance]));
    }
}

/* Computes the queued samples again, and writes them to the buffer of the round's outputs. */
template <class Shape>
__device__ __forceinline__ void repair(fp16_memory<Shape> &memory, const source &src,
                                       const fp16_work &work, const tap_bytes &bytes,
                                       const fp16_exact &exact, const fp16_queue &queue, int round,
                                       int buffer, int slot, int helper, int lane)
{
    const int found = (int)queue.count;

#pragma unroll 1
    for (int first = 0; first < found; first += 32) {
        const int count = min(32, found - first);

        /* A total begins with 1/2 and the bound of its error. */
        memory.total[helper][lane] = (1u << (TOTAL_BITS - 1)) + repair_slack(work.halo);
        __syncwarp();
        sum_windows(memory, queue, bytes, work.halo, work.reach, first, count, slot, helper, lane);
        __syncwarp();
        const uint32_t at = queue.samples[first + min(lane, count - 1)];
        const uint32_t total = memory.total[helper][lane];
        const uint32_t place = place_of_output<Shape>(at & 1023, at >> 10);
        const bool open = total % (1u << TOTAL_BITS) < 2 * repair_slack(work.halo);

        if (lane < count && !open)
            memory.out[buffer][place] = (uint8_t)(total >> TOTAL_BITS);
        for (uint32_t left = __ballot_sync(0xffffffff, lane < count && open); left;
             left &= left - 1) {
            const int owner = __ffs((int)left) - 1;
            const uint32_t which = __shfl_sync(0xffffffff, at, owner);
            const uint32_t to = __shfl_sync(0xffffffff, place, owner);
            const int64_t column = work.column + (int64_t)(which & 1023);
            const int64_t row = work.row + (int64_t)round * ROUND_ROWS + (which >> 10);

            if (column >= work.width || row >= work.height)
                continue;
            const uint128 sum = sum_window<uint8_t>(src, exact, column / work.channels, row,
                                                    (int32_t)(column % work.channels), lane, 32);
            if (lane == 0)
                memory.out[buffer][to] = (uint8_t)exact_round(sum, exact.x().maxval);
        }
        __syncwarp();
    }
}

#endif
