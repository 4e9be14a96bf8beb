/* SPDX-License-Identifier: MIT */
#include "src/lib/image/halo.h"

#include <string.h>

#define MOST_MOVES 128

/* Bytes of a row from its first pixel on: of a pixel in the border, and of the one that the edge
 * rule copies there; below 0: the samples are zero. */
struct move {
    int64_t to, from;
};

static struct move move_to(const struct image *image, enum edge edge, int64_t x)
{
    const int64_t pixel_bytes = image->view.channels * image->view.sample_bytes;

    return (struct move){x * pixel_bytes, edge_index(edge, x, image->view.width) * pixel_bytes};
}

static inline void move_pixels(char *row, const struct move *moves, int count, size_t pixel_bytes)
{
    for (int i = 0; i < count; i++)
        if (moves[i].from < 0)
            memset(row + moves[i].to, 0, pixel_bytes);
        else
            memcpy(row + moves[i].to, row + moves[i].from, pixel_bytes);
}

/* A copy of a number of bytes that the compiler knows is no call. */
static void move_in_row(char *row, const struct move *moves, int count, size_t pixel_bytes)
{
    switch (pixel_bytes) {
    case 1:
        move_pixels(row, moves, count, 1);
        break;
    case 2:
        move_pixels(row, moves, count, 2);
        break;
    case 3:
        move_pixels(row, moves, count, 3);
        break;
    case 4:
        move_pixels(row, moves, count, 4);
        break;
    default:
        move_pixels(row, moves, count, pixel_bytes);
    }
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

/* The left and right border of rows first..last-1. */
static void fill_ends(const struct image *image, enum edge edge, int64_t halo_x, int64_t first,
                      int64_t last)
{
    const size_t pixel_bytes = (size_t)(image->view.channels * image->view.sample_bytes);
    struct move moves[MOST_MOVES];
    int count = 0;
    char *row;

    for (int64_t i = 1; i <= halo_x; i++) {
        moves[count++] = move_to(image, edge, -i);
        moves[count++] = move_to(image, edge, image->view.width - 1 + i);
        if (i < halo_x && count < MOST_MOVES)
            continue;
        row = image_row(image, first);
        for (int64_t y = first; y < last; y++, row += image->view.stride_bytes)
            move_in_row(row, moves, count, pixel_bytes);
        count = 0;
    }
}

void halo_fill(struct image *image, enum edge edge, int64_t halo_x, int64_t halo_y)
{
    const int64_t height = image->view.height;

    fill_ends(image, edge, halo_x, 0, height);
    for (int64_t i = 1; i <= halo_y; i++) {
        fill_row(image, edge, halo_x, -i);
        fill_row(image, edge, halo_x, height - 1 + i);
    }
}
