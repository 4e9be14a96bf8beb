/* SPDX-License-Identifier: MIT */
/* A thread for each pixel of the border, which it copies from inside the image: so no thread waits
 * for another, and the corners need no second step. */
#include "kernels/border/fill.h"
#include "kernels/common/launch.cuh"

#define FILL_THREADS 256
#define FILL_BLOCKS 4096 /* at most, each way; they loop over the rest */

/* T: a sample. */
template <typename T>
__device__ static inline void fill_pixel(const view &image, enum edge edge, int64_t x, int64_t y)
{
    const int64_t from_x = edge_index(edge, x, image.width);
    const int64_t from_y = edge_index(edge, y, image.height);
    const bool zero = from_x < 0 || from_y < 0;
    T *to = row_of<T>(image, y) + x * image.channels;
    const T *from = row_of<T>(image, zero ? 0 : from_y) + (zero ? 0 : from_x) * image.channels;

    for (int32_t c = 0; c < image.channels; c++)
        to[c] = zero ? (T)0 : from[c];
}

/* Block y 0: the rows above and below the image, with their ends; 1: the ends of its own rows. */
template <typename T>
static __global__ void fill_border(const view image, const int64_t halo_x, const int64_t halo_y,
                                   const enum edge edge)
{
    const bool beside = blockIdx.y == 1;
    const int64_t across = beside ? 2 * halo_x : image.width + 2 * halo_x;
    const int64_t count = across * (beside ? image.height : 2 * halo_y);

    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (int64_t)gridDim.x * blockDim.x) {
        const int64_t row = i / across, column = i - row * across;

        if (beside)
            fill_pixel<T>(image, edge,
                          column < halo_x ? column - halo_x : column - halo_x + image.width, row);
        else
            fill_pixel<T>(image, edge, column - halo_x,
                          row < halo_y ? row - halo_y : row - halo_y + image.height);
    }
}

const char *border_fill(const struct view *image, int64_t halo_x, int64_t halo_y, enum edge edge,
                        void *stream)
{
    const int64_t rows = 2 * halo_y * (image->width + 2 * halo_x);
    const int64_t ends = 2 * halo_x * image->height;
    const int64_t blocks = blocks_for(rows > ends ? rows : ends, FILL_THREADS);
    const dim3 grid((unsigned)(blocks < FILL_BLOCKS ? blocks : FILL_BLOCKS), 2);

    if (blocks == 0)
        return NULL;
    if (image->sample_bytes == 1)
        LAUNCH(fill_border<uint8_t>, grid, FILL_THREADS, 0, stream, *image, halo_x, halo_y, edge);
    else
        LAUNCH(fill_border<uint16_t>, grid, FILL_THREADS, 0, stream, *image, halo_x, halo_y, edge);
    return launched();
}
