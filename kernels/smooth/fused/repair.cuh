/* SPDX-License-Identifier: MIT */
/* Unresolved samples: the fused kernels put them on a list, and a second kernel computes them, in
 * the integers of the definition. A warp that repaired its own samples at once would hold up 31
 * lanes for one. */
#ifndef SMOOTHIMG_FUSED_REPAIR_CUH
#define SMOOTHIMG_FUSED_REPAIR_CUH

#include "kernels/common/launch.cuh"
#include "kernels/common/weights.cuh"

#define GROUP 16 /* samples that an entry may name: pixels x..x+15 of one channel in a row */

struct unresolved {
    int64_t x, y;
    int32_t channel;
    uint32_t which; /* bit i: the sample of pixel x + i */
};

/* In scratch. Past the capacity only the count grows: then every sample is repaired. */
struct unresolved_list {
    unsigned long long count;
    struct unresolved entries[1];
};

/* One for 16 groups: floats have 1 sample in 1000 unresolved at most, on all but made images. */
static inline int64_t list_capacity(const struct job *job)
{
    return job->src.width * job->src.height * job->src.channels / (16 * GROUP) + 1024;
}

static inline size_t list_bytes(const struct job *job)
{
    return sizeof(struct unresolved_list) + (size_t)list_capacity(job) * sizeof(struct unresolved);
}

__device__ static inline void add_unresolved(struct unresolved_list *list,
                                             const struct unresolved &entry, int64_t capacity)
{
    const unsigned long long at = atomicAdd(&list->count, 1ull);

    if (at < (unsigned long long)capacity)
        list->entries[at] = entry;
}

__device__ static inline uint128 shuffle_down(uint128 value, unsigned lanes)
{
    const uint64_t lower = __shfl_down_sync(0xffffffff, (uint64_t)value, lanes);
    const uint64_t upper = __shfl_down_sync(0xffffffff, (uint64_t)(value >> 64), lanes);

    return (uint128)upper << 64 | lower;
}

/* The sum along a window's row. first: its first tap. */
template <typename Sample>
__device__ __forceinline__ uint64_t sum_taps(const Sample *first, const weights &weights,
                                             int32_t channels)
{
    uint64_t sum = 0;

    for (int j = -weights.halo; j <= weights.halo; j++, first += channels)
        sum += weight_at(weights, j) * *first;
    return sum;
}

/* The same of one channel, by aligned units of 16 bytes: each lane has a row of its own, and a row
 * costs the L1 cache one access for each load. */
template <typename Sample>
__device__ __forceinline__ uint64_t sum_taps_by_units(const Sample *first, const weights &weights)
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

/* One output sample, its window's rows over the lanes of a warp. */
template <typename Sample>
__device__ void repair_sample(const view &src, const view &dst, const weights &weights, int64_t x,
                              int64_t y, int32_t channel)
{
    const int halo = weights.halo, lane = (int)threadIdx.x % 32;
    uint128 total = 0;

    for (int i = lane - halo; i <= halo; i += 32) {
        const Sample *first =
            row_of<const Sample>(src, y + i) + (x - halo) * src.channels + channel;

        total += (uint128)weight_at(weights, i) * (src.channels == 1
                                                       ? sum_taps_by_units(first, weights)
                                                       : sum_taps(first, weights, src.channels));
    }
    for (unsigned lanes = 16; lanes > 0; lanes /= 2)
        total += shuffle_down(total, lanes);
    if (lane == 0)
        row_of<Sample>(dst, y)[x * dst.channels + channel] =
            (Sample)exact_round(total, weights.maxval);
}

/* The group with that number, counted along the rows, whole. */
__device__ static inline struct unresolved whole_group(const view &src, int64_t number)
{
    const int64_t in_row = (src.width + GROUP - 1) / GROUP, row = number / in_row;
    const int64_t x = number % in_row * GROUP, left = src.width - x;
    const uint32_t which = left < GROUP ? (1u << left) - 1 : (1u << GROUP) - 1;

    return {x, row % src.height, (int32_t)(row / src.height), which};
}

template <typename Sample>
__global__ void fused_repair(const view src, const view dst,
                             const __grid_constant__ weights weights, const unresolved_list *list,
                             const int64_t capacity)
{
    const int64_t groups =
        (src.width + GROUP - 1) / GROUP * src.height * src.channels; /* of all samples */
    const bool overflowed = list->count > (unsigned long long)capacity;
    const int64_t count = overflowed ? groups : (int64_t)list->count;
    const int64_t warps = (int64_t)gridDim.x * (blockDim.x / 32);

    for (int64_t i = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; i < count; i += warps) {
        const struct unresolved entry = overflowed ? whole_group(src, i) : list->entries[i];

        for (int j = 0; j < GROUP; j++)
            if (entry.which >> j & 1)
                repair_sample<Sample>(src, dst, weights, entry.x + j, entry.y, entry.channel);
    }
}

#endif
