/* SPDX-License-Identifier: MIT */
/* The separable smooth in the definition's integers, by two kernels: exact_rows sums along the rows
 * into scratch, 64 bits a sum, and exact_columns sums these down the columns in 128 bits and
 * rounds. Nothing is estimated, so there is no bound and nothing to repair: it serves every piece,
 * and it is what the fp16 kernel is compared with before it is trusted (fp16/trial.cuh).
 *
 * A plane holds one value of each pixel: a sample, or, where alpha weighs the colours, alpha, or
 * its product with a colour. Values have at most 16 bits, so that the product of 16-bit samples
 * takes two planes, its lower and its upper half.
 *
 * exact_launch.cuh cuts the image into parts. */
#ifndef SMOOTHIMG_FUSED_EXACT_CUH
#define SMOOTHIMG_FUSED_EXACT_CUH

#include "kernels/common/mean.cuh"
#include "kernels/smooth/fused/repair.cuh"
#include "kernels/smooth/shared/tile.cuh"

#define OUTPUTS 4 /* of a thread of exact_columns, one below another */

/* The row sums of a part in scratch. Row 0 belongs to the image's row -halo_y. */
struct row_sums {
    uint64_t *first;
    int64_t pitch; /* from a plane to the next in the same row: the columns, to a multiple of 4 */
    int planes;
    int rows; /* a multiple of OUTPUTS, and twice halo_y */
};

__device__ __forceinline__ uint64_t *sums_of(const row_sums &sums, int64_t row, int plane)
{
    return sums.first + (row * sums.planes + plane) * sums.pitch;
}

/* Plane 0 is alpha where it weighs the colours; these follow in order. */
template <typename T, bool WEIGHTED>
__device__ __forceinline__ void fetch_plane(uint32_t *tile, const source &src, int halo, int64_t x,
                                            int64_t y, int rows, int plane)
{
    constexpr int each = (int)sizeof(T); /* planes of a colour */

    if (!WEIGHTED)
        fetch<T, TILE_SAMPLE>(tile, src, halo, x, y, rows, plane);
    else if (plane == 0)
        fetch<T, TILE_SAMPLE>(tile, src, halo, x, y, rows, src.channels - 1);
    else if (each == 1 || plane % 2 == 1)
        fetch<T, TILE_LOWER>(tile, src, halo, x, y, rows, (plane - 1) / each);
    else
        fetch<T, TILE_UPPER>(tile, src, halo, x, y, rows, (plane - 1) / each);
}

/* tile_rows: of sums that a block makes at once; it goes on gridDim.y times as many rows below. */
template <typename T, bool WEIGHTED>
__global__ void __launch_bounds__(BLOCK_X *BLOCK_Y, 4)
    exact_rows(const source src, const __grid_constant__ weights weights, const int halo_y,
               const row_sums sums, const int tile_rows, const if_overflowed when)
{
    DYN_SHARED(uint32_t, tile);
    const int halo = weights.halo, own = (int)threadIdx.y;
    const int64_t x = (int64_t)blockIdx.x * TILE_X, own_x = x + COLUMNS * threadIdx.x;

    if (!when.needed())
        return;
    for (int64_t row = (int64_t)blockIdx.y * tile_rows; row < sums.rows;
         row += (int64_t)gridDim.y * tile_rows) {
        const bool busy = own < tile_rows && row + own < sums.rows && own_x < sums.pitch;

        for (int plane = (int)blockIdx.z; plane < sums.planes; plane += (int)gridDim.z) {
            fetch_plane<T, WEIGHTED>(tile, src, halo, x - halo, row - halo_y, tile_rows, plane);
            __syncthreads();
            if (busy) {
                struct alignas(16) group { /* is written by 16 bytes */
                    uint64_t sums[COLUMNS];
                } four;

                sum_row<0>(four.sums, weights, tile + own * pitch_of(halo) + COLUMNS * threadIdx.x);
                *reinterpret_cast<group *>(sums_of(sums, row + own, plane) + own_x) = four;
            }
            __syncthreads(); /* before the next plane takes its place */
        }
    }
}

