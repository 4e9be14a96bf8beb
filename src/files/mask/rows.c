/* SPDX-License-Identifier: MIT */
#include "src/files/mask/mask.h"

#include "kernels/common/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int64_t mask_bytes(int64_t width, int64_t height)
{
    return (width + 7) / 8 * height;
}

enum status mask_alloc(struct mask *mask, const char *name, int64_t width, int64_t height,
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

void mask_set_row(struct mask *mask, int64_t y, const struct image *image, int64_t from)
{
    uint8_t *bits = mask->bits + y * mask->row_bytes;
    const void *row = image_row(image, from);

    for (int64_t x = 0; x < mask->width; x++)
        bits[x / 8] |= (uint8_t)((row_get(row, image->view.sample_bytes, x) != 0) << x % 8);
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
