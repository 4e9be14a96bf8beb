/* SPDX-License-Identifier: MIT */
/* Floats: how they are read and summed down the columns, and rounded behind the sums along the
 * rows: both ends of an interval around each. Where these differ, the sample goes on a list
 * (repair.cuh).
 *
 * The bound is that of ../floats/filter.cuh, relative where no sample in reach of a tile is
 * negative; else with the greatest magnitude in reach for that of every term. A product that adds a
 * weight of 0 rounds nothing.
 *
 * Infinities and NaN count as 0 in the sums. Where a tile has some in reach, they are summed apart
 * with weights of 1, as numbers that tell which kinds there are. A NaN that is skipped is not
 * there: the weights of those that are there are one more sum. */
#ifndef SMOOTHIMG_FUSED_LINES_FLOATS_CUH
#define SMOOTHIMG_FUSED_LINES_FLOATS_CUH

#include "kernels/smooth/fused/lines/planes.cuh"
#include "kernels/smooth/fused/lines/repair.cuh"

/* What is in reach of a tile. */
#define LINES_NEGATIVE 1u
#define LINES_SPECIAL 2u
#define LINES_MISSING 4u

/* The filter of the other axis, and how a sum is rounded. */
struct float_rounding {
    double bound; /* of a sum, relative; of a mean where NaN is skipped */
    double whole; /* the sum of the window's weights */
    double down;  /* that of a column's */
};

/* --- Down the columns. */

/* The finite samples, and a note of them. MEANS: struct piece, skip_nan. */
template <bool MEANS> struct read_samples {
    uint32_t peak = 0, greatest = 0; /* greatest: of all bits without the sign */
    int lowest = 0;
    bool infinite = false;

    __device__ __forceinline__ void operator()(double (&values)[4],
                                               const lines_unit<uint32_t> &unit)
    {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const uint32_t size = unit.words[i] & ~FLOAT_SIGN;
            const uint32_t finite = size < FLOAT_INFINITY ? unit.words[i] : 0;

            greatest = max(greatest, size);
            infinite |= MEANS && size == FLOAT_INFINITY;
            peak = max(peak, finite & ~FLOAT_SIGN);
            lowest = min(lowest, (int)finite);
            values[i] = (double)__uint_as_float(finite);
        }
    }

    __device__ __forceinline__ lines_reach reach() const
    {
        const bool missing = MEANS && greatest > FLOAT_INFINITY;
        const bool special = MEANS ? infinite : greatest >= FLOAT_INFINITY;

        return {peak, (lowest < 0 ? LINES_NEGATIVE : 0u) | (special ? LINES_SPECIAL : 0u) |
                          (missing ? LINES_MISSING : 0u)};
    }
};

/* Infinities and NaN as numbers, the sums of which over a window of any halo tell what there was.
 */
#define LINES_BELOW 1048576.0 /* more than a window's rows */

__device__ __forceinline__ double number_of_kind(unsigned kind)
{
    return (kind & (FLOAT_ABOVE | FLOAT_NAN) ? 1 : 0) +
           (kind & (FLOAT_BELOW | FLOAT_NAN) ? LINES_BELOW : 0);
}

/* What a window with such a sum is: 0, an infinity or a NaN. */
__device__ __forceinline__ double special_of_number(double number)
{
    const double infinity = __hiloint2double(0x7ff00000, 0);
    const double above = number != LINES_BELOW * floor(number / LINES_BELOW) ? infinity : 0;

    return number >= LINES_BELOW ? above - infinity : above;
}

template <bool MEANS> struct read_kinds {
    __device__ __forceinline__ void operator()(double (&values)[4],
                                               const lines_unit<uint32_t> &unit)
    {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const unsigned kind = float_kind(unit.words[i]);

            values[i] = MEANS && kind == FLOAT_NAN ? 0 : number_of_kind(kind);
        }
    }
};

/* 1 for each sample that is there. */
struct read_there {
    __device__ __forceinline__ void operator()(double (&values)[4],
                                               const lines_unit<uint32_t> &unit)
    {
#pragma unroll
        for (int i = 0; i < 4; i++)
            values[i] = float_kind(unit.words[i]) == FLOAT_NAN ? 0 : 1;
    }
};

