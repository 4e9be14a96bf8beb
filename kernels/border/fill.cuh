/* SPDX-License-Identifier: MIT */
/* Fills the border of an image in a GPU's memory, in place, from its own pixels. */
#ifndef SMOOTHIMG_BORDER_FILL_CUH
#define SMOOTHIMG_BORDER_FILL_CUH

#include "kernels/common/edge.h"
#include "kernels/common/launch.cuh"

/* Pixel i of the border: first the rows above and below, with their ends, then what is left of
 * both sides, row by row. */
struct border_pixel {
    int64_t x, y;
};

__device__ static inline border_pixel pixel_of_border(const view &image, int64_t halo_x,
                                                      int64_t halo_y, int64_t i)
{
    const int64_t wide = image.width + 2 * halo_x, ends = 2 * halo_y * wide;

    if (i < ends) {
        const int64_t row = i / wide;

        return {i % wide - halo_x, row < halo_y ? row - halo_y : image.height + row - halo_y};
    }
    const int64_t column = (i - ends) % (2 * halo_x);

    return {column < halo_x ? column - halo_x : image.width + column - halo_x,
            (i - ends) / (2 * halo_x)};
}

template <typename Sample>
static __global__ void fill_border_kernel(const view image, const int64_t halo_x,
                                          const int64_t halo_y, const enum edge edge)
{
    const int64_t pixels = 2 * halo_y * (image.width + 2 * halo_x) + 2 * halo_x * image.height;

    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < pixels;
         i += (int64_t)gridDim.x * blockDim.x) {
        const border_pixel to = pixel_of_border(image, halo_x, halo_y, i);
        const int64_t y = edge_index(edge, to.y, image.height);
        const int64_t x = edge_index(edge, to.x, image.width);

        for (int32_t channel = 0; channel < image.channels; channel++)
            row_of<Sample>(image, to.y)[to.x * image.channels + channel] =
                x < 0 || y < 0 ? 0 : row_of<const Sample>(image, y)[x * image.channels + channel];
    }
}

/* Enqueues on the stream. halo_x columns and halo_y rows on each side. Returns NULL, or the
 * failure in words. */
static inline const char *fill_border(const view &image, int64_t halo_x, int64_t halo_y,
                                      enum edge edge, void *stream)
{
    const int64_t pixels = 2 * halo_y * (image.width + 2 * halo_x) + 2 * halo_x * image.height;
    const dim3 grid((unsigned)min(blocks_for(pixels, 256), (int64_t)MAX_GRID_Y)), block(256);

    if (pixels == 0)
        return NULL;
    if (image.sample_bytes == 1)
        LAUNCH(fill_border_kernel<uint8_t>, grid, block, 0, stream, image, halo_x, halo_y, edge);
    else
        LAUNCH(fill_border_kernel<uint16_t>, grid, block, 0, stream, image, halo_x, halo_y, edge);
    return launched();
}

#endif
