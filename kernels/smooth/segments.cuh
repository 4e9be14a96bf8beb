/* SPDX-License-Identifier: MIT */
/* Cuts an image into segments, which are ranges of rows, for the kernels of fused.cu. The threads
 * of a block move down one segment. In the kernel fused_int8, blocks at the left and the right side
 * of the image compute only a part of a segment's rows. */
#ifndef SMOOTHIMG_SEGMENTS_CUH
#define SMOOTHIMG_SEGMENTS_CUH

#include "kernels/common/launch.cuh"
#include "kernels/common/numbers.h"
#include "kernels/smooth/source.cuh"

/* Returns how many rows a segment has, if the GPU runs `at_once` blocks at the same time. Tries
 * heights for which the blocks fill the GPU one to eight times, and returns the one with the least
 * estimated time. A block's time is estimated in rows: its own rows, the 2 * halo rows that it
 * reads but does not compute, and 16 for its start. The returned height is at most `most`, unless
 * the grid would then have more rows of blocks than a launch may have. across: the product of the
 * grid's other dimensions. */
static inline int rows_of_segment(int64_t across, int64_t height, int64_t at_once, int64_t halo,
                                  int64_t most)
{
    int64_t best = height, best_cost = INT64_MAX;
    const int64_t least = blocks_for(height, most_blocks_down());

    for (int64_t waves = 1; waves <= 8; waves++) {
        const int64_t segments = max(at_once * waves / across, (int64_t)1);
        const int64_t rows = max(min(blocks_for(height, segments), most), least);
        const int64_t blocks = across * blocks_for(height, rows);
        const int64_t cost = blocks_for(blocks, at_once) * (rows + 2 * halo + 16);

        if (cost < best_cost) {
            best_cost = cost;
            best = rows;
        }
    }
    return (int)min(best, (int64_t)INT32_MAX / 2);
}

/* Returns how many blocks of a kernel run on the GPU at the same time. */
static inline int64_t blocks_at_once(const void *kernel, int threads, size_t shared_bytes)
{
    int resident = 1;

    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, shared_bytes);
    return (int64_t)attribute_of_device(cudaDevAttrMultiProcessorCount) * max(resident, 1);
}

/* The grid of fused_int8. The kernel cuts the image into columns, each as wide as a thread block's
 * outputs. A row of the grid has a block for each column, and then more blocks for the first and
 * the last column. Rows of these two columns take longer, since they need the edge rule. So each
 * segment of these columns is cut into SIDE_PARTS parts, with a block for each part. */
#define SIDE_PARTS 2

/* Returns how many blocks a row of the grid has for an image of `columns` columns, each as wide as
 * a thread block's outputs. */
static inline int64_t blocks_across(int64_t columns)
{
    return columns + (SIDE_PARTS - 1) * min(columns, (int64_t)2);
}

/* A stack, which is several images of one shape: the first image, and the bytes from one image to
 * the next. blockIdx.z is the index of a block's image. */
struct stack {
    source src;
    view dst;
    int64_t src_apart, dst_apart;
};

static inline stack stack_of(const struct piece *piece)
{
    return {source_of(piece), piece->dst, piece->request->src_apart, piece->request->dst_apart};
}

/* Returns the image that this thread block computes, from the stack whose first image is `first`.
 * apart: bytes from one image to the next. */
template <class Image> __device__ __forceinline__ Image image_of_block(Image first, int64_t apart)
{
    first.origin = static_cast<char *>(first.origin) + blockIdx.z * apart;
    return first;
}

/* The part of the image that a thread block computes. */
struct segment {
    int column;  /* index of the part's column, which is as wide as a thread block's outputs */
    int64_t top; /* the first row */
    int rows;    /* 0 or less: the block has nothing to do */
};

/* Returns the part of the image that this thread block computes. segment_rows: the height of a
 * segment, the same for all blocks. In the first and the last column each part of a segment is a
 * multiple of 8 rows high, as a step of the kernel is, except the last part. */
__device__ __forceinline__ segment segment_of_block(int64_t height, int segment_rows)
{
    const int sides = gridDim.x > SIDE_PARTS ? 2 : 1;
    const int columns = (int)gridDim.x - (SIDE_PARTS - 1) * sides;
    const int beyond = (int)blockIdx.x - columns;
    const int column = beyond < 0 ? (int)blockIdx.x : beyond % sides * (columns - 1);
    const int part = beyond < 0 ? 0 : 1 + beyond / sides;
    const bool at_side = column == 0 || column == columns - 1;
    const int rows =
        at_side ? (segment_rows + 8 * SIDE_PARTS - 1) / (8 * SIDE_PARTS) * 8 : segment_rows;
    const int64_t first = (int64_t)blockIdx.y * segment_rows, top = first + (int64_t)part * rows;

    return {column, top, (int)min((int64_t)rows, min(first + segment_rows, height) - top)};
}

#endif
