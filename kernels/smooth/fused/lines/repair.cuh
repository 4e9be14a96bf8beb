/* SPDX-License-Identifier: MIT */
/* Float samples that an interval does not tell: by sums of two doubles, and where these do not tell
 * either, by the definition. Each by a block, whose warps take rows of the window and whose lanes
 * take its columns; or, if windows are large and samples few, by several blocks. */
#ifndef SMOOTHIMG_FUSED_LINES_REPAIR_CUH
#define SMOOTHIMG_FUSED_LINES_REPAIR_CUH

#include "kernels/smooth/fused/floats/filter.cuh"
#include "kernels/smooth/fused/lines/products.cuh"
#include "kernels/smooth/fused/repair.cuh"

#define LINES_REPAIR_THREADS 512
#define LINES_PIECES 16     /* of a window, in which several blocks share */
#define LINES_FEW 1024      /* samples of which they do */
#define LINES_PIECE_HALO 64 /* beyond it: smaller windows are done before a launch more is */

/* The filter in shared memory: lanes read different weights, and an argument's words only one by
 * one. */
struct lines_filter {
    struct axis {
        int halo;
        uint64_t weights[MAX_HALO + 1]; /* from the centre outwards */
    };
    axis along, down;

    __device__ __forceinline__ const axis &x() const
    {
        return along;
    }
    __device__ __forceinline__ const axis &y() const
    {
        return down;
    }
};

__device__ __forceinline__ uint64_t weight_at(const lines_filter::axis &axis, int k)
{
    return axis.weights[k < 0 ? -k : k];
}

__device__ __forceinline__ void set_axis(lines_filter::axis &axis, const lines_taps &from)
{
    if (threadIdx.x == 0)
        axis.halo = from.halo;
    for (int k = (int)threadIdx.x; k <= from.halo; k += (int)blockDim.x)
        axis.weights[k] = (uint64_t)(from.first[LINES_TILE + from.halo + k] * 0x1p46);
}

/* --- Sums of two doubles each. */

/* high + low, about 100 bits of a sum: T. J. Dekker, "A floating-point technique for extending the
 * available precision", Numerische Mathematik 18, 1971; D. E. Knuth's addition. */
struct long_double {
    double high, low;

    /* Adds a + b, b a part of what a lacks. A product a comes from __dmul_rn, so that no fma takes
     * its place. */
    __device__ __forceinline__ void add(double a, double b)
    {
        const double sum = high + a, part = sum - high;
        const double lost = (high - (sum - part)) + (a - part);

        high = sum;
        low += lost + b;
    }
};

/* A share of a window's sum; size: the sum of the terms' magnitudes. */
struct long_share {
    long_double sum;
    double size;
    uint128 there; /* the weights of its samples that are there */

    __device__ __forceinline__ void add(const long_share &other)
    {
        sum.add(other.sum.high, other.sum.low);
        size += other.size;
        there += other.there;
    }
};

/* The part of a row of the window that a lane takes: as share_of_float(). */
template <bool MEANS>
__device__ __forceinline__ long_share long_row(const lines_filter::axis &axis,
                                               const float_window &window, const uint32_t *line)
{
    long_share row = {};
    uint64_t there = 0;

    for (int j = (int)threadIdx.x % 32 - axis.halo; j <= axis.halo; j += 32) {
        const uint32_t bits = window.tap(line, j);
        const uint64_t weight = weight_at(axis, j);
        const double value = float_kind(bits) == FLOAT_FINITE ? (double)__uint_as_float(bits) : 0;
        const double factor = (double)weight * 0x1p-46, term = __dmul_rn(factor, value);

        row.sum.add(term, fma(factor, value, -term));
        row.size += fabs(term);
        there += MEANS && float_kind(bits) == FLOAT_NAN ? 0 : weight;
    }
    row.there = there;
    return row;
}

/* The lane's share of the window's rows from number `first` on, `apart` from one another. */
template <bool MEANS>
__device__ __forceinline__ long_share long_share_of(const lines_filter &filter, const source &src,
                                                    int64_t y, int64_t sample, int first, int apart)
{
    const float_window window(src, sample, filter.along.halo);
    long_share share = {};

    for (int i = first - filter.down.halo; i <= filter.down.halo; i += apart) {
        const uint64_t weight = weight_at(filter.down, i);
        const double factor = (double)weight * 0x1p-46;
        const long_share row =
            long_row<MEANS>(filter.along, window, source_line<uint32_t>(src, y + i));
        const double term = __dmul_rn(factor, row.sum.high);

        share.sum.add(term, fma(factor, row.sum.low, fma(factor, row.sum.high, -term)));
        share.size += factor * row.size;
        share.there += (uint128)weight * (uint64_t)row.there;
    }
    return share;
}

