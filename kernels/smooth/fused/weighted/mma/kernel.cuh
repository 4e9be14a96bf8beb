/* SPDX-License-Identifier: MIT */
/* What ../kernel.cuh does, by products of matrices of doubles, for which GPUs from 8.0 on have
 * tensor cores: on Hopper twice as many products as without. 2 or 4 channels, any axes and
 * addresses, with the bound of ../filter.cuh: each term is added by one fma. */
#ifndef SMOOTHIMG_FUSED_WEIGHTED_MMA_KERNEL_CUH
#define SMOOTHIMG_FUSED_WEIGHTED_MMA_KERNEL_CUH

#include "kernels/smooth/fused/weighted/divide.cuh"
#include "kernels/smooth/fused/weighted/mma/sums.cuh"
#include "kernels/smooth/fused/weighted/repair.cuh"
#include "kernels/smooth/fused/weighted/store.cuh"

/* A pair of channels is a plane of sums. With the pairs after a row's last, and columns exchanged
 * by place_of_sum(), eight lanes that read 16 bytes each, four columns of two rows, find different
 * banks. */
template <int CHANNELS> __host__ __device__ constexpr int mma_row_pairs()
{
    return CHANNELS / 2 * WEIGHTED_COLUMNS + 4;
}

__device__ __forceinline__ int place_of_sum(int row, int column)
{
    return column ^ row / 2;
}

/* A block's shared memory, but for the marks. */
template <int CHANNELS> struct mma_memory {
    double2 sums[WEIGHTED_RUN][mma_row_pairs<CHANNELS>()];
    mma_taps down, along;
};

/* What the images allow: that MMA_COLUMNS pixels of the source are loaded, or two stored, at once.
 */
struct mma_alignment {
    bool src, dst;
};

/* Outputs of a tile in a row: pairs of runs. */
__host__ __device__ static inline int mma_outputs(int halo)
{
    constexpr int unit = 2 * WEIGHTED_RUN;

    return (WEIGHTED_COLUMNS - 2 * mma_reach(halo)) / unit * unit;
}

template <int CHANNELS>
__device__ __forceinline__ void store_sums(mma_memory<CHANNELS> &memory,
                                           const mma_totals<CHANNELS> &sums, int column)
{
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const int row = (int)threadIdx.x % 4 * 2 + i;
        double pixel[CHANNELS];

        sums.get(pixel, i);
#pragma unroll
        for (int c = 0; c < CHANNELS; c += 2)
            memory.sums[row][c / 2 * WEIGHTED_COLUMNS + place_of_sum(row, column)] =
                make_double2(pixel[c], pixel[c + 1]);
    }
}

/* The sums of the tile's columns, those too that no output needs: they are multiplied by 0. */
template <typename Sample, int CHANNELS>
__device__ __forceinline__ void multiply_columns(mma_memory<CHANNELS> &memory, const view &src,
                                                 const weighted_tile &tile,
                                                 const weighted_filter &filter, bool aligned)
{
    const int64_t top = tile.y - filter.down.halo;
    const int last = (int)min(src.height + filter.down.halo - 1 - top, (int64_t)INT32_MAX);

#pragma unroll 1
    for (int column = (int)threadIdx.x / 4 * MMA_COLUMNS; column < WEIGHTED_COLUMNS;
         column += (int)blockDim.x / 4 * MMA_COLUMNS) {
        const int64_t x = tile.column_x(column);
        const mma_columns<Sample, CHANNELS> source = {
            reinterpret_cast<const char *>(row_of<const Sample>(src, top) + x * CHANNELS),
            src.stride_bytes, last, (int)min(tile.last_x - x + 1, (int64_t)MMA_COLUMNS), aligned};
        mma_totals<CHANNELS> sums[MMA_COLUMNS] = {};

        sum_columns(sums, source, memory.down, terms_of_run(filter.down));
#pragma unroll
        for (int i = 0; i < MMA_COLUMNS; i++)
            store_sums(memory, sums[i], column + i);
    }
}

