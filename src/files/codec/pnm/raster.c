/* SPDX-License-Identifier: MIT */
/* Reads the samples of PBM, PGM, PPM and PAM, raw and plain. Not by libnetpbm, whose readers take 8
 * bytes for a sample, are not thread-safe, and refuse a plain raster without a final newline. */
#include "src/files/codec/pnm/pnm.h"

#include "src/files/codec/row_io.h"
#include "kernels/common/numbers.h"

#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <string.h>

static void *row_of(const struct raster *raster, int64_t y)
{
    return image_row(raster->image, y + raster->shift);
}

/* Samples of a row that the image takes. */
static int64_t row_samples(const struct raster *raster)
{
    return raster->image->view.width * raster->shape.channels;
}

static enum status truncated(const struct raster *raster, int64_t y, struct error *error)
{
    char where[64];

    snprintf(where, sizeof where, "row %lld of %lld", (long long)y + 1,
             (long long)raster->shape.height);
    return image_reader_short(raster->reader, where, error);
}

/* i counts from the first sample of the row that the image takes. */
static enum status too_large(const struct raster *raster, int64_t y, int64_t i, uint32_t value,
                             struct error *error)
{
    const struct shape *shape = &raster->shape;

    return fail(error, STATUS_INPUT,
                "%s: the sample in column %lld of %lld, row %lld of %lld is %u, above the maxval "
                "of %u",
                raster->reader->name, (long long)(raster->column + i / shape->channels) + 1,
                (long long)shape->width, (long long)y + 1, (long long)shape->height, value,
                shape->maxval);
}

/* Reports the first sample of the row above the maxval; there must be one. */
static enum status report_too_large(const struct raster *raster, int64_t y, struct error *error)
{
    const bool wide = raster->image->view.sample_bytes == 2;
    const void *row = row_of(raster, y);
    uint32_t value = 0;
    int64_t i = -1;

    while (value <= raster->shape.maxval) {
        i++;
        value = wide ? ((const uint16_t *)row)[i] : ((const uint8_t *)row)[i];
    }
    return too_large(raster, y, i, value, error);
}

static uint32_t largest_u8(const uint8_t *samples, int64_t count)
{
    uint8_t largest = 0;

    for (int64_t i = 0; i < count; i++)
        largest = samples[i] > largest ? samples[i] : largest;
    return largest;
}

/* From the file's byte order, big-endian. */
static uint32_t swap_and_find_largest(uint16_t *samples, int64_t count)
{
    uint16_t largest = 0;

    for (int64_t i = 0; i < count; i++) {
        samples[i] = be16toh(samples[i]);
        largest = samples[i] > largest ? samples[i] : largest;
    }
    return largest;
}

/* Converts a raw row in place, and checks it. */
static enum status convert_row(const struct raster *raster, int64_t y, struct error *error)
{
    const uint32_t maxval = raster->shape.maxval;
    void *row = row_of(raster, y);
    uint32_t largest;

    if (raster->image->view.sample_bytes == 1)
        largest = maxval < 255 ? largest_u8(row, row_samples(raster)) : 0;
    else
        largest = swap_and_find_largest(row, row_samples(raster));
    return largest > maxval ? report_too_large(raster, y, error) : STATUS_OK;
}

static enum status read_raw_row(const struct raster *raster, int64_t y, struct error *error)
{
    const size_t bytes = image_row_bytes(raster->image);

    if (fread(row_of(raster, y), 1, bytes, raster->reader->file) != bytes)
        return truncated(raster, y, error);
    return convert_row(raster, y, error);
}

/* Reads rows at their offset in the file, bypassing the stream. */
static enum status read_rows_at(const struct raster *raster, int64_t first, int64_t count,
                                struct error *error)
{
    const int fd = fileno(raster->reader->file);
    const struct view *view = &raster->image->view;
    const int64_t pixel_bytes = (int64_t)view->channels * view->sample_bytes;
    const int64_t row_bytes = raster->shape.width * pixel_bytes;
    const int64_t offset = raster->offset + first * row_bytes + raster->column * pixel_bytes;
    const int64_t to = first + raster->shift;
    const int64_t whole = view->width == raster->shape.width
                              ? rows_pread(fd, offset, raster->image, to, count)
                              : row_parts_pread(fd, offset, row_bytes, raster->image, to, count);
    const int reason = whole < count ? errno : 0;
    enum status status = STATUS_OK;