/* What the lanes of a warp have noted, in all of them. */
__device__ __forceinline__ lines_reach join_reach(lines_reach own)
{
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        own.peak = max(own.peak, __shfl_xor_sync(0xffffffffu, own.peak, lanes));
        own.kinds |= __shfl_xor_sync(0xffffffffu, own.kinds, lanes);
    }
    return own;
}

struct put_special {
    __device__ __forceinline__ void operator()(double &number, double sum) const
    {
        if (sum > 0)
            number = special_of_number(sum);
    }
};

/* src: the part. Its rows to a multiple of LINES_TILE, and all lines of the planes, are written. */
template <bool MEANS>
__global__ void __launch_bounds__(32 * LINES_WARPS, 3)
    sum_floats_down(const __grid_constant__ source src, const lines_taps down, const int halo_x,
                    const lines_planes planes, const float_rounding rounding)
{
    DYN_SHARED(double, memory);
    const lines_tile_down tile(planes);
    const lines_samples<uint32_t> source(src, tile, halo_x, down.halo);
    read_samples<MEANS> samples;
    read_kinds<MEANS> kinds;
    read_there there;
    lines_sums sums;

    await_kernel_before();
    let_next_kernel_come();

    const lines_taps taps = down.copied(memory);

    __syncthreads();
    if (tile.row >= src.height)
        return;
    sum_lines<false>(sums, taps, source, samples);
    store_sums(sums, planes.sums, planes, tile, src.channels, put_sum());

    const lines_reach reach = join_reach(samples.reach());

    if (threadIdx.x % 32 == 0)
        planes.reach[tile.tile_row * planes.tiles + tile.column] = reach;
    if (reach.kinds & LINES_SPECIAL) {
        sum_lines<true>(sums, taps, source, kinds);
        store_sums(sums, planes.sums, planes, tile, src.channels, put_special());
    }
    if (MEANS) {
        sums.set(rounding.down);
        if (reach.kinds & LINES_MISSING)
            sum_lines<false>(sums, taps, source, there);
        store_sums(sums, planes.there, planes, tile, src.channels, put_sum());
    }
}

/* --- Along the rows. */

__device__ __forceinline__ bool is_finite(double value)
{
    return ((unsigned)__double2hiint(value) & 0x7ff00000u) != 0x7ff00000u;
}

struct read_numbers {
    __device__ __forceinline__ void operator()(double (&values)[4], const lines_numbers::unit &unit)
    {
        get_numbers(values, unit);
#pragma unroll
        for (int i = 0; i < 4; i++)
            values[i] = is_finite(values[i]) ? values[i] : 0;
    }
};

struct read_specials {
    __device__ __forceinline__ void operator()(double (&values)[4], const lines_numbers::unit &unit)
    {
        get_numbers(values, unit);
#pragma unroll
        for (int i = 0; i < 4; i++)
            values[i] = is_finite(values[i]) ? 0
                        : values[i] > 0      ? number_of_kind(FLOAT_ABOVE)
                        : values[i] < 0      ? number_of_kind(FLOAT_BELOW)
                                             : number_of_kind(FLOAT_NAN);
    }
};

/* What is in reach of a tile. The whole warp calls it. */
__device__ __forceinline__ lines_reach reach_of_tile(const lines_planes &planes,
                                                     const lines_tile_along &tile, const view &dst,
                                                     int halo)
{
    const int end = (int)min((int64_t)tile.x + LINES_TILE, dst.width) + 2 * halo;
    const int last = (end * dst.channels - 1 + planes.skipped) / LINES_TILE;
    const lines_reach *of_row = planes.reach + tile.tile_row * planes.tiles;
    lines_reach reach = {0, 0};

    for (int i = (tile.x * dst.channels + planes.skipped) / LINES_TILE + (int)threadIdx.x % 32;
         i <= last; i += 32)
        reach = {max(reach.peak, of_row[i].peak), reach.kinds | of_row[i].kinds};
    return join_reach(reach);
}