/* Two outputs side by side. */
template <int CHANNELS> struct mma_outputs_of_lane {
    double t[2][CHANNELS]; /* sums at first */
    bool bare[2];          /* no alpha in the window at all */
    uint32_t lowest;       /* fraction */

    __device__ __forceinline__ void divide_both(const mma_totals<CHANNELS> &sums,
                                                const weighted_filter &filter)
    {
        lowest = UINT32_MAX;
#pragma unroll
        for (int i = 0; i < 2; i++) {
            sums.get(t[i], i);
            bare[i] = __double2hiint(t[i][CHANNELS - 1]) == 0; /* of the sum 0 alone */
            divide(t[i], filter);
            lowest = min(lowest, lowest_fraction(t[i]));
        }
    }

    /* Marks what is unresolved of the first `count`. */
    __device__ __forceinline__ void mark(weighted_marks &marks, uint32_t unresolved, int x, int row,
                                         int count) const
    {
#pragma unroll
        for (int i = 0; i < 2; i++)
            if (i < count && !bare[i] && lowest_fraction(t[i]) < unresolved)
                marks.add(x + i, row);
    }

    /* A colour under no alpha at all stays what it is. own: the pixels of the source. */
    template <typename Sample>
    __device__ __forceinline__ void keep_colours(const Sample *own, int count)
    {
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int c = 0; c < CHANNELS - 1; c++)
                if (i < count && bare[i])
                    t[i][c] = __hiloint2double((int)own[i * CHANNELS + c], 0);
    }
};

/* Where the lane's outputs are. */
template <typename Sample> struct mma_row {
    const Sample *own; /* the source's row, from the tile's first output on */
    Sample *to;
    int row, outputs; /* of the tile; none below the image */
    bool aligned;
};

template <typename Sample, int CHANNELS>
__device__ __forceinline__ void
finish_run(const mma_totals<CHANNELS> &sums, const mma_row<Sample> &line,
           const weighted_filter &filter, weighted_marks &marks, int x)
{
    const int count = line.outputs - x;
    mma_outputs_of_lane<CHANNELS> outputs;

    if (count <= 0)
        return;
    outputs.divide_both(sums, filter);
    if (outputs.lowest < filter.unresolved)
        outputs.mark(marks, filter.unresolved, x, line.row, count);
    if (outputs.bare[0] || outputs.bare[1])
        outputs.keep_colours(line.own + x * CHANNELS, count);
    store_pixels(line.to + x * CHANNELS, outputs.t, count, line.aligned);
}

/* The outputs of the tile, two runs in each row at a time by a warp. */
template <typename Sample, int CHANNELS>
__device__ __forceinline__ void
multiply_rows(const mma_memory<CHANNELS> &memory, const mma_row<Sample> &line,
              const weighted_tile &tile, const weighted_filter &filter, weighted_marks &marks)
{
    const int term = (int)threadIdx.x % 4;

#pragma unroll 1
    for (int first = (int)threadIdx.x / 32 * 2 * WEIGHTED_RUN; first < tile.outputs;
         first += (int)blockDim.x / 32 * 2 * WEIGHTED_RUN) {
        mma_totals<CHANNELS> sums[2] = {};

        sum_rows(sums, memory.sums[line.row] + place_of_sum(line.row, first + term),
                 WEIGHTED_COLUMNS, memory.along, terms_of_run(filter.along));
#pragma unroll
        for (int run = 0; run < 2; run++)
            finish_run(sums[run], line, filter, marks, first + run * WEIGHTED_RUN + 2 * term);
    }
}

template <typename Sample, int CHANNELS>
__global__ void __launch_bounds__(WEIGHTED_COLUMNS, 3)
    fused_weighted_mma(const view src, const view dst,
                       const __grid_constant__ weighted_filter filter, const mma_alignment aligned)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    DYN_SHARED(double2, shared);
    __shared__ weighted_marks marks;
    mma_memory<CHANNELS> &memory = *reinterpret_cast<mma_memory<CHANNELS> *>(shared);
    const int halo = filter.along.halo;
    const weighted_tile tile = weighted_tile_of(src, halo, halo, mma_outputs(halo));
    const int row = (int)threadIdx.x % 32 / 4;
    const int64_t y = min(tile.y + row, dst.height - 1), at = tile.x * CHANNELS;
    const mma_row<Sample> line = {row_of<const Sample>(src, y) + at, row_of<Sample>(dst, y) + at,
                                  row, tile.y + row < dst.height ? tile.outputs : 0, aligned.dst};

    marks.clear();
    memory.down.set(filter.down);
    memory.along.set(filter.along);
    __syncthreads();
    multiply_columns<Sample>(memory, src, tile, filter, aligned.src);
    __syncthreads();
    multiply_rows(memory, line, tile, filter, marks);
    __syncthreads();
    for (uint32_t rows = marks.rows; rows; rows &= rows - 1)
        repair_row<Sample, CHANNELS>(reinterpret_cast<uint128 *>(shared), src, dst, tile, filter,
                                     marks, __ffs((int)rows) - 1);
#endif
}

#endif
