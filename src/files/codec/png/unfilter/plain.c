/* SPDX-License-Identifier: MIT */
#include "src/files/codec/png/unfilter/plain.h"
#include "src/files/codec/png/row.h"
#include "src/files/codec/raw/swap.h"

#include <string.h>

#define MAX_BYTES ((size_t)1 << 20) /* of the rows that are unfiltered at once */

void png_plain_open(struct unfilter *unfilter, png_structp png, png_infop info, bool as_stored)
{
    const int depth = png_get_bit_depth(png, info);
    const size_t pixel_bytes = (size_t)depth / 8 * png_get_channels(png, info);
    const size_t width = png_get_image_width(png, info);

    if (depth >= 8 && png_get_interlace_type(png, info) == PNG_INTERLACE_NONE &&
        png_get_color_type(png, info) != PNG_COLOR_TYPE_PALETTE &&
        (as_stored || !png_get_valid(png, info, PNG_INFO_tRNS)) &&
        unfilter_bytes(pixel_bytes, width) <= MAX_BYTES)
        unfilter_open(unfilter, pixel_bytes, width);
}

/* Copies a row of the file to one of the image. */
static void copy_row(const struct image *image, int64_t y, const uint8_t *row)
{
    if (raw_is_swapped(true))
        raw_swap(row, image->view.width * image->view.channels, image->view.sample_bytes,
                 image_row(image, y));
    else
        memcpy(image_row(image, y), row, image_row_bytes(image));
}

/* Inflates the next rows and their filters. */
static enum status take_rows(struct unfilter *unfilter, size_t count, struct png_samples *samples,
                             png_structp png, struct error *error)
{
    const size_t bytes = unfilter->pixel_bytes * unfilter->pixels;
    enum status status = STATUS_OK;

    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        uint8_t *row = unfilter_row(unfilter, i) - 1;

        status = png_samples_take(samples, row, 1 + bytes, error);
        unfilter->filters[i] = *row;
        if (status == STATUS_OK && *row >= PNG_FILTERS)
            png_error(png, "bad adaptive filter value");
    }
    return status;
}

enum status png_plain_read(struct unfilter *unfilter, struct png_samples *samples, png_structp png,
                           int64_t count, const struct image *image, int64_t to,
                           struct error *error)
{
    enum status status = STATUS_OK;

    for (int64_t y = 0; y < count && status == STATUS_OK; y += (int64_t)unfilter->rows) {
        const size_t left = (size_t)(count - y),
                     rows = left < unfilter->rows ? left : unfilter->rows;

        status = take_rows(unfilter, rows, samples, png, error);
        if (status != STATUS_OK)
            break;
        unfilter_run(unfilter, rows);
        for (size_t i = 0; i < rows; i++)
            copy_row(image, to + y + (int64_t)i, unfilter_row(unfilter, i));
    }
    return status;
}