template <bool MEANS>
__device__ __forceinline__ float_interval interval_of(const lines_reach &reach,
                                                      const float_rounding &rounding)
{
    const double most = (MEANS ? 1 : rounding.whole) * (double)__uint_as_float(reach.peak);

    if (reach.kinds & LINES_NEGATIVE)
        return {1, 1, rounding.bound * most};
    return {1 - rounding.bound, 1 + rounding.bound, 0};
}

/* The sample of an estimate, or FLOAT_OPEN. */
__device__ __forceinline__ uint32_t float_between(double estimate, const float_interval &interval)
{
    const uint32_t low = __float_as_uint((float)fma(estimate, interval.below, -interval.off));
    const uint32_t high = __float_as_uint((float)fma(estimate, interval.above, interval.off));

    return low == high ? low : FLOAT_OPEN;
}

/* A lane's outputs that are not finite: bits of lines_bit(). */
struct lines_specials {
    uint32_t above = 0, below = 0;

    /* numbers: windows' sums of number_of_kind() */
    __device__ __forceinline__ void set(lines_sums &numbers)
    {
#pragma unroll
        for (int i = 0; i < 8; i++)
#pragma unroll
            for (int k = 0; k < 4; k++) {
                const double number = numbers.at(i, k);
                const double rest = number - LINES_BELOW * floor(number / LINES_BELOW);

                above |= rest > 0 ? lines_bit(i, k) : 0;
                below |= number >= LINES_BELOW ? lines_bit(i, k) : 0;
            }
    }

    __device__ __forceinline__ uint32_t sample(uint32_t bit) const
    {
        return above & below & bit ? FLOAT_QUIET_NAN
               : above & bit       ? FLOAT_INFINITY
                                   : FLOAT_SIGN | FLOAT_INFINITY;
    }
};

/* Of the part. */
__device__ __forceinline__ void store_specials(const view &dst, const lines_tile_along &tile,
                                               const lines_specials &specials)
{
    const lines_pixels pixels = {dst, tile};

    for (uint32_t left = pixels.present(specials.above | specials.below); left; left &= left - 1)
        *pixels.sample<uint32_t>(dst, left) = specials.sample(left & -left);
}

template <bool MEANS>
__global__ void __launch_bounds__(32 * LINES_WARPS, MEANS ? 2 : 3)
    sum_floats_along(const view dst, const lines_taps along, const lines_planes planes,
                     const float_rounding rounding, const lines_list list)
{
    DYN_SHARED(double, memory);
    const lines_tile_along tile(dst, planes);
    const int64_t first = tile.first(planes, tile.channel);
    const lines_numbers source = {planes.sums + first, planes.pitch};
    const lines_numbers source_there = {planes.there + first, planes.pitch};
    /* The taps were there before the kernel before let this one come. */
    const lines_taps taps = along.copied(memory);
    read_numbers numbers;
    read_specials kinds;
    lines_specials specials;
    lines_sums sums, there;

    __syncthreads();
    await_kernel_before();
    let_next_kernel_come();
    if (tile.x >= dst.width)
        return;

    const lines_reach reach = reach_of_tile(planes, tile, dst, along.halo);
    const float_interval interval = interval_of<MEANS>(reach, rounding);

    if (reach.kinds & LINES_SPECIAL) {
        sum_lines<true>(sums, taps, source, kinds);
        specials.set(sums);
    }
    if (MEANS) {
        there.set(rounding.whole);
        if (reach.kinds & LINES_MISSING)
            sum_lines<false>(there, taps, source_there, numbers);
    }
    sum_lines<false>(sums, taps, source, numbers);

    const uint32_t open = store_results<uint32_t>(dst, tile, [&](int column, int row) {
        const double sum = sums.at(column, row), weight = MEANS ? there.at(column, row) : 1;
        const uint32_t sample = MEANS && weight == 0
                                    ? FLOAT_QUIET_NAN
                                    : float_between(MEANS ? sum / weight : sum, interval);

        return lines_result{sample, sample == FLOAT_OPEN};
    });

    store_specials(dst, tile, specials);
    list.add(dst, tile, open & ~(specials.above | specials.below));
}

#endif
