/* SPDX-License-Identifier: MIT */
/* Sums down the columns of a tile, by products of matrices of doubles (../double_products.cuh): A
 * has the weights, B the samples. With w(k) the weight of the window's row k, and 0 outside, output
 * row r of a tile is the sum over its rows k of w(k - r) times row k. So A's element depends on
 * k - r alone: a lane loads one weight for eight products, and finds the others among those that it
 * loaded before.
 *
 * A warp has a tile of 32 rows and 32 columns of outputs. With g = lane / 4 and t = lane % 4, a
 * lane loads columns 4g to 4g + 3 of every fourth row from row t on, and gets the sums of eight
 * columns from 8t on in four rows: g, g + 8, g + 16 and g + 24. */
#ifndef SMOOTHIMG_FUSED_LINES_PRODUCTS_CUH
#define SMOOTHIMG_FUSED_LINES_PRODUCTS_CUH

#include "kernels/common/weights.cuh"
#include "kernels/smooth/fused/double_products.cuh"

#define LINES_TILE 32 /* rows of a warp's outputs, and columns */
#define LINES_WARPS 4 /* of a block, their tiles one below another */
#define LINES_STEP 16 /* rows that are loaded at once, and half of a tile's */

/* Steps through the rows that so many rows of outputs need. */
__host__ __device__ static inline int steps_for(int halo, int rows)
{
    return (2 * halo + rows + LINES_STEP - 1) / LINES_STEP;
}

/* The window's weights with zeros before and after, for tiles. They are made once in global memory
 * (make_taps), and each block copies them into its shared memory: lanes that read different
 * words of a kernel's argument get them one by one. */
__host__ __device__ static inline int count_of_taps(int halo)
{
    return 2 * halo + 2 * LINES_TILE + LINES_STEP;
}

struct lines_taps {
    const double *first; /* of weight number -LINES_TILE */
    int halo;

    /* The same in shared memory; __syncthreads() has to follow. */
    __device__ __forceinline__ lines_taps copied(double *memory) const
    {
        for (int i = (int)threadIdx.x; i < count_of_taps(halo); i += (int)blockDim.x)
            memory[i] = first[i];
        return {memory, halo};
    }
};

static __device__ void make_taps(double *to, const weights &axis)
{
    for (int i = (int)threadIdx.x; i < count_of_taps(axis.halo); i += (int)blockDim.x) {
        const int k = i - LINES_TILE - axis.halo; /* from the centre */

        to[i] = k < -axis.halo || k > axis.halo ? 0 : (double)weight_at(axis, k) * 0x1p-46;
    }
}

/* A lane's share of a tile's outputs: in a column and one of the four rows. */
struct lines_sums {
    double of[2][4][4]; /* of 16 rows; of columns 4c + q; as the products have them */

    __device__ __forceinline__ double &at(int column, int row)
    {
        return of[row / 2][column % 4][row % 2 * 2 + column / 4];
    }

    __device__ __forceinline__ void set(double value)
    {
#pragma unroll
        for (int i = 0; i < 32; i++)
            at(i / 4, i % 4) = value;
    }
};

/* Row and column in the tile. */
__device__ __forceinline__ int lines_row(int row)
{
    return 8 * row + (int)threadIdx.x % 32 / 4;
}

__device__ __forceinline__ int lines_column(int column)
{
    return 8 * ((int)threadIdx.x % 4) + column;
}

/* The tile's sums of what read(values, unit) makes of the units, four columns each, that
 * source.load(row) gives. EVENLY: each weight but 0 counts as 1. The whole warp calls it. */
template <bool EVENLY, class Source, class Read>
__device__ __forceinline__ void sum_lines(lines_sums &sums, const lines_taps &weights,
                                          const Source &source, Read &read)
{
    const int lane = (int)threadIdx.x % 32, t = lane % 4;
    const int steps = steps_for(weights.halo, LINES_TILE);
    const int steps_of_half = steps_for(weights.halo, LINES_STEP);
    const double *own = weights.first + LINES_TILE + t - lane / 4;
    typename Source::unit next[4];
    double taps[10] = {}; /* the last six are of rows before, four apart */

    sums.set(0);
#pragma unroll
    for (int i = 0; i < 4; i++)
        next[i] = source.load(4 * i + t);
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        typename Source::unit now[4];

#pragma unroll
        for (int i = 0; i < 4; i++)
            now[i] = next[i];
#pragma unroll
        for (int i = 0; i < 4 && step + 1 < steps; i++)
            next[i] = source.load((step + 1) * LINES_STEP + 4 * i + t);
#pragma unroll
        for (int i = 0; i < 6; i++)
            taps[i] = taps[i + 4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            double values[4];

            taps[6 + i] = own[step * LINES_STEP + 4 * i];
            if (EVENLY)
                taps[6 + i] = taps[6 + i] != 0;
            read(values, source.loaded(now[i]));
#pragma unroll
            for (int q = 0; q < 4; q++) {
                if (step < steps_of_half)
                    add_doubles_4(sums.of[0][q], taps[6 + i], taps[4 + i], values[q]);
                if (step > 0)
                    add_doubles_4(sums.of[1][q], taps[2 + i], taps[i], values[q]);
            }
        }
    }
}

#endif
