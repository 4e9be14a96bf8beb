/* SPDX-License-Identifier: MIT */
/* Repairs unresolved samples, whose rounding an estimate does not prove. The kernels queue these
 * samples, and compute them when all rows are done, in integers, as the definition
 * (smooth/reference.c) does. If instead a lane computed its sample immediately, the other 31 lanes
 * of its warp would wait. Few samples are unresolved. A thread block has so few rows that a queue
 * has room for all unresolved samples if the image is noise; int8/plan.cuh refuses filters for
 * which there could be more.
 *
 * In the code, `part` is the part of the image to which one queue belongs. */
#ifndef SMOOTHIMG_FUSED_REPAIR_CUH
#define SMOOTHIMG_FUSED_REPAIR_CUH

#include "kernels/common/launch.cuh"
#include "kernels/common/weights.cuh"
#include "kernels/smooth/source.cuh"

#define QUEUED 128 /* entries of a queue */
/* Each queue is for a part of the image with at most this many columns. */
#define QUEUE_COLUMNS 512

/* A queue in shared memory. Each warp has a queue for its own samples. */
struct unresolved_queue {
    uint32_t count; /* if it is above QUEUED, some entries were dropped */
    uint32_t places[QUEUED];
};

/* The part of the image whose samples a queue is for. An entry is QUEUE_COLUMNS * row + column,
 * both counted from the part's first sample. */
struct queue_part {
    int64_t first, top; /* indices of the part's first sample in a row, and of its first row */
    int columns, rows;
};

__device__ __forceinline__ void queue_sample(unresolved_queue &queue, int row, int column)
{
    const uint32_t at = atomicAdd(&queue.count, 1u);

    if (at < QUEUED)
        queue.places[at] = (uint32_t)(row * QUEUE_COLUMNS + column);
}

__device__ static inline uint128 shuffle_down(uint128 value, unsigned lanes)
{
    const uint64_t lower = __shfl_down_sync(0xffffffff, (uint64_t)value, lanes);
    const uint64_t upper = __shfl_down_sync(0xffffffff, (uint64_t)(value >> 64), lanes);

    return (uint128)upper << 64 | lower;
}

/* Returns the weighted sum along a row of the window. first: address of the window's leftmost
 * sample in that row. */
template <typename Sample, class Axis>
__device__ __forceinline__ uint64_t sum_taps(const Sample *first, const Axis &weights,
                                             int32_t channels)
{
    uint64_t sum = 0;

    for (int j = -weights.halo; j <= weights.halo; j++, first += channels)
        sum += weight_at(weights, j) * *first;
    return sum;
}

/* Returns the same sum as sum_taps(), for one channel. It loads aligned units of 16 bytes, which
 * may begin before the window and end after it. The lanes read different rows, so each lane's load
 * is a separate access to the L1 cache; longer loads make fewer accesses. */
template <typename Sample, class Axis>
__device__ __forceinline__ uint64_t sum_taps_by_units(const Sample *first, const Axis &weights)
{
    constexpr int in_unit = (int)(16 / sizeof(Sample)), in_word = (int)(4 / sizeof(Sample));
    const int skip = (int)((uintptr_t)first % 16 / sizeof(Sample));
    const uint4 *unit = reinterpret_cast<const uint4 *>(first - skip);
    uint64_t sum = 0;

#pragma unroll 4
    for (int tap = -weights.halo - skip; tap <= weights.halo; tap += in_unit) {
        const uint4 four = *unit++;
        const uint32_t words[4] = {four.x, four.y, four.z, four.w};

#pragma unroll
        for (int i = 0; i < in_unit; i++) {
            const uint32_t sample =
                words[i / in_word] >> (i % in_word * 8 * (int)sizeof(Sample)) & (Sample)-1;

            if (tap + i >= -weights.halo && tap + i <= weights.halo)
                sum += weight_at(weights, tap + i) * sample;
        }
    }
    return sum;
}

/* Returns the weighted sum along row y of pixel x's window. */
template <typename Sample, class Axis>
__device__ __forceinline__ uint64_t sum_line(const source &src, const Axis &weights, int64_t x,
                                             int64_t y, int32_t channel)
{
    constexpr int beyond = 16 / sizeof(Sample) - 1; /* samples that units may add on a side */
    const Sample *line = source_line<Sample>(src, y);
    const int64_t left = x - weights.halo, right = x + weights.halo;
    uint64_t sum = 0;

    if (line && src.channels == 1 && source_has_columns(src, left - beyond, right + beyond))
        return sum_taps_by_units(line + left, weights);
    if (line && source_has_columns(src, left, right))
        return sum_taps(line + left * src.channels + channel, weights, src.channels);
    for (int j = -weights.halo; line && j <= weights.halo; j++)
        sum += weight_at(weights, j) * source_get(src, line, x + j, channel, false);
    return sum;
}

/* Sums the window of an output sample. `threads` lanes compute it together: each sums some rows,
 * and the first one returns the total. `threads` is a power of two. */
template <typename Sample, class Filter>
__device__ __forceinline__ uint128 sum_window(const source &src, const Filter &filter, int64_t x,
                                              int64_t y, int32_t channel, int thread, int threads)
{
    const int halo = filter.y().halo;
    uint128 total = 0;

    for (int i = thread - halo; i <= halo; i += threads)
        total += (uint128)weight_at(filter.y(), i) *
                 sum_line<Sample>(src, filter.x(), x, y + i, channel);
    for (int lanes = threads / 2; lanes > 0; lanes /= 2)
        total += shuffle_down(total, (unsigned)lanes);
    return total;
}

/* Computes the queued samples, or all samples of the part if the queue overflowed, and stores them.
 * A warp calls this function, and computes only one or two samples at a time: the lanes of samples
 * with different alignments need different weights at the same time, and constant memory serves
 * such reads one after the other. */
template <typename Sample, class Filter>
__device__ __forceinline__ void repair_queued(const unresolved_queue &queue, const queue_part &part,
                                              const source &src, const view &dst,
                                              const Filter &filter)
{
    const int lane = (int)threadIdx.x % 32;
    const bool all = queue.count > QUEUED;
    const int count = all ? part.rows * part.columns : (int)queue.count;
    const int lanes = 2 * filter.y().halo < 16 ? 16 : 32; /* lanes that compute one sample */

    for (int i = lane / lanes; __any_sync(0xffffffff, i < count); i += 32 / lanes) {
        const int number = min(i, count - 1);
        const int place = all ? number / part.columns * QUEUE_COLUMNS + number % part.columns
                              : (int)queue.places[number];
        const int64_t at = part.first + place % QUEUE_COLUMNS;
        const int64_t y = part.top + place / QUEUE_COLUMNS;
        const uint128 total = sum_window<Sample>(src, filter, at / src.channels, y,
                                                 (int32_t)(at % src.channels), lane % lanes, lanes);

        if (lane % lanes == 0 && i < count)
            row_of<Sample>(dst, y)[at] = (Sample)exact_round(total, filter.x().maxval);
    }
}

#endif
