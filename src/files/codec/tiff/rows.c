/* SPDX-License-Identifier: MIT */
/* Reads rows through libtiff, in order: row by row from strips, or in blocks. A block has the rows
 * of a strip or of a row of tiles. If the channels are stored in separate planes, a block has the
 * samples of all planes, interleaved. */
#include "src/files/codec/tiff/tiff.h"

#include "kernels/common/numbers.h"
#include "kernels/common/sample.h"

#include <stdlib.h>
#include <string.h>

/* Replaces the grey sample v of each pixel by maxval - v. Alpha and other extra samples stay: the
 * photometric interpretation is not about them. */
static void invert(const struct image *image, void *row)
{
    const int32_t bytes = image->view.sample_bytes;
    const int64_t channels = image->view.channels, count = image->view.width * channels;

    for (int64_t i = 0; i < count; i += channels)
        row_set(row, bytes, i, image->maxval - row_get(row, bytes, i));
}

/* True if rows are read in blocks. Strips that are compressed by PackBits are read in blocks,
 * because some programs compress several rows together, which libtiff cannot decode row by row. */
static bool has_blocks(const struct tiff_rows *rows)
{
    return rows->kind.tiled || rows->kind.planar || rows->kind.compression == COMPRESSION_PACKBITS;
}

/* Returns the length of the longest compressed strip or tile, which libtiff holds in memory. */
static int64_t longest_part(const struct tiff_handle *handle, const struct tiff_kind *kind)
{
    const uint32_t count =
        kind->tiled ? TIFFNumberOfTiles(handle->tif) : TIFFNumberOfStrips(handle->tif);
    int64_t longest = 0;

    for (uint32_t i = 0; i < count; i++) {
        const uint64_t bytes = TIFFGetStrileByteCount(handle->tif, i);

        longest = max(longest, bytes < (uint64_t)handle->bytes ? (int64_t)bytes : handle->bytes);
    }
    return longest;
}

static struct shape block_shape(const struct tiff_rows *rows)
{
    struct shape shape = rows->kind.shape;

    shape.height = rows->kind.block_rows;
    return shape;
}

enum status tiff_rows_open(struct tiff_rows *rows, struct tiff_handle *handle,
                           const struct tiff_kind *kind, int64_t *bytes, struct error *error)
{
    struct shape shape;

    *rows = (struct tiff_rows){.handle = handle, .kind = *kind, .block_at = -1};
    *bytes = longest_part(handle, kind) + tiff_kind_row_bytes(handle, kind);
    if (!has_blocks(rows))
        return STATUS_OK;
    shape = block_shape(rows);
    rows->part_bytes = kind->tiled ? TIFFTileSize(handle->tif) : TIFFStripSize(handle->tif);
    if (rows->part_bytes <= 0)
        return tiff_fault(handle, "the header", error);
    *bytes += rows->part_bytes + image_lay_out(&rows->block, &shape);
    return STATUS_OK;
}

/* Copies a row of one channel, `from`, to that channel of the pixels at `to`. */
static void scatter(const uint8_t *from, int64_t count, int32_t channels, int32_t sample_bytes,
                    uint8_t *to)
{
    for (int64_t i = 0; i < count; i++)
        memcpy(to + i * channels * sample_bytes, from + i * sample_bytes, (size_t)sample_bytes);
}

/* Copies the part (a strip or tile) into the block; the part's first column becomes column `column`
 * of the block. `plane` is the part's only channel, or -1 if the part has all channels; `stride` is
 * the number of bytes in a row of the part. */
static void put_part(const struct tiff_rows *rows, int64_t column, int plane, int64_t stride)
{
    const struct view *view = &rows->block.view;
    const int64_t pixel = (int64_t)view->channels * view->sample_bytes;
    const int64_t width =
        min(view->width - column, stride / (plane < 0 ? pixel : view->sample_bytes));
    const int64_t height = min(rows->kind.shape.height - rows->block_at, view->height);

    for (int64_t y = 0; y < height; y++) {
        const uint8_t *from = rows->part + y * stride;
        uint8_t *to = (uint8_t *)image_row(&rows->block, y) + column * pixel;

        if (plane < 0)
            memcpy(to, from, (size_t)(width * pixel));
        else
            scatter(from, width, view->channels, view->sample_bytes,
                    to + plane * view->sample_bytes);
    }
}

/* Reads the strip or tile that begins at (x, y) of the image into rows->part. `plane` is its only
 * channel, or -1 if it has all channels. */
