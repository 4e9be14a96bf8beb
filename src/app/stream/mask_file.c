/* SPDX-License-Identifier: MIT */
#include "src/app/stream/mask_file.h"

#include "kernels/common/numbers.h"
#include "src/files/codec/codec.h"

#include <string.h>

#define PART_BYTES (1 << 18) /* of rows that are read at a time */

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

/* Reads the rows of the image that the reader has found, and finishes it. part: rows at a time. */
static enum status read_rows(struct image_reader *reader, const struct image *header, int64_t part,
                             struct mask *mask, struct error *error)
{
    struct shape shape = image_shape(header);
    struct image rows;
    enum status status;

    shape.height = part;
    status = image_alloc(&rows, &shape, 0, error);
    for (int64_t y = 0; y < mask->height && status == STATUS_OK; y += part) {
        const int64_t count = min(part, mask->height - y);

        status = image_reader_read(reader, y, count, &rows, 0, error);
        for (int64_t i = 0; i < count && status == STATUS_OK; i++)
            mask_set_row(mask, y + i, &rows, i);
    }
    image_free(&rows);
    return status == STATUS_OK ? image_reader_finish(reader, error) : status;
}

/* Within the budget, of which the mask's bits are kept. */
static enum status read_image(struct image_reader *reader, const struct image *header,
                              struct budget *budget, struct mask *mask, struct error *error)
{
    const int64_t width = header->view.width, height = header->view.height;
    const int64_t row = (int64_t)image_row_bytes(header) + ROW_ALIGNMENT;
    const int64_t part =
        reader->order == ROWS_AT_ONCE ? height : min(max(PART_BYTES / row, 1), height);
    const int64_t bits = mask_bytes(width, height), bytes = bits + reader->bytes + part * row;
    char what[512];
    enum status status;

    snprintf(what, sizeof what, "%s: a mask of %lld x %lld pixels", reader->name, (long long)width,
             (long long)height);
    status = budget_take(budget, bytes, what, "", error);
    if (status != STATUS_OK)
        return status;
    status = mask_alloc(mask, reader->name, width, height, error);
    if (status == STATUS_OK)
        status = read_rows(reader, header, part, mask, error);
    budget_give(budget, bytes);
    if (status == STATUS_OK)
        budget_keep(budget, bits);
    return status;
}

static enum status check_alone(struct image_reader *reader, struct error *error)
{
    struct image another;
    bool found;
    const enum status status = image_reader_begin(reader, &another, &found, error);

    if (status == STATUS_OK && found)
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: several images, and a mask is one; save it alone", reader->name);
    return status;
}

enum status mask_file_read(const char *path, const struct stream_options *options,
                           struct budget *budget, struct mask *mask, struct error *error)
{
    struct image_reader reader;
    struct image header;
    bool found;
    enum status status = image_reader_open(&reader, path, options->max_pixels, error);

    memset(mask, 0, sizeof *mask);
    if (status != STATUS_OK)
        return status;
    reader.max_side = options->max_side;
    reader.max_channels = options->max_channels;
    status = image_reader_begin(&reader, &header, &found, error);
    if (status == STATUS_OK)
        status = check_kind(&reader, &header, error);
    if (status == STATUS_OK)
        status = read_image(&reader, &header, budget, mask, error);
    if (status == STATUS_OK)
        status = check_alone(&reader, error);
    image_reader_close(&reader);
    if (status != STATUS_OK)
        mask_free(mask);
    return status;
}
