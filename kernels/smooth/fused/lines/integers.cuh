/* SPDX-License-Identifier: MIT */
/* Integers of up to 16 bits: how they are read, alone or times alpha, and rounded behind the sums
 * along the rows. Where alpha weighs, a colour is the quotient of its own sum and alpha's.
 *
 * A term is rounded as often as one of floats (../floats/filter.cuh), and none is negative: so the
 * bound is relative, to maxval times the sum of the window's weights, or for a quotient, which is a
 * mean, to maxval. Then it is rounded by ../arithmetic.cuh. */
#ifndef SMOOTHIMG_FUSED_LINES_INTEGERS_CUH
#define SMOOTHIMG_FUSED_LINES_INTEGERS_CUH

#include "kernels/smooth/fused/arithmetic.cuh"
#include "kernels/smooth/fused/lines/planes.cuh"

/* --- Down the columns. */

/* Four samples of each row, and what weighs them: their pixel's alpha, or for alpha itself 1. */
template <typename Sample> struct lines_weighted_samples {
    struct unit {
        uint32_t samples[4], weights[4];
    };

    lines_rows<Sample> rows;
    int to_alpha[4]; /* samples from one to its pixel's alpha; 0: it is alpha; -1: it is not needed
                      */

    __device__ __forceinline__ lines_weighted_samples(const source &src,
                                                      const lines_tile_down &tile, int halo_x,
                                                      int halo_y)
        : rows(src, tile, halo_x, halo_y)
    {
        const int64_t own = tile.own();

#pragma unroll
        for (int i = 0; i < 4; i++)
            to_alpha[i] = rows.has(i) ? src.channels - 1 - (int)((own + i) % src.channels) : -1;
    }

    __device__ __forceinline__ unit load(int row) const
    {
        const Sample *samples = rows.at(row);
        unit four = {};

#pragma unroll
        for (int i = 0; i < 4; i++)
            if (to_alpha[i] >= 0 && rows.inside) {
                four.samples[i] = samples[i];
                four.weights[i] = to_alpha[i] ? samples[i + to_alpha[i]] : 1;
            } else if (to_alpha[i] >= 0) {
                four.samples[i] = rows.gathered(row, i, 0);
                four.weights[i] = to_alpha[i] ? rows.gathered(row, i, to_alpha[i]) : 1;
            }
        return four;
    }

    __device__ __forceinline__ const unit &loaded(const unit &four) const
    {
        return four;
    }
};

struct read_integers {
    template <typename Sample>
    __device__ __forceinline__ void operator()(double (&values)[4], const lines_unit<Sample> &unit)
    {
#pragma unroll
        for (int i = 0; i < 4; i++)
            values[i] = real_of(unit.at(i));
    }
};

struct read_weighted {
    template <class Unit>
    __device__ __forceinline__ void operator()(double (&values)[4], const Unit &unit)
    {
#pragma unroll
        for (int i = 0; i < 4; i++)
            values[i] = real_of(unit.samples[i] * unit.weights[i]);
    }
};

/* src: the part. Its rows to a multiple of LINES_TILE, and all lines of the planes, are written. */
template <class Source, class Read>
__global__ void __launch_bounds__(32 * LINES_WARPS, 3)
    sum_integers_down(const __grid_constant__ source src, const lines_taps down, const int halo_x,
                      const lines_planes planes)
{
    DYN_SHARED(double, memory);
    const lines_tile_down tile(planes);
    const Source source(src, tile, halo_x, down.halo);
    Read read;
    lines_sums sums;

    await_kernel_before();
    let_next_kernel_come();

    const lines_taps taps = down.copied(memory);

    __syncthreads();
    if (tile.row >= src.height)
        return;
    sum_lines<false>(sums, taps, source, read);
    store_sums(sums, planes.sums, planes, tile, src.channels, put_sum());
}

/* --- Along the rows. */

struct integer_rounding {
    double offset; /* of a total of ../arithmetic.cuh */
    uint32_t unresolved, maxval;
};

