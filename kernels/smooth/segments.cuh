/* SPDX-License-Identifier: MIT */
/* Cuts an image into segments of rows. A thread block computes one segment, and its threads move
 * down the columns. */
#ifndef SMOOTHIMG_SEGMENTS_CUH
#define SMOOTHIMG_SEGMENTS_CUH

#include "kernels/common/launch.cuh"

/* Returns how many rows a thread block computes. It tries heights for which the blocks fill the GPU
 * one to eight times, and returns the one with the least estimated time, which counts the 2 halo
 * rows that each block only reads. The result is at most `most`, unless the grid would then be too
 * high. column_blocks: the product of the grid's other dimensions. */
static inline int rows_of_segment(int64_t column_blocks, int64_t height, const void *kernel,
                                  int threads, size_t shared_bytes, int halo, int64_t most)
{
    int resident = 1;
    int64_t best = height, best_cost = INT64_MAX;
    const int64_t least = blocks_for(height, most_blocks_down());

    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, shared_bytes);
    const int64_t at_once =
        (int64_t)attribute_of_device(cudaDevAttrMultiProcessorCount) * max(resident, 1);

    for (int64_t waves = 1; waves <= 8; waves++) {
        const int64_t segments = max(at_once * waves / column_blocks, (int64_t)1);
        const int64_t rows = max(min(blocks_for(height, segments), most), least);
        const int64_t blocks = column_blocks * blocks_for(height, rows);
        const int64_t cost = blocks_for(blocks, at_once) * (rows + 2 * halo + 16);

        if (cost < best_cost) {
            best_cost = cost;
            best = rows;
        }
    }
    return (int)min(best, (int64_t)INT32_MAX / 2);
}

#endif
