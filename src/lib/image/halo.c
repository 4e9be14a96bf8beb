/* SPDX-License-Identifier: MIT */
#include "src/lib/image/halo.h"

#include <string.h>

/* Sets the pixel at x of a row, whose samples are those of the row `from`, or zeros where that is
 * NULL. */
static void fill_pixel(const struct image *image, enum edge edge, char *row, const char *from,
                       int64_t x)
{
    const int64_t pixel_bytes = image->view.channels * image->view.sample_bytes;
    const int64_t source = from ? edge_index(edge, x, image->view.width) : -1;

    if (source < 0)
        memset(row + x * pixel_bytes, 0, (size_t)pixel_bytes);
    else
        memcpy(row + x * pixel_bytes, from + source * pixel_bytes, (size_t)pixel_bytes);
}

void halo_fill(struct image *image, enum edge edge, int64_t halo_x, int64_t halo_y)
{
    const int64_t width = image->view.width, height = image->view.height;

    for (int64_t y = -halo_y; y < height + halo_y; y++) {
        const int64_t source = edge_index(edge, y, height);
        const char *from = source < 0 ? NULL : image_row(image, source);
        char *row = image_row(image, y);

        for (int64_t x = -halo_x; x < width + halo_x; x++)
            if (y < 0 || y >= height || x < 0 || x >= width)
                fill_pixel(image, edge, row, from, x);
            else
                x = width - 1;
    }
}