    for (int64_t i = 0; i < whole && status == STATUS_OK; i++)
        status = convert_row(raster, first + i, error);
    if (status != STATUS_OK || whole == count)
        return status;
    if (reason == 0)
        return truncated(raster, first + whole, error);
    return fail(error, STATUS_INPUT, "%s: cannot be read: %s", raster->reader->name,
                strerror(reason));
}

/* Raw PBM: eight pixels a byte, the leftmost in the highest bit; rows end on a byte boundary. */
static enum status read_packed_row(const struct raster *raster, int64_t y, struct error *error)
{
    const int64_t width = raster->shape.width;
    uint8_t *row = row_of(raster, y);
    uint8_t packed[4096];

    for (int64_t x = 0; x < width; x += 8 * (int64_t)sizeof packed) {
        const int64_t left = width - x;
        const int64_t pixels = min(left, 8 * (int64_t)sizeof packed);
        const size_t bytes = (size_t)(pixels + 7) / 8;

        if (fread(packed, 1, bytes, raster->reader->file) != bytes)
            return truncated(raster, y, error);
        for (int64_t i = 0; i < pixels; i++)
            row[x + i] = !(packed[i / 8] >> (7 - i % 8) & 1);
    }
    return STATUS_OK;
}

/* The next byte of a plain raster. A comment, from # to the end of its line, counts as a newline.
 */
static int plain_byte(FILE *file)
{
    int byte = getc_unlocked(file);

    if (byte == '#')
        do
            byte = getc_unlocked(file);
        while (byte != '\n' && byte != '\r' && byte != EOF);
    return byte;
}

/* The next number of a plain raster; digits after the ninth are ignored. If there is none: -1, and
 * *stop is the unexpected byte or EOF. */
static int32_t plain_number(FILE *file, bool one_digit, int *stop)
{
    int32_t value = 0;
    int byte = plain_byte(file);

    while (isspace(byte))
        byte = plain_byte(file);
    *stop = byte;
    if (byte < '0' || byte > '9')
        return -1;
    if (one_digit)
        return byte - '0';
    while (byte >= '0' && byte <= '9') {
        if (value < 100000000)
            value = 10 * value + (byte - '0');
        byte = plain_byte(file);
    }
    if (byte != EOF && !isspace(byte))
        ungetc(byte, file);
    return value;
}

static enum status read_plain_row(const struct raster *raster, int64_t y, struct error *error)
{
    void *row = row_of(raster, y);

    for (int64_t i = 0; i < row_samples(raster); i++) {
        int stop;
        const int32_t value = plain_number(raster->reader->file, raster->bits, &stop);

        if (value < 0 && stop == EOF)
            return truncated(raster, y, error);
        if (value < 0)
            return fail(error, STATUS_INPUT,
                        "%s: unexpected byte %02x in row %lld of %lld; expected a sample",
                        raster->reader->name, (unsigned)stop, (long long)y + 1,
                        (long long)raster->shape.height);
        if (value > (int32_t)raster->shape.maxval)
            return too_large(raster, y, i, (uint32_t)value, error);
        if (raster->image->view.sample_bytes == 1)
            ((uint8_t *)row)[i] = (uint8_t)(raster->bits ? !value : value);
        else
            ((uint16_t *)row)[i] = (uint16_t)value;
    }
    return STATUS_OK;
}

static enum status read_row(const struct raster *raster, int64_t y, struct error *error)
{
    if (raster->plain)
        return read_plain_row(raster, y, error);
    if (raster->bits)
        return read_packed_row(raster, y, error);
    return read_raw_row(raster, y, error);
}

enum status pnm_read_rows(const struct raster *raster, int64_t first, int64_t count,
                          struct error *error)
{
    enum status status = STATUS_OK;

    if (raster->offset >= 0)
        return read_rows_at(raster, first, count, error);
    for (int64_t i = 0; i < count && status == STATUS_OK; i++)
        status = read_row(raster, first + i, error);
    return status;
}
