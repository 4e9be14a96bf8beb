/* SPDX-License-Identifier: MIT */
/* Unresolved samples of large images: the kernels list them, and a second kernel computes them in
 * the definition's integers. If a lane repaired its own sample at once, the other 31 lanes of its
 * warp would wait. Engines for small images and floats, and int8_in_place, use the whole warp for a
 * sample, and need no second launch. */
#ifndef SMOOTHIMG_FUSED_REPAIR_CUH
#define SMOOTHIMG_FUSED_REPAIR_CUH

#include "kernels/common/launch.cuh"
#include "kernels/common/mean.cuh"
#include "kernels/common/weights.cuh"
#include "kernels/smooth/source.cuh"

#define GROUP 16           /* samples of a list entry: pixels x..x+15 of one channel of a row */
#define REPAIR_THREADS 256 /* threads of a block that repairs one sample */

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
    return request->src.width * request->src.height * request->src.channels / (16 * GROUP) + 1024;
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

/* For kernels that are always launched, but needed only if a list has overflowed. */
struct if_overflowed {
    const unresolved_list *list; /* NULL: the kernel is needed in any case */
    int64_t capacity;

    __device__ bool needed() const
    {
        return !list || has_overflowed(list, capacity);
    }
};

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
    const int64_t in_row = (src.width + GROUP - 1) / GROUP, row = number / in_row;
    const int64_t x = number % in_row * GROUP, left = src.width - x;
    const uint32_t which = left < GROUP ? (1u << left) - 1 : (1u << GROUP) - 1;

    return {x, row % src.height, (int32_t)(row / src.height), which};
}

/* Computes the listed samples, or all if the list overflowed. A warp takes one entry at a time. */
template <typename Sample, class Filter>
__global__ void fused_repair(const source src, const view dst,
                             const __grid_constant__ Filter filter, const unresolved_list *list,
                             const int64_t capacity)
{
    const int64_t groups =
        (src.width + GROUP - 1) / GROUP * src.height * src.channels; /* in the whole image */

    await_kernel_before();
    const bool overflowed = has_overflowed(list, capacity);
    const int64_t count = overflowed ? groups : (int64_t)list->count;
    const int64_t warps = (int64_t)gridDim.x * (blockDim.x / 32);

    for (int64_t i = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; i < count; i += warps) {
        const struct unresolved entry = overflowed ? whole_group(src, i) : list->entries[i];

        for (int j = 0; j < GROUP; j++)
            if (entry.which >> j & 1)
                repair_sample<Sample>(src, dst, filter, entry.x + j, entry.y, entry.channel);
    }
}

/* --- One sample by a block, for large windows: its threads take rows of the window, so the lanes
 * of a warp read the same weight. */

/* A thread's part of a window's totals: of its values and, where alpha weights them, of alpha. */
struct window_share {
    uint128 values, cover;

    __device__ __forceinline__ void add(const window_share &other)
    {
        values += other.values;
        cover += other.cover;
    }
};

/* Sums along row y of the window: of colours times alpha, and of alpha. */
template <typename Sample>
__device__ __forceinline__ window_share sum_means(const source &src, const weights &weights,
                                                  const unresolved &at, int64_t y, int to_alpha)
{
    const Sample *line = source_line<Sample>(src, y);
    window_share row = {};

#pragma unroll 1
    for (int j = -weights.halo; line && j <= weights.halo; j++) {
        const Sample *tap = source_at(src, line, at.x + j, at.channel);

        if (!tap)
            continue;
        exact_add(&row.values, weight_at(weights, j), (uint32_t)*tap * tap[to_alpha]);
        exact_add(&row.cover, weight_at(weights, j), tap[to_alpha]);
    }
    return row;
}

/* The sums of a warp's threads, added up in its first lane. WEIGHTED: the values are colours times
 * alpha, which is the last channel; or alpha itself, and then cover stays 0. */
template <typename Sample, bool WEIGHTED>
__device__ window_share share_of_window(const source &src, const two_axes &filter,
                                        const unresolved &at)
{
    const int to_alpha = WEIGHTED ? src.channels - 1 - at.channel : 0;
    window_share share = {};

    for (int i = (int)threadIdx.x - filter.down.halo; i <= filter.down.halo; i += (int)blockDim.x) {
        window_share row = {};

        if (to_alpha)
            row = sum_means<Sample>(src, filter.along, at, at.y + i, to_alpha);
        else
            row.values = sum_line<Sample>(src, filter.along, at.x, at.y + i, at.channel);
        exact_add_sum(&share.values, weight_at(filter.down, i), row.values);
        exact_add_sum(&share.cover, weight_at(filter.down, i), row.cover);
    }
    for (unsigned lanes = 16; lanes > 0; lanes /= 2)
        share.add({shuffle_down(share.values, lanes), shuffle_down(share.cover, lanes)});
    return share;
}

/* Computes the listed samples unless there are too many. */
template <typename Sample, bool WEIGHTED>
__global__ void __launch_bounds__(REPAIR_THREADS)
    repair_by_blocks(const source src, const view dst, const __grid_constant__ two_axes filter,
                     const unresolved_list *list, const int64_t capacity)
{
    __shared__ window_share of_warp[REPAIR_THREADS / 32];

    await_kernel_before();
    const int64_t count = has_overflowed(list, capacity) ? 0 : (int64_t)list->count;

    for (int64_t i = blockIdx.x; i < count; i += gridDim.x) {
        const struct unresolved at = list->entries[i];
        window_share window = share_of_window<Sample, WEIGHTED>(src, filter, at);

        if (threadIdx.x % 32 == 0)
            of_warp[threadIdx.x / 32] = window;
        __syncthreads();
        if (threadIdx.x == 0) {
            for (int warp = 1; warp < REPAIR_THREADS / 32; warp++)
                window.add(of_warp[warp]);
            row_of<Sample>(dst, at.y)[at.x * dst.channels + at.channel] =
                (Sample)(WEIGHTED && at.channel < src.channels - 1
                             ? mean_of(window.values, window.cover)
                             : exact_round(window.values, filter.along.maxval));
        }
        __syncthreads(); /* before the next sample's sums take their places */
    }
}

#endif