__device__ __forceinline__ void join_shares(long_share &own)
{
    for (unsigned lanes = 16; lanes > 0; lanes /= 2)
        own.add({{__shfl_down_sync(0xffffffffu, own.sum.high, lanes),
                  __shfl_down_sync(0xffffffffu, own.sum.low, lanes)},
                 __shfl_down_sync(0xffffffffu, own.size, lanes),
                 shuffle_down(own.there, lanes)});
}

/* The float nearest to a window's sum or mean, or FLOAT_OPEN. At most 256 numbers are added one
 * after the other: 65 and 129 by a lane, 5 and 16 to join the shares; fewer where blocks share.
 * Each adds a rounding of the sum's low part, which is at most 256 roundings of the magnitudes'
 * sum: so the error is below 2^16 2^-106 of it, and 2^-80 is enough for the quotient's too. Which
 * of two floats is nearer is told by the middle between them, times the weights' sum. Not told
 * apart are floats that are subnormal. */
template <bool MEANS> __device__ __forceinline__ uint32_t float_of_share(const long_share &window)
{
    const uint64_t upper = (uint64_t)(window.there >> 46);
    const double most = MEANS ? (double)upper * 0x1p-46 : 1;
    const double rest = MEANS ? (double)((uint64_t)window.there & 0x3fffffffffffull) * 0x1p-92 : 0;
    long_double sum = {window.sum.high, 0};

    sum.add(window.sum.low, 0); /* which has what is left where the terms cancel out */

    const bool negative = sum.high < 0;
    const double high = fabs(sum.high), low = negative ? -sum.low : sum.low;
    const double mean = high / (most + rest);
    const uint32_t top = (uint32_t)__double2hiint(mean), bottom = (uint32_t)__double2loint(mean);
    const uint32_t below = (top - (896u << 20)) << 3 | bottom >> 29;
    const double middle = __hiloint2double((int)top, (int)((bottom & ~0x1fffffffu) | 0x10000000u));
    const double above_middle = fma(-middle, most, high) + (low - middle * rest);

    if (!(mean >= 0x1p-125 && mean < 0x1p128) ||
        fabs(above_middle) <= 0x1p-80 * (window.size + high))
        return FLOAT_OPEN;
    return (negative ? FLOAT_SIGN : 0) | (below + (above_middle > 0 ? 1 : 0));
}

/* --- The definition's sums. */

__device__ __forceinline__ void add_shares(exact_float_share &to, const exact_float_share &from)
{
    float_sum_add_sum(&to.total, 1, &from.total);
    to.there += from.there;
}

/* Adds the shares of a warp's lanes, in the first. */
__device__ __forceinline__ void join_shares(exact_float_share &own)
{
    for (unsigned lanes = 16; lanes > 0; lanes /= 2) {
        exact_float_share other;

        for (int i = 0; i < FLOAT_SUM_WORDS; i++)
            other.total.words[i] = __shfl_down_sync(0xffffffffu, own.total.words[i], lanes);
        other.there = shuffle_down(own.there, lanes);
        add_shares(own, other);
    }
}

/* A block's memory. */
struct lines_repair {
    lines_filter filter;
    exact_float_share exact_of_warp[LINES_REPAIR_THREADS / 32];
    long_share of_warp[LINES_REPAIR_THREADS / 32];
    bool open;
};

/* Every apart-th row of a window from `first` on by long sums. The whole block calls it; the first
 * thread returns its share. */
template <bool MEANS>
__device__ long_share long_share_by_block(lines_repair &memory, const source &src, int64_t y,
                                          int64_t sample, int first, int apart)
{
    const int warp = (int)threadIdx.x / 32, warps = (int)blockDim.x / 32;
    long_share share =
        long_share_of<MEANS>(memory.filter, src, y, sample, first + apart * warp, apart * warps);

    join_shares(share);
    if (threadIdx.x % 32 == 0)
        memory.of_warp[warp] = share;
    __syncthreads();
    for (int i = 1; i < warps && threadIdx.x == 0; i++)
        share.add(memory.of_warp[i]);
    return share;
}

/* The sample of a window by long sums, or FLOAT_OPEN, in the first thread. pieces: NULL, or what
 * blocks have computed of the window. The whole block calls it. */
template <bool MEANS>
__device__ uint32_t nearly_exact_by_block(lines_repair &memory, const source &src, int64_t y,
                                          int64_t sample, const long_share *pieces)
{
    long_share share = {};

    if (!pieces)
        share = long_share_by_block<MEANS>(memory, src, y, sample, 0, 1);
    for (int i = 0; pieces && i < LINES_PIECES && threadIdx.x == 0; i++)
        share.add(pieces[i]);
    return float_of_share<MEANS>(share);
}

/* The sample of a window by the definition. The whole block calls it; the first thread returns it.
 */
