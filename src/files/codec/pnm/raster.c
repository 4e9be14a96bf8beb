/* SPDX-License-Identifier: MIT */
/* Reads the samples of plain (text) files and of PBM, and checks those of raw (binary) files.
 * libnetpbm's readers are not used: they take 8 bytes for a sample, are not thread-safe, and refuse
 * a plain raster without a final newline. */
#include "src/files/codec/pnm/pnm.h"

#include "kernels/common/numbers.h"
#include "kernels/common/sample.h"

#include <ctype.h>

/* Returns STATUS_INPUT: sample i of row y exceeds the maxval. */
static enum status too_large(const struct raw_raster *raster, int64_t y, int64_t i, uint32_t value,
                             struct error *error)
{
    const struct shape *shape = &raster->shape;

    return fail(error, STATUS_INPUT,
                "%s: the sample in column %lld of %lld, row %lld of %lld is %u, above the maxval "
                "of %u",
                raster->reader->name, (long long)(i / shape->channels) + 1, (long long)shape->width,
                (long long)y + 1, (long long)shape->height, value, shape->maxval);
}

/* Returns the greatest sample. Each call passes a constant for `bytes`, a sample's size, so that
 * the compiler vectorises the loop. */
static inline uint32_t largest_of(const void *samples, int32_t bytes, int64_t count)
{
    uint32_t largest = 0;

    for (int64_t i = 0; i < count; i++)
        largest = row_get(samples, bytes, i) > largest ? row_get(samples, bytes, i) : largest;
    return largest;
}

enum status pnm_check_row(const struct raw_raster *raster, int64_t y, const void *samples,
                          struct error *error)
{
    const struct shape *shape = &raster->shape;
    const int64_t count = shape->width * shape->channels;
    const uint32_t maxval = shape->maxval;
    const int32_t bytes = sample_bytes_of(maxval);
    const uint32_t largest =
        bytes == 1 ? largest_of(samples, 1, count) : largest_of(samples, 2, count);

    for (int64_t i = 0; i < count && largest > maxval; i++)
        if (row_get(samples, bytes, i) > maxval)
            return too_large(raster, y, i, row_get(samples, bytes, i), error);
    return STATUS_OK;
}

/* Reads a row of raw PBM: eight pixels a byte, the leftmost in the highest bit; rows end on a byte
 * boundary. */
enum status pnm_read_packed(const struct raw_raster *raster, int64_t y, void *samples,
                            struct error *error)
{
    const int64_t width = raster->shape.width;
    uint8_t packed[4096], *row = samples;

    for (int64_t x = 0; x < width; x += 8 * (int64_t)sizeof packed) {
        const int64_t left = width - x;
        const int64_t pixels = min(left, 8 * (int64_t)sizeof packed);
        const size_t bytes = (size_t)(pixels + 7) / 8;

        if (fread(packed, 1, bytes, raster->reader->file) != bytes)
            return raw_truncated(raster, y, error);
        for (int64_t i = 0; i < pixels; i++)
            row[x + i] = !(packed[i / 8] >> (7 - i % 8) & 1);
    }
    return STATUS_OK;
}

/* Returns the next byte of a plain raster. A comment, from # to the end of its line, counts as a
 * newline. */
static int plain_byte(FILE *file)
{
    int byte = getc_unlocked(file);

    if (byte == '#')
        do
            byte = getc_unlocked(file);
        while (byte != '\n' && byte != '\r' && byte != EOF);
    return byte;
}

/* Returns the next number of a plain raster, or its first digit if one_digit is set. After nine
 * digits, not counting zeros in front, the number exceeds every maxval, and further digits are
 * ignored. If no number follows, returns -1, and sets *stop to the byte that follows, or to EOF. */
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

static enum status read_plain(const struct raw_raster *raster, bool bits, int64_t y, void *samples,
                              struct error *error)
{
    const struct shape *shape = &raster->shape;
    const int32_t bytes = sample_bytes_of(shape->maxval);

    for (int64_t i = 0; i < shape->width * shape->channels; i++) {
        int stop;
        const int32_t value = plain_number(raster->reader->file, bits, &stop);

        if (value < 0 && stop == EOF)
            return raw_truncated(raster, y, error);
        if (value < 0)
            return fail(error, STATUS_INPUT,
                        "%s: unexpected byte 0x%02x in row %lld of %lld; expected a sample",
                        raster->reader->name, (unsigned)stop, (long long)y + 1,
                        (long long)shape->height);
        if (value > (int32_t)shape->maxval)
            return too_large(raster, y, i, (uint32_t)value, error);
        row_set(samples, bytes, i, bits ? !value : (uint32_t)value);
    }
    return STATUS_OK;
}

enum status pnm_read_plain_bits(const struct raw_raster *raster, int64_t y, void *samples,
                                struct error *error)
{
    return read_plain(raster, true, y, samples, error);
}

enum status pnm_read_plain(const struct raw_raster *raster, int64_t y, void *samples,
                           struct error *error)
{
    return read_plain(raster, false, y, samples, error);
}