/* A sum of products of weights, in halves of 24 bits, and of numbers of 64 bits, in halves of 32.
 * The four kinds of products have 56 bits: 256 of each can be added before join(). */
struct product_sums {
    uint64_t lowest, above_24, above_32, above_56;

    /* distance: of the weight */
    __device__ __forceinline__ void add(const weights &weights, int distance, uint64_t number)
    {
        const uint32_t low_weight = weights.lower[distance] & 0xffffff;
        const uint32_t high_weight = weights.lower[distance] >> 24 | weights.upper[distance] << 8;
        const uint32_t low = (uint32_t)number, high = (uint32_t)(number >> 32);

        lowest += (uint64_t)low_weight * low;
        above_24 += (uint64_t)high_weight * low;
        above_32 += (uint64_t)low_weight * high;
        above_56 += (uint64_t)high_weight * high;
    }

    __device__ __forceinline__ uint128 join() const
    {
        return ((uint128)above_56 << 56) + ((uint128)above_32 << 32) + ((uint128)above_24 << 24) +
               lowest;
    }
};

#define MAX_PAIRS 252 /* between two join(); half as many if their rows are added one by one */

/* Moves the rows above the outputs one up, and those below them one down. */
__device__ __forceinline__ void widen(uint64_t (&above)[OUTPUTS], uint64_t (&below)[OUTPUTS],
                                      const uint64_t *&top, const uint64_t *&bottom, int64_t pitch)
{
    top -= pitch;
    bottom += pitch;
#pragma unroll
    for (int i = OUTPUTS - 1; i > 0; i--)
        above[i] = above[i - 1];
#pragma unroll
    for (int i = 0; i < OUTPUTS - 1; i++)
        below[i] = below[i + 1];
    above[0] = *top;
    below[OUTPUTS - 1] = *bottom;
}

/* The totals of OUTPUTS samples one below another; centre: the row sum of the first.
 *
 * Rows at the same distance share a weight, and are added first. The pair has room in 64 bits if
 * the row's weights sum to less than 2. Where they sum to more, which --norm analytic allows for
 * sigmas below 0.2, those at distance 2 and beyond are 0, and so are the column's if the axes are
 * equal: so the pair at distance 1 is not added. PAIRS: whether the others may be. */
template <bool PAIRS>
__device__ __forceinline__ void sum_down(uint128 (&totals)[OUTPUTS], const uint64_t *centre,
                                         int64_t pitch, const weights &weights)
{
    const uint64_t *top = centre, *bottom = centre + (OUTPUTS - 1) * pitch;
    uint64_t above[OUTPUTS], below[OUTPUTS];
    product_sums sums[OUTPUTS] = {};
    int k = 2;

#pragma unroll
    for (int i = 0; i < OUTPUTS; i++) {
        totals[i] = 0;
        above[i] = below[i] = centre[i * pitch];
        sums[i].add(weights, 0, above[i]);
    }
    if (weights.halo > 0) {
        widen(above, below, top, bottom, pitch);
#pragma unroll
        for (int i = 0; i < OUTPUTS; i++) {
            sums[i].add(weights, 1, above[i]);
            sums[i].add(weights, 1, below[i]);
        }
    }
    do {
        const int end = min(weights.halo + 1, k + (PAIRS ? MAX_PAIRS : MAX_PAIRS / 2));

#pragma unroll 4
        for (; k < end; k++) {
            widen(above, below, top, bottom, pitch);
#pragma unroll
            for (int i = 0; i < OUTPUTS; i++)
                if (PAIRS) {
                    sums[i].add(weights, k, above[i] + below[i]);
                } else {
                    sums[i].add(weights, k, above[i]);
                    sums[i].add(weights, k, below[i]);
                }
        }
#pragma unroll
        for (int i = 0; i < OUTPUTS; i++) {
            totals[i] += sums[i].join();
            sums[i] = {};
        }
    } while (k <= weights.halo);
}