static enum status get_part(const struct tiff_rows *rows, int64_t x, int64_t y, int plane,
                            const char *where, struct error *error)
{
    TIFF *tif = rows->handle->tif;
    const uint16_t sample = plane < 0 ? 0 : (uint16_t)plane;
    const uint32_t index = rows->kind.tiled
                               ? TIFFComputeTile(tif, (uint32_t)x, (uint32_t)y, 0, sample)
                               : TIFFComputeStrip(tif, (uint32_t)y, sample);
    const tmsize_t bytes = (tmsize_t)rows->part_bytes;
    const bool good = rows->kind.tiled ? TIFFReadEncodedTile(tif, index, rows->part, bytes) == bytes
                                       : TIFFReadEncodedStrip(tif, index, rows->part, bytes) >= 0;

    return good && !rows->handle->fault[0]
               ? tiff_part_check_end(rows->handle, &rows->kind, index, where, error)
               : tiff_fault(rows->handle, where, error);
}

static enum status load_plane(struct tiff_rows *rows, int plane, const char *where,
                              struct error *error)
{
    const struct shape *shape = &rows->kind.shape;
    const int64_t pixel = plane < 0 ? pixel_bytes(shape) : sample_bytes_of(shape->maxval);
    uint32_t width = (uint32_t)shape->width;
    enum status status = STATUS_OK;

    if (rows->kind.tiled)
        TIFFGetField(rows->handle->tif, TIFFTAG_TILEWIDTH, &width);
    for (int64_t x = 0; x < shape->width && status == STATUS_OK; x += width) {
        status = get_part(rows, x, rows->block_at, plane, where, error);
        if (status == STATUS_OK)
            put_part(rows, x, plane, width * pixel);
    }
    return status;
}

static enum status make_block(struct tiff_rows *rows, struct error *error)
{
    const struct shape shape = block_shape(rows);
    struct error why;

    if (rows->part)
        return STATUS_OK;
    /* calloc, because a strip that is shorter than part_bytes must not expose old memory. */
    rows->part = calloc(1, (size_t)rows->part_bytes);
    if (rows->part && image_alloc(&rows->block, &shape, &why) == STATUS_OK)
        return STATUS_OK;
    return fail(error, STATUS_INPUT, "%s: no memory for blocks of %lld rows", rows->handle->name,
                (long long)shape.height);
}

/* Reads the block that contains row y into rows->block, unless that block is there already. */
static enum status load_block(struct tiff_rows *rows, int64_t y, const char *where,
                              struct error *error)
{
    const int64_t at = y - y % rows->kind.block_rows;
    const int planes = rows->kind.planar ? rows->kind.shape.channels : 1;
    enum status status = make_block(rows, error);

    if (status != STATUS_OK || rows->block_at == at)
        return status;
    rows->block_at = at;
    for (int plane = 0; plane < planes && status == STATUS_OK; plane++)
        status = load_plane(rows, rows->kind.planar ? plane : -1, where, error);
    return status;
}

/* Reads row y. After the last row of a strip, checks that the strip has no more data. */
static enum status read_scanline(struct tiff_rows *rows, int64_t y, void *row, const char *where,
                                 struct error *error)
{
    TIFF *tif = rows->handle->tif;

    if (TIFFReadScanline(tif, row, (uint32_t)y, 0) != 1)
        return tiff_fault(rows->handle, where, error);
    return (y + 1) % rows->kind.block_rows == 0 || y + 1 == rows->kind.shape.height
               ? tiff_part_check_end(rows->handle, &rows->kind,
                                     TIFFComputeStrip(tif, (uint32_t)y, 0), where, error)
               : STATUS_OK;
}

static enum status read_row(struct tiff_rows *rows, int64_t y, void *row, size_t bytes,
                            struct error *error)
{
    char where[64];
    enum status status = STATUS_OK;

    snprintf(where, sizeof where, "row %lld of %lld", (long long)y + 1,
             (long long)rows->kind.shape.height);
    if (has_blocks(rows)) {
        status = load_block(rows, y, where, error);
        if (status == STATUS_OK)
            memcpy(row, image_row(&rows->block, y - rows->block_at), bytes);
    } else {
        status = read_scanline(rows, y, row, where, error);
    }
    return status;
}

enum status tiff_rows_read(struct tiff_rows *rows, int64_t first, int64_t count,
                           const struct image *image, int64_t to, struct error *error)
{
    enum status status = STATUS_OK;

    for (int64_t i = 0; i < count && status == STATUS_OK; i++) {
        void *row = image_row(image, to + i);

        status = read_row(rows, first + i, row, image_row_bytes(image), error);
        if (rows->kind.inverted)
            invert(image, row);
    }
    return status;
}

void tiff_rows_close(struct tiff_rows *rows)
{
    image_free(&rows->block);
    free(rows->part);
    rows->part = NULL;
}
