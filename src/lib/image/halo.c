/* SPDX-License-Identifier: MIT */
#include "src/lib/image/halo.h"

#include <string.h>

static void fill_pixel(const struct image *image, enum edge edge, char *row, int64_t x)
{
    const size_t pixel_bytes = (size_t)(image->view.channels * image->view.sample_bytes);
    const int64_t from = edge_index(edge, x, image->view.width);
    char *pixel = row + x * (int64_t)pixel_bytes;

    if (from < 0)
        memset(pixel, 0, pixel_bytes);
    else
        memcpy(pixel, row + from * (int64_t)pixel_bytes, pixel_bytes);
}

/* The whole row y above or below the image, its ends included, from a row that has its ends. */
static void fill_row(const struct image *image, enum edge edge, int64_t halo_x, int64_t y)
{
    const int64_t pixel_bytes = image->view.channels * image->view.sample_bytes;
    const int64_t left = halo_x * pixel_bytes;
    const size_t bytes = (size_t)(2 * left) + image_row_bytes(image);
    const int64_t from = edge_index(edge, y, image->view.height);
    char *row = (char *)image_row(image, y) - left;

    if (from < 0)
        memset(row, 0, bytes);
    else
        memcpy(row, (char *)image_row(image, from) - left, bytes);
}

void halo_fill_ends(const struct image *image, enum edge edge, int64_t halo_x, int64_t first,
                    int64_t last)
{
    for (int64_t y = first; y < last; y++) {
        char *row = image_row(image, y);

        for (int64_t i = 1; i <= halo_x; i++) {
            fill_pixel(image, edge, row, -i);
            fill_pixel(image, edge, row, image->view.width - 1 + i);
        }
    }
}

void halo_fill(struct image *image, enum edge edge, int64_t halo_x, int64_t halo_y)
{
    const int64_t height = image->view.height;

    halo_fill_ends(image, edge, halo_x, 0, height);
    for (int64_t i = 1; i <= halo_y; i++) {
        fill_row(image, edge, halo_x, -i);
        fill_row(image, edge, halo_x, height - 1 + i);
    }
}