struct read_sums {
    __device__ __forceinline__ void operator()(double (&values)[4], const lines_numbers::unit &unit)
    {
        get_numbers(values, unit);
    }
};

/* Rounds and stores total(column, row), a sum in grey levels; what is open goes on the list. */
template <typename Sample, class Total>
__device__ __forceinline__ void store_totals(const view &dst, const lines_tile_along &tile,
                                             const integer_rounding &rounding,
                                             const lines_list &list, uint32_t resolved, Total total)
{
    typedef totals_in_doubles totals;
    const uint32_t open = store_results<Sample>(dst, tile, [&](int column, int row) {
        const double t = total(column, row) + rounding.offset;

        return lines_result{min(totals::whole(t), rounding.maxval),
                            totals::fraction(t) < rounding.unresolved};
    });

    list.add(dst, tile, open & ~resolved);
}

/* dst: the part. */
template <typename Sample>
__global__ void __launch_bounds__(32 * LINES_WARPS, 3)
    sum_integers_along(const view dst, const lines_taps along, const lines_planes planes,
                       const integer_rounding rounding, const lines_list list)
{
    DYN_SHARED(double, memory);
    const lines_tile_along tile(dst, planes);
    const lines_numbers source = {planes.sums + tile.first(planes, tile.channel), planes.pitch};
    /* The taps were there before the kernel before let this one come. */
    const lines_taps taps = along.copied(memory);
    read_sums read;
    lines_sums sums;

    __syncthreads();
    await_kernel_before();
    let_next_kernel_come();
    if (tile.x >= dst.width)
        return;
    sum_lines<false>(sums, taps, source, read);
    store_totals<Sample>(dst, tile, rounding, list, 0,
                         [&](int column, int row) { return sums.at(column, row); });
}

/* The lane's sums that are 0: bits of lines_bit(). */
__device__ __forceinline__ uint32_t zeros_of(lines_sums &sums)
{
    uint32_t zeros = 0;

#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
        for (int k = 0; k < 4; k++)
            zeros |= sums.at(i, k) == 0 ? lines_bit(i, k) : 0;
    return zeros;
}

/* Colours under no alpha at all stay what they are. bare: bits of lines_bit(). */
template <typename Sample>
__device__ __forceinline__ void keep_bare(const view &src, const view &dst,
                                          const lines_tile_along &tile, uint32_t bare)
{
    const lines_pixels pixels = {dst, tile};

    for (uint32_t left = pixels.present(bare); left; left &= left - 1)
        *pixels.sample<Sample>(dst, left) = *pixels.sample<const Sample>(src, left);
}

/* All channels of pixels whose colours alpha weighs. src and dst: the part. The last plane has
 * alpha's sums, the others colours' times alpha. */
template <typename Sample>
__global__ void __launch_bounds__(32 * LINES_WARPS, 2)
    sum_means_along(const view src, const view dst, const lines_taps along,
                    const lines_planes planes, const integer_rounding rounding,
                    const lines_list list)
{
    DYN_SHARED(double, memory);
    lines_tile_along tile(dst, planes);
    lines_numbers source = {planes.sums + tile.first(planes, dst.channels - 1), planes.pitch};
    const lines_taps taps = along.copied(memory);
    read_sums read;
    lines_sums cover, sums;

    __syncthreads();
    await_kernel_before();
    let_next_kernel_come();
    if (tile.x >= dst.width)
        return;
    tile.channel = dst.channels - 1;
    sum_lines<false>(cover, taps, source, read);
    store_totals<Sample>(dst, tile, rounding, list, 0,
                         [&](int column, int row) { return cover.at(column, row); });

    const uint32_t bare = zeros_of(cover);

#pragma unroll 1
    while (tile.channel-- > 0) {
        source.first -= planes.lines * planes.pitch;
        sum_lines<false>(sums, taps, source, read);
        store_totals<Sample>(dst, tile, rounding, list, bare, [&](int column, int row) {
            return sums.at(column, row) / cover.at(column, row);
        });
        keep_bare<Sample>(src, dst, tile, bare);
    }
}

#endif
