/* SPDX-License-Identifier: MIT */
/* Unresolved samples of large images: the kernels list them, and a second kernel computes them in
 * the definition's integers. If a lane repaired its own sample at once, the other 31 lanes of its
 * warp would wait. Engines for small images, and int8_in_place, use the whole warp for a
 * sample, and need no second launch. */
#ifndef SMOOTHIMG_FUSED_REPAIR_CUH
#define SMOOTHIMG_FUSED_REPAIR_CUH

#include "kernels/common/launch.cuh"
#include "kernels/common/weights.cuh"
#include "kernels/smooth/source.cuh"

#define ENTRY_SAMPLES 16 /* samples of a list entry: pixels x..x+15 of one channel of a row */

struct unresolved {
    int64_t x, y;
    int32_t channel;
    uint32_t which; /* bit i: the sample of pixel x + i is unresolved */
};

/* The list, in scratch. When it is full only the count grows; fused_repair then computes every
 * sample of the image. */
struct unresolved_list {
    unsigned long long count;
    struct unresolved entries[1]; /* its length is list_capacity() */
};

/* One entry for every 16 groups. The estimates leave at most 1 sample in 500 unresolved
 * (int8/plan.cuh refuses filters that would leave more), except in contrived images. */
static inline int64_t list_capacity(const struct request *request)
{
    return request->src.width * request->src.height * request->src.channels / (16 * ENTRY_SAMPLES) +
           1024;
}

static inline size_t list_bytes(const struct request *request)
{
    return sizeof(struct unresolved_list) +
           (size_t)list_capacity(request) * sizeof(struct unresolved);
}

/* The list's bytes, aligned for what follows it in scratch. */
static inline size_t aligned_list_bytes(const struct request *request)
{
    return (list_bytes(request) + 63) / 64 * 64;
}

__device__ static inline void add_unresolved(struct unresolved_list *list,
                                             const struct unresolved &entry, int64_t capacity)
{
    const unsigned long long at = atomicAdd(&list->count, 1ull);

    if (at < (unsigned long long)capacity)
        list->entries[at] = entry;
}

__device__ static inline bool has_overflowed(const unresolved_list *list, int64_t capacity)
{
    return list->count > (unsigned long long)capacity;
}

__device__ static inline uint128 shuffle_down(uint128 value, unsigned lanes)
{
    const uint64_t lower = __shfl_down_sync(0xffffffff, (uint64_t)value, lanes);
    const uint64_t upper = __shfl_down_sync(0xffffffff, (uint64_t)(value >> 64), lanes);

    return (uint128)upper << 64 | lower;
}

/* The weighted sum along a row of the window, whose first tap meets the sample at `first`. */
template <typename Sample, class Axis>
__device__ __forceinline__ uint64_t sum_taps(const Sample *first, const Axis &weights,
                                             int32_t channels)
{
    uint64_t sum = 0;

    for (int j = -weights.halo; j <= weights.halo; j++, first += channels)
        sum += weight_at(weights, j) * *first;
    return sum;
}

/* The same for one channel, with aligned 16-byte loads: each lane reads a row of its own, so each
 * lane's load costs the L1 cache one access. */
template <typename Sample, class Axis>
__device__ __forceinline__ uint64_t sum_taps_by_units(const Sample *first, const Axis &weights)
{
    constexpr int in_unit = (int)(16 / sizeof(Sample)), in_word = (int)(4 / sizeof(Sample));
    const int skip = (int)((uintptr_t)first % 16 / sizeof(Sample));
    const uint4 *unit = reinterpret_cast<const uint4 *>(first - skip);
    uint64_t sum = 0;

#pragma unroll 2
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

/* The weighted sum along row y of the window of pixel x. */
template <typename Sample, class Axis>
__device__ __forceinline__ uint64_t sum_line(const source &src, const Axis &weights, int64_t x,
                                             int64_t y, int32_t channel)
{
    const Sample *line = source_line<Sample>(src, y);
    uint64_t sum = 0;

    if (line && source_has_columns(src, x - weights.halo, x + weights.halo)) {
        const Sample *first = line + (x - weights.halo) * src.channels + channel;

        return src.channels == 1 ? sum_taps_by_units(first, weights)
                                 : sum_taps(first, weights, src.channels);
    }
    for (int j = -weights.halo; line && j <= weights.halo; j++)
        sum += weight_at(weights, j) * source_get(src, line, x + j, channel, false);
    return sum;
}

/* Returns the total of an output sample in the first of `threads` lanes, which are a power of two.
 * Each of them sums some of the window's rows. */
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

/* Computes one output sample by a warp. */
template <typename Sample, class Filter>
__device__ void repair_sample(const source &src, const view &dst, const Filter &filter, int64_t x,
                              int64_t y, int32_t channel)
{
    const int lane = (int)threadIdx.x % 32;
    const uint128 total = sum_window<Sample>(src, filter, x, y, channel, lane, 32);

    if (lane == 0)
        row_of<Sample>(dst, y)[x * dst.channels + channel] =
            (Sample)exact_round(total, filter.x().maxval);
}

/* An entry with all samples of group `number`; groups are numbered along the rows, then the
 * channels. */
__device__ static inline struct unresolved whole_group(const view &src, int64_t number)
{
    const int64_t in_row = (src.width + ENTRY_SAMPLES - 1) / ENTRY_SAMPLES, row = number / in_row;
    const int64_t x = number % in_row * ENTRY_SAMPLES, left = src.width - x;
    const uint32_t which = left < ENTRY_SAMPLES ? (1u << left) - 1 : (1u << ENTRY_SAMPLES) - 1;

    return {x, row % src.height, (int32_t)(row / src.height), which};
}

/* Computes the listed samples, or all if the list overflowed. A warp takes one entry at a time. */
template <typename Sample, class Filter>
__global__ void fused_repair(const source src, const view dst,
                             const __grid_constant__ Filter filter, const unresolved_list *list,
                             const int64_t capacity)
{
    const int64_t groups = (src.width + ENTRY_SAMPLES - 1) / ENTRY_SAMPLES * src.height *
                           src.channels; /* in the whole image */

    await_kernel_before();
    const bool overflowed = has_overflowed(list, capacity);
    const int64_t count = overflowed ? groups : (int64_t)list->count;
    const int64_t warps = (int64_t)gridDim.x * (blockDim.x / 32);

    for (int64_t i = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; i < count; i += warps) {
        const struct unresolved entry = overflowed ? whole_group(src, i) : list->entries[i];

        for (int j = 0; j < ENTRY_SAMPLES; j++)
            if (entry.which >> j & 1)
                repair_sample<Sample>(src, dst, filter, entry.x + j, entry.y, entry.channel);
    }
}

#endif
