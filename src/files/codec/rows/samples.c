/* SPDX-License-Identifier: MIT */
#include "src/files/codec/rows/encoding.h"

#include "kernels/common/numbers.h"

#define ENCODED_BYTES (1 << 18)

/* Without a mask's channel. */
static struct image unmasked(const struct image *header)
{
    return header->mask ? mask_narrow(header) : *header;
}

struct image image_file_header(const struct image *header)
{
    const struct image bare = unmasked(header);

    return header->light ? light_narrow(header->light, &bare) : bare;
}

int64_t encoding_rows(const struct image *image, int64_t block_rows)
{
    return round_up(max(ENCODED_BYTES / (int64_t)image_row_bytes(image), 1), max(block_rows, 1));
}

int64_t encoding_bytes(const struct image *header, int64_t rows)
{
    const struct image bare = unmasked(header), file = image_file_header(header);

    return rows * ((header->mask ? (int64_t)image_row_bytes(&bare) : 0) +
                   (header->light ? (int64_t)image_row_bytes(&file) : 0));
}

enum status encoding_open(struct encoding *encoding, const struct image *image, int64_t rows,
                          struct error *error)
{
    struct shape shape = image_shape(image);
    enum status status = STATUS_OK;

    shape.height = rows;
    shape.channels -= encoding->masked;
    if (encoding->masked)
        status = image_alloc(&encoding->bare, &shape, error);
    if (!encoding->light || status != STATUS_OK)
        return status;
    shape.maxval = encoding->light->maxval;
    return image_alloc(&encoding->file, &shape, error);
}

void encoding_close(struct encoding *encoding)
{
    image_free(&encoding->bare);
    image_free(&encoding->file);
}

const struct image *encoding_apply(struct encoding *encoding, const struct image *image,
                                   int64_t from, int64_t count)
{
    if (encoding->masked) {
        mask_drop(image, from, count, &encoding->bare);
        image = &encoding->bare;
        from = 0;
    }
    if (!encoding->light)
        return image;
    light_encode(encoding->light, encoding->has_alpha, image, from, count, &encoding->file);
    return &encoding->file;
}
