/* SPDX-License-Identifier: MIT */
/* Sheets: tiles of images, each with the border that the edge rule gives it, side by side in one
 * image on the GPU. A variant smooths the sheet as it smooths any image; what it computes between
 * the tiles is not used. So images without a border need no variant of their own, and one launch
 * serves the frame of a large image, or many small images.
 *
 *     sheet   . . . . . . . . . . .      cell: a tile's place, with its border and padding
 *             . tile . . . tile . .      lead: bytes before a cell's border, for alignment
 *             . . . . . . . . . . .
 *             . tile . . . tile . .
 *
 * The tiles of an image that have all of their border inside it are left out where `hole` says so:
 * the image's own pixels are their border. */
#ifndef SMOOTHIMG_SHEET_H
#define SMOOTHIMG_SHEET_H

#include "kernels/common/edge.h"
#include "kernels/variant.h"

struct sheet {
    int64_t halo;                    /* pixels of border on each side of a tile */
    int64_t tile_width, tile_height; /* pixels; the last ones of an image may be cut */
    int64_t tiles_x, tiles_y;        /* of an image */
    int64_t top, left;               /* row and column of an image in which its first tiles begin */
    int64_t hole_x, hole_y; /* tiles x = 1..hole_x-1 of rows y = 1..hole_y-1 are left out */
    int64_t count;          /* images */
    int64_t cell_width, cell_height; /* pixels; a cell's row has a multiple of 16 bytes */
    int64_t cells_x, cells_y;        /* of the sheet */
    int64_t lead;                    /* bytes, below 16 */
    int64_t pitch;                   /* bytes from a row of the sheet to the next: 16 divides it */
};

HOST_DEVICE int64_t sheet_tiles_of_image(const struct sheet *sheet)
{
    return sheet->tiles_x * sheet->tiles_y - (sheet->hole_x - 1) * (sheet->hole_y - 1);
}

/* Of all images. */
HOST_DEVICE int64_t sheet_tiles(const struct sheet *sheet)
{
    return sheet->count * sheet_tiles_of_image(sheet);
}

#ifdef __cplusplus
extern "C" {
#endif

/* Fills all cells of the sheet in `memory`, cells_y * cell_height rows, on the GPU: from the images
 * at `first`, `stride` bytes from one to the next. Enqueues on the stream. Returns NULL, or the
 * failure in words. */
const char *sheet_gather(const struct sheet *sheet, const struct view *first, int64_t stride,
                         enum edge edge, void *memory, void *stream);

/* Copies the tiles of a smoothed sheet in `memory`, which has neither lead nor border, to their
 * images. The rest is as for sheet_gather. */
const char *sheet_scatter(const struct sheet *sheet, const struct view *first, int64_t stride,
                          const void *memory, void *stream);

#ifdef __cplusplus
}
#endif

#endif
