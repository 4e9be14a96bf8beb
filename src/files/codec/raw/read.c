/* SPDX-License-Identifier: MIT */
#include "src/files/codec/raw/raw.h"
#include "src/files/codec/raw/swap.h"
#include "src/files/codec/rows/row_io.h"

#include <errno.h>
#include <string.h>

int64_t raw_offset(const struct image_reader *reader)
{
    return reader->file_bytes >= 0 ? ftello(reader->file) : RAW_IN_ORDER;
}

enum status raw_truncated(const struct raw_raster *raster, int64_t y, struct error *error)
{
    char where[64];

    snprintf(where, sizeof where, "row %lld of %lld", (long long)y + 1,
             (long long)raster->shape.height);
    return image_reader_short(raster->reader, where, error);
}

/* Row y of the raster has been read into row `to` of *image. */
static enum status convert(const struct raw_raster *raster, int64_t y, const struct image *image,
                           int64_t to, struct error *error)
{
    const struct raw_row row = {
        .samples = image_row(image, to), .count = image->view.width * image->view.channels, .y = y};

    if (raw_is_swapped(raster->big_endian))
        raw_swap(row.samples, row.count, image->view.sample_bytes, row.samples);
    return raster->convert ? raster->convert(raster, &row, error) : STATUS_OK;
}

static enum status read_stream(const struct raw_raster *raster, int64_t first, int64_t count,
                               const struct image *image, int64_t to, struct error *error)
{
    const size_t bytes = image_row_bytes(image);
    enum status status = STATUS_OK;

    for (int64_t i = 0; i < count && status == STATUS_OK; i++) {
        if (fread(image_row(image, to + i), 1, bytes, raster->reader->file) != bytes)
            return raw_truncated(raster, first + i, error);
        status = convert(raster, first + i, image, to + i, error);
    }
    return status;
}

enum status raw_read(const struct raw_raster *raster, int64_t first, int64_t count,
                     const struct image *image, int64_t to, struct error *error)
{
    const int fd = fileno(raster->reader->file);
    const int64_t row_bytes = raster->shape.width * pixel_bytes(&raster->shape);
    enum status status = STATUS_OK;
    int64_t whole;
    int reason;

    if (raster->offset == RAW_IN_ORDER)
        return read_stream(raster, first, count, image, to, error);
    whole = rows_pread(fd, raster->offset + first * row_bytes, image, to, count);
    reason = whole < count ? errno : 0;
    for (int64_t i = 0; i < whole && status == STATUS_OK; i++)
        status = convert(raster, first + i, image, to + i, error);
    if (status != STATUS_OK || whole == count)
        return status;
    if (reason == 0)
        return raw_truncated(raster, first + whole, error);
    return fail(error, STATUS_INPUT, "%s: cannot be read: %s", raster->reader->name,
                strerror(reason));
}

enum status raw_codec_finish(struct image_reader *reader, struct error *error)
{
    const struct raw_raster *raster = reader->reading;
    const int64_t row_bytes = raster->shape.width * pixel_bytes(&raster->shape);
    const bool in_order = raster->offset == RAW_IN_ORDER;
    const int64_t end = in_order ? 0 : raster->offset + raster->shape.height * row_bytes;

    reader->at_end = !in_order && end == reader->file_bytes;
    if (in_order || reader->at_end || fseeko(reader->file, end, SEEK_SET) == 0)
        return STATUS_OK;
    return fail(error, STATUS_INPUT, "%s: cannot be read: %s", reader->name, strerror(errno));
}
