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

static bool counts(const struct mask *mask, int64_t y, int64_t x)
{
    return mask->bits[y * mask->row_bytes + x / 8] >> x % 8 & 1;
}

struct image mask_narrow(const struct image *image)
{
    struct image narrow = *image;

    narrow.mask = NULL;
    narrow.memory = NULL;
    narrow.view.channels--;
    if (narrow.view.origin)
        narrow.view.origin =
            (char *)image->view.origin + image_row_bytes(image) - image_row_bytes(&narrow);
    return narrow;
}

/* A row in place: pixel x lies x samples behind its new place, and as many as are left of the row
 * before its old one, so that nothing is overwritten that has not been read. */
static void widen_row(const struct mask *mask, int64_t y, const struct image *image,
                      const void *from, void *to)
{
    const int32_t bytes = image->view.sample_bytes, colours = image->view.channels - 1;
    int64_t in = 0, out = 0;

    for (int64_t x = 0; x < mask->width; x++) {
        for (int32_t i = 0; i < colours; i++)
            row_set(to, bytes, out++, row_get(from, bytes, in++));
        row_set(to, bytes, out++, counts(mask, y, x) ? image->maxval : 0);
    }
}

void mask_widen(const struct mask *mask, int64_t first, int64_t count, const struct image *image,
                int64_t to)
{
    const struct image narrow = mask_narrow(image);

    for (int64_t i = 0; i < count; i++)
        widen_row(mask, first + i, image, image_row(&narrow, to + i), image_row(image, to + i));
}

void mask_erase(const struct mask *mask, int64_t first, int64_t count, const struct image *image,
                int64_t to)
{
    const int32_t channels = image->view.channels;

    for (int64_t i = 0; i < count; i++) {
        float *row = image_row(image, to + i);

        for (int64_t x = 0; x < mask->width; x++)
            for (int32_t c = 0; c < channels && !counts(mask, first + i, x); c++)
                row[x * channels + c] = NAN;
    }
}

void mask_drop(const struct image *image, int64_t from, int64_t count, const struct image *file)
{
    const size_t bytes = (size_t)(file->view.channels * file->view.sample_bytes);
    const size_t apart = bytes + (size_t)file->view.sample_bytes;

    for (int64_t y = 0; y < count; y++) {
        const char *in = image_row(image, from + y);
        char *out = image_row(file, y);

        for (int64_t x = 0; x < file->view.width; x++)
            memcpy(out + (size_t)x * bytes, in + (size_t)x * apart, bytes);
    }
}