/* A thread's outputs: pixels (x, y) to (x, y + OUTPUTS - 1). */
struct column {
    view src, dst;
    int64_t x, y;
    int rows; /* up to OUTPUTS, that there are */
};

template <typename T>
__device__ __forceinline__ void round_column(const uint128 (&totals)[OUTPUTS], const column &at,
                                             uint32_t maxval, int32_t channel)
{
#pragma unroll
    for (int i = 0; i < OUTPUTS; i++)
        if (i < at.rows)
            row_of<T>(at.dst, at.y + i)[at.x * at.dst.channels + channel] =
                (T)exact_round(totals[i], maxval);
}

/* A colour under no alpha at all stays what it is. */
template <typename T>
__device__ __forceinline__ void divide_column(const uint128 (&colours)[OUTPUTS],
                                              const uint128 (&cover)[OUTPUTS], const column &at,
                                              int32_t channel)
{
    const int64_t sample = at.x * at.dst.channels + channel;

#pragma unroll 1
    for (int i = 0; i < at.rows; i++)
        row_of<T>(at.dst, at.y + i)[sample] =
            (T)(exact_is_zero(cover[i]) ? row_of<const T>(at.src, at.y + i)[sample]
                                        : mean_of(colours[i], cover[i]));
}

/* The outputs of a thread. centre: of plane 0, the row sum of the first. */
template <typename T, bool WEIGHTED, bool PAIRS>
__device__ __forceinline__ void smooth_column(const column &at, const weights &weights,
                                              const row_sums &sums, const uint64_t *centre)
{
    constexpr int each = (int)sizeof(T); /* planes of a colour */
    const int64_t pitch = sums.pitch * sums.planes;
    uint128 totals[OUTPUTS], cover[OUTPUTS], upper[OUTPUTS];

    for (int32_t channel = (int)blockIdx.z; !WEIGHTED && channel < at.dst.channels;
         channel += (int)gridDim.z) {
        sum_down<PAIRS>(totals, centre + channel * sums.pitch, pitch, weights);
        round_column<T>(totals, at, weights.maxval, channel);
    }
    if (!WEIGHTED)
        return;
    sum_down<PAIRS>(cover, centre, pitch, weights);
    round_column<T>(cover, at, weights.maxval, at.dst.channels - 1);
#pragma unroll 1
    for (int32_t channel = 0; channel < at.dst.channels - 1; channel++) {
        const uint64_t *colour = centre + (1 + each * channel) * sums.pitch;

        sum_down<PAIRS>(totals, colour, pitch, weights);
        if (each > 1) {
            sum_down<PAIRS>(upper, colour + sums.pitch, pitch, weights);
            for (int i = 0; i < OUTPUTS; i++)
                totals[i] += upper[i] << 16;
        }
        divide_column<T>(totals, cover, at, channel);
    }
}

template <typename T, bool WEIGHTED, bool PAIRS>
__global__ void __launch_bounds__(BLOCK_X *BLOCK_Y, 2)
    exact_columns(const view src, const view dst, const __grid_constant__ weights weights,
                  const row_sums sums, const if_overflowed when)
{
    const int64_t x = (int64_t)blockIdx.x * BLOCK_X + threadIdx.x;

    if (x >= dst.width || !when.needed())
        return;
    for (int64_t y = ((int64_t)blockIdx.y * BLOCK_Y + threadIdx.y) * OUTPUTS; y < dst.height;
         y += (int64_t)gridDim.y * BLOCK_Y * OUTPUTS)
        smooth_column<T, WEIGHTED, PAIRS>(
            {src, dst, x, y, (int)min(dst.height - y, (int64_t)OUTPUTS)}, weights, sums,
            sums_of(sums, y + weights.halo, 0) + x);
}

#endif
