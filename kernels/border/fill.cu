/* SPDX-License-Identifier: MIT */
/* A thread for each pixel of the border, which it copies from inside the image: so no thread waits
 * for another, and the corners need no second step. */
#include "kernels/border/fill.h"
#include "kernels/common/launch.cuh"

#define FILL_THREADS 256
#define FILL_BLOCKS 4096 /* at most, each way; they loop over the rest */

/* T: a sample. Rows are counted from the first that is there. */
template <typename T>
__device__ static inline void fill_pixel(const view &image, const border &border, int64_t x,
                                         int64_t y)
{
    const int64_t from_x = edge_index(border.edge, x, image.width);
    const int64_t from_y = y >= 0 && y < image.height ? y : border_row(&border, y);
    const bool zero = from_x < 0 || from_y < 0;
    T *to = row_of<T>(image, y) + x * image.channels;
    const T *from = row_of<T>(image, zero ? 0 : from_y) + (zero ? 0 : from_x) * image.channels;

    for (int32_t c = 0; c < image.channels; c++)
        to[c] = zero ? (T)0 : from[c];
}

/* Block y 0: the rows above and below the image, with their ends; 1: the ends of its own rows. */
template <typename T> static __global__ void fill_border(const view image, const border border)
{
    const bool inside = blockIdx.y == 1;
    const int64_t across = inside ? 2 * border.beside : image.width + 2 * border.beside;
    const int64_t count = across * (inside ? image.height : border.above + border.below);

    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (int64_t)gridDim.x * blockDim.x) {
        const int64_t row = i / across, column = i - row * across - border.beside;

        if (inside)
            fill_pixel<T>(image, border, column < 0 ? column : column + image.width, row);
        else
            fill_pixel<T>(image, border, column,
                          row < border.above ? row - border.above
                                             : row - border.above + image.height);
    }
}

const char *border_fill(const struct view *image, const struct border *border, void *stream)
{
    const int64_t rows = (border->above + border->below) * (image->width + 2 * border->beside);
    const int64_t ends = 2 * border->beside * image->height;
    const int64_t blocks = blocks_for(rows > ends ? rows : ends, FILL_THREADS);
    const dim3 grid((unsigned)(blocks < FILL_BLOCKS ? blocks : FILL_BLOCKS), 2);

    if (blocks == 0)
        return NULL;
    if (image->sample_bytes == 1)
        LAUNCH(fill_border<uint8_t>, grid, FILL_THREADS, 0, stream, *image, *border);
    else if (image->sample_bytes == 4)
        LAUNCH(fill_border<uint32_t>, grid, FILL_THREADS, 0, stream, *image, *border);
    else
        LAUNCH(fill_border<uint16_t>, grid, FILL_THREADS, 0, stream, *image, *border);
    return launched();
}
