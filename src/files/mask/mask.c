/* SPDX-License-Identifier: MIT */
#include "src/files/mask/mask.h"

#include "kernels/common/numbers.h"
#include "kernels/common/sample.h"
#include "src/files/codec/image_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int64_t mask_bytes(int64_t width, int64_t height)
{
    return (width + 7) / 8 * height;
}

/* Allocates the mask's bits, all 0. */
static enum status alloc_bits(struct mask *mask, const char *name, int64_t width, int64_t height,
                              struct error *error)
{
    *mask = (struct mask){
        .name = name, .width = width, .height = height, .row_bytes = mask_bytes(width, 1)};
    mask->bits = calloc((size_t)height, (size_t)mask->row_bytes);
    if (mask->bits)
        return STATUS_OK;
    return fail(error, STATUS_INPUT, "%s: no memory for a mask of %lld x %lld pixels", name,
                (long long)width, (long long)height);
}

void mask_free(struct mask *mask)
{
    free(mask->bits);
    memset(mask, 0, sizeof *mask);
}

void mask_erase(const struct mask *mask, int64_t first, int64_t count, const struct image *image,
                int64_t to)
{
    const int32_t channels = image->view.channels;

    for (int64_t i = 0; i < count; i++) {
        float *row = image_row(image, to + i);

        for (int64_t x = 0; x < mask->width; x++)
            for (int32_t c = 0; c < channels && !mask_counts(mask, first + i, x); c++)
                row[x * channels + c] = NAN;
    }
}

#define PART_BYTES (1 << 18) /* approximate bytes of the rows that are read at a time */

static enum status check_kind(const struct image_reader *reader, const struct image *header,
                              struct error *error)
{
    if (header->maxval == FLOAT_SAMPLES)
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: a mask has integers, and this has floats; save it with 8 bits, 0 where a "
                    "pixel is missing",
                    reader->name);
    if (header->view.channels != 1)
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: a mask has one channel, and this has %d (%lld x %lld pixels); save it as "
                    "grey",
                    reader->name, (int)header->view.channels, (long long)header->view.width,
                    (long long)header->view.height);
    return STATUS_OK;
}

/* Returns how many rows are read at a time: all rows if the format cannot deliver fewer. */
static int64_t rows_of(const struct image_reader *reader, const struct image *header)
{
    const int64_t height = header->view.height, row = (int64_t)image_row_bytes(header);

    return reader->order == ROWS_AT_ONCE ? height : min(max(PART_BYTES / row, 1), height);
}

int64_t mask_read_bytes(const struct image_reader *reader, const struct image *header)
{
    return mask_bytes(header->view.width, header->view.height) + reader->bytes +
           rows_of(reader, header) * ((int64_t)image_row_bytes(header) + ROW_ALIGNMENT);
}

/* Sets row y of the mask from row `from` of *image, which has one channel of integers. */
static void set_row(struct mask *mask, int64_t y, const struct image *image, int64_t from)
{
    uint8_t *bits = mask->bits + y * mask->row_bytes;
    const void *row = image_row(image, from);

    for (int64_t x = 0; x < mask->width; x++)
        bits[x / 8] |= (uint8_t)((row_get(row, image->view.sample_bytes, x) != 0) << x % 8);
}

/* Reads the rows of the image that the reader has begun, and finishes the image. */
static enum status read_rows(struct image_reader *reader, const struct image *header,
                             struct mask *mask, struct error *error)
{
    const int64_t part = rows_of(reader, header);
    struct shape shape = image_shape(header);
    struct image rows;
    enum status status;

    shape.height = part;
    status = image_alloc(&rows, &shape, error);
    for (int64_t y = 0; y < mask->height && status == STATUS_OK; y += part) {
        const int64_t count = min(part, mask->height - y);

        status = image_reader_read(reader, y, count, &rows, 0, error);
        for (int64_t i = 0; i < count && status == STATUS_OK; i++)
            set_row(mask, y + i, &rows, i);
    }
    image_free(&rows);
    return status == STATUS_OK ? image_reader_finish(reader, error) : status;
}

static enum status check_alone(struct image_reader *reader, struct error *error)
{
    struct image another;
    bool found;
    const enum status status = image_reader_begin(reader, &another, &found, error);

    if (status == STATUS_OK && (found || reader->another))
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: several images, and a mask is one; save it alone", reader->name);
    return status;
}

enum status mask_read(struct image_reader *reader, const struct image *header, struct mask *mask,
                      struct error *error)
{
    enum status status = check_kind(reader, header, error);

    if (status == STATUS_OK)
        status = alloc_bits(mask, reader->name, header->view.width, header->view.height, error);
    if (status == STATUS_OK)
        status = read_rows(reader, header, mask, error);
    return status == STATUS_OK ? check_alone(reader, error) : status;
}