template <bool MEANS>
__device__ uint32_t exact_by_block(lines_repair &memory, const source &src, int64_t y,
                                   int64_t sample)
{
    const int warp = (int)threadIdx.x / 32, warps = (int)blockDim.x / 32;
    exact_float_share share = share_of_float<MEANS>(src, memory.filter, y, sample, warp, warps,
                                                    (int)threadIdx.x % 32, 32);

    join_shares(share);
    if (threadIdx.x % 32 == 0)
        memory.exact_of_warp[warp] = share;
    __syncthreads();
    for (int i = 1; i < warps && threadIdx.x == 0; i++)
        add_shares(share, memory.exact_of_warp[i]);
    __syncthreads(); /* before the next sample's shares take their places */
    return round_exact_float<MEANS>(share);
}

/* Computes a sample of row y, all threads of the block together. */
template <bool MEANS>
__device__ void repair_float(lines_repair &memory, const source &src, const view &dst, int64_t y,
                             int64_t sample, const long_share *pieces)
{
    uint32_t result = nearly_exact_by_block<MEANS>(memory, src, y, sample, pieces);

    if (threadIdx.x == 0)
        memory.open = result == FLOAT_OPEN;
    __syncthreads();
    if (memory.open)
        result = exact_by_block<MEANS>(memory, src, y, sample);
    if (threadIdx.x == 0)
        row_of<uint32_t>(dst, y)[sample] = result;
    __syncthreads(); /* before the next sample is open or not */
}

/* All samples that are FLOAT_OPEN: where the list has overflowed. */
template <bool MEANS>
__device__ void repair_marked(lines_repair &memory, const source &src, const view &dst)
{
    __shared__ int found[LINES_REPAIR_THREADS];
    __shared__ int count;
    const int64_t in_row = dst.width * dst.channels,
                  chunks = (in_row + blockDim.x - 1) / blockDim.x;

    for (int64_t i = blockIdx.x; i < chunks * dst.height; i += gridDim.x) {
        const int64_t y = i / chunks, first = i % chunks * blockDim.x, at = first + threadIdx.x;

        if (threadIdx.x == 0)
            count = 0;
        __syncthreads();
        if (at < in_row && row_of<uint32_t>(dst, y)[at] == FLOAT_OPEN)
            found[atomicAdd(&count, 1)] = (int)threadIdx.x;
        __syncthreads();

        const int all = count;

        for (int k = 0; k < all; k++)
            repair_float<MEANS>(memory, src, dst, y, first + found[k], NULL);
        __syncthreads(); /* before the next chunk's count */
    }
}

/* Whether blocks share in a window. */
__device__ __forceinline__ bool are_few(const unresolved_list *list)
{
    return list->count <= LINES_FEW;
}

/* The pieces of the listed samples' windows, if these are few: LINES_PIECES shares of each. */
template <bool MEANS>
__global__ void __launch_bounds__(LINES_REPAIR_THREADS)
    sum_pieces(const source src, const lines_taps down, const lines_taps along,
               const unresolved_list *list, long_share *pieces)
{
    __shared__ lines_repair memory;

    set_axis(memory.filter.along, along);
    set_axis(memory.filter.down, down);
    __syncthreads();
    await_kernel_before();
    let_next_kernel_come();
    for (int64_t i = blockIdx.x; are_few(list) && i < (int64_t)list->count * LINES_PIECES;
         i += gridDim.x) {
        const struct unresolved at = list->entries[i / LINES_PIECES];
        const long_share share =
            long_share_by_block<MEANS>(memory, src, at.y, at.x * src.channels + at.channel,
                                       (int)(i % LINES_PIECES), LINES_PIECES);

        if (threadIdx.x == 0)
            pieces[i] = share;
        __syncthreads(); /* before the next piece's shares take their places */
    }
}

/* pieces: NULL, or those of sum_pieces. */
template <bool MEANS>
__global__ void __launch_bounds__(LINES_REPAIR_THREADS, 2)
    repair_floats(const source src, const view dst, const lines_taps down, const lines_taps along,
                  const unresolved_list *list, const int64_t capacity, const long_share *pieces)
{
    __shared__ lines_repair memory;

    set_axis(memory.filter.along, along);
    set_axis(memory.filter.down, down);
    __syncthreads();
    await_kernel_before();
    if (has_overflowed(list, capacity)) {
        repair_marked<MEANS>(memory, src, dst);
        return;
    }
    for (int64_t i = blockIdx.x; i < (int64_t)list->count; i += gridDim.x) {
        const struct unresolved at = list->entries[i];

        repair_float<MEANS>(memory, src, dst, at.y, at.x * src.channels + at.channel,
                            pieces && are_few(list) ? pieces + i * LINES_PIECES : NULL);
    }
}

#endif
