/* SPDX-License-Identifier: MIT */
#include "src/files/codec/tiff/strips.h"

#include "kernels/common/numbers.h"

#include <stdlib.h>

bool tiff_strips_suit(const struct tiff_handle *handle, const struct tiff_kind *kind)
{
    uint16_t fill_order = FILLORDER_MSB2LSB;

    TIFFGetFieldDefaulted(handle->tif, TIFFTAG_FILLORDER, &fill_order);
    return kind->compression == COMPRESSION_NONE && !kind->tiled && !kind->planar &&
           fill_order == FILLORDER_MSB2LSB;
}

static enum status invert(const struct raw_raster *raster, const struct raw_row *row,
                          struct error *error)
{
    (void)error;
    tiff_invert(row->samples, row->count, raster->shape.maxval);
    return STATUS_OK;
}

/* Rows of strip `i`. */
static int64_t rows_in(const struct tiff_strips *strips, int64_t i)
{
    return min(strips->raster.shape.height - i * strips->rows, strips->rows);
}

/* Copies the offsets. Does one strip follow the other? */
static bool take_offsets(struct tiff_strips *strips, const struct tiff_handle *handle,
                         int64_t count)
{
    const struct shape *shape = &strips->raster.shape;
    const int64_t row_bytes = shape->width * pixel_bytes(shape);
    bool together = true;

    for (int64_t i = 0; i < count; i++) {
        strips->offsets[i] = (int64_t)TIFFGetStrileOffset(handle->tif, (uint32_t)i);
        together =
            together && strips->offsets[i] - strips->offsets[0] == i * strips->rows * row_bytes;
    }
    return together;
}

enum status tiff_strips_open(struct tiff_strips *strips, struct image_reader *reader,
                             const struct tiff_handle *handle, const struct tiff_kind *kind,
                             struct error *error)
{
    const int64_t count = (kind->shape.height - 1) / kind->block_rows + 1;

    *strips = (struct tiff_strips){
        .raster = {.reader = reader,
                   .shape = kind->shape,
                   .big_endian = TIFFIsBigEndian(handle->tif) != 0,
                   .convert = kind->inverted ? invert : NULL},
        .offsets = TIFFNumberOfStrips(handle->tif) == count
                       ? malloc((size_t)count * sizeof *strips->offsets)
                       : NULL,
        .rows = kind->block_rows,
    };
    if (!strips->offsets)
        return fail(error, STATUS_INPUT, "%s: no memory for the list of its %lld strips",
                    handle->name, (long long)count);
    if (take_offsets(strips, handle, count)) {
        strips->raster.offset = strips->offsets[0];
        tiff_strips_close(strips);
    }
    return STATUS_OK;
}

enum status tiff_strips_read(const struct tiff_strips *strips, int64_t first, int64_t count,
                             int64_t column, const struct image *image, int64_t to,
                             struct error *error)
{
    const struct shape *shape = &strips->raster.shape;
    const int64_t row_bytes = shape->width * pixel_bytes(shape);
    struct raw_raster raster = strips->raster;
    enum status status = STATUS_OK;

    if (!strips->offsets)
        return raw_read(&raster, first, count, column, image, to, error);
    for (int64_t done = 0, now; done < count && status == STATUS_OK; done += now) {
        const int64_t y = first + done, strip = y / strips->rows;
        const int64_t top = strip * strips->rows;

        now = min(count - done, top + rows_in(strips, strip) - y);
        /* Where row 0 would be if it preceded this strip: perhaps before the file. */
        raster.offset = strips->offsets[strip] - top * row_bytes;
        status = raw_read(&raster, y, now, column, image, to + done, error);
    }
    return status;
}

void tiff_strips_close(struct tiff_strips *strips)
{
    free(strips->offsets);
    strips->offsets = NULL;
}
