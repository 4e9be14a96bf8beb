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
static void fill_row(const struct image *image, const struct border *border, int64_t y)
{
    const int64_t pixel_bytes = image->view.channels * image->view.sample_bytes;
    const int64_t left = border->beside * pixel_bytes;
    const size_t bytes = (size_t)(2 * left) + image_row_bytes(image);
    const int64_t from = border_row(border, y);
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

void halo_fill_border(const struct image *image, const struct border *border)
{
    const int64_t height = image->view.height;

    halo_fill_ends(image, border->edge, border->beside, 0, height);
    for (int64_t i = 1; i <= border->above; i++)
        fill_row(image, border, -i);
    for (int64_t i = 1; i <= border->below; i++)
        fill_row(image, border, height - 1 + i);
}

void halo_fill(struct image *image, enum edge edge, int64_t halo_x, int64_t halo_y)
{
    halo_fill_border(image, &(struct border){.edge = edge,
                                             .beside = halo_x,
                                             .above = halo_y,
                                             .below = halo_y,
                                             .height = image->view.height});
}
