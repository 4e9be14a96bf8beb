/* SPDX-License-Identifier: MIT */
/* Small images in one launch. A small image takes less time for memory and arithmetic than for
 * several launches, so one kernel does everything. It sums down the columns, then along the rows,
 * in doubles. Hardly any sample is unresolved (its rounding not proven); the block that finds one
 * repairs it. The halos of the axes may differ, and no address need be aligned (small_refuses()
 * has the limits). It takes no scratch memory.
 *
 *     tile     SMALL_ROWS rows of up to SMALL_COLUMNS samples, by a thread block
 *     run      SMALL_RUN results of a thread: sums down the columns one below the other, then
 *              outputs side by side
 *     reach    samples that the filter reaches beyond the tile on either side, along the rows */
#ifndef SMOOTHIMG_FUSED_SMALL_KERNEL_CUH
#define SMOOTHIMG_FUSED_SMALL_KERNEL_CUH

#include "kernels/smooth/fused/repair.cuh"
#include "kernels/smooth/fused/small/columns.cuh"

/* Stores the samples of a run, of which only the first `valid` are in the image. */
template <typename Sample>
__device__ __forceinline__ void store_run(Sample *to, const Sample (&samples)[SMALL_RUN],
                                          int channels, int64_t valid)
{
    struct alignas(SMALL_RUN * sizeof(Sample)) unit {
        Sample samples[SMALL_RUN];
    };

    if (channels == 1 && valid >= SMALL_RUN && (uintptr_t)to % sizeof(unit) == 0) {
        unit all;

#pragma unroll
        for (int i = 0; i < SMALL_RUN; i++)
            all.samples[i] = samples[i];
        *reinterpret_cast<unit *>(to) = all;
        return;
    }
#pragma unroll
    for (int i = 0; i < SMALL_RUN; i++)
        if (i < valid)
            to[i * channels] = samples[i];
}

/* Computes and stores the thread's run along a row, and queues the run's unresolved samples. */
template <typename Sample>
__device__ __forceinline__ void sum_small_row(const double *sums, const view &dst,
                                              const small_tile &tile, const small_filter &filter,
                                              unresolved_queue &queue)
{
    const int runs = tile.columns / SMALL_RUN; /* runs in a row */
    const int channels = dst.channels;
    const int thread = (int)(threadIdx.y * blockDim.x + threadIdx.x);
    const int row = thread / runs, run = thread % runs;
    const int first = run / channels * SMALL_RUN * channels + run % channels; /* in the tile */
    const int last = tile.columns + 2 * tile.reach - 1 - first;
    const int64_t left = tile.row_samples - tile.x - first;
    double totals[SMALL_RUN] = {};
    Sample samples[SMALL_RUN];

    if (row >= SMALL_ROWS || tile.y + row >= dst.height || left <= 0)
        return;
    add_windows(totals, filter.along, [&](int i) {
        return sums[row * tile.pitch + small_slot(first + min(i * channels, last))];
    });
#pragma unroll
    for (int i = 0; i < SMALL_RUN; i++) {
        const double t = totals[i] + filter.offset;
        const int at = first + i * channels;

        samples[i] = (Sample)min(totals_in_doubles::whole(t), filter.along.maxval);
        if (totals_in_doubles::fraction(t) < filter.unresolved && i * channels < left)
            queue_sample(queue, row, at);
    }
    store_run(row_of<Sample>(dst, tile.y + row) + tile.x + first, samples, channels,
              (left + channels - 1) / channels);
}

/* The arguments of a launch. */
struct small_stack {
    source src; /* the first image */
    view dst;
    int64_t src_apart, dst_apart; /* bytes from an image to the next */
    int tiles_x;                  /* tiles in a row of an image */
};

template <class Image> __device__ __forceinline__ Image image_at(Image first, int64_t bytes)
{
    first.origin = static_cast<char *>(first.origin) + bytes;
    return first;
}

/* blockIdx.x is the tile, blockIdx.y the image. */
template <typename Sample>
__global__ void __launch_bounds__(MAX_BLOCK_THREADS)
    fused_small(const __grid_constant__ small_stack stack,
                const __grid_constant__ small_filter filter)
{
    DYN_SHARED(double, sums);
    __shared__ unresolved_queue queue;
    const source src = image_at(stack.src, blockIdx.y * stack.src_apart);
    const view dst = image_at(stack.dst, blockIdx.y * stack.dst_apart);
    const small_tile tile = tile_of_block(src, filter.along.halo, stack.tiles_x);
    const queue_part part = {tile.x, tile.y,
                             (int)min(tile.row_samples - tile.x, (int64_t)tile.columns),
                             (int)min(dst.height - tile.y, (int64_t)SMALL_ROWS)};
    const int thread = (int)(threadIdx.y * blockDim.x + threadIdx.x);

    if (thread == 0)
        queue.count = 0;
    sum_small_columns<Sample>(sums, src, tile, filter.down);
    __syncthreads();
    sum_small_row<Sample>(sums, dst, tile, filter, queue);
    __syncthreads();
    if (queue.count > 0)
        repair_queued<Sample>(queue, part, src, dst, filter, thread / 32,
                              (int)(blockDim.x * blockDim.y) / 32);
}

#endif
