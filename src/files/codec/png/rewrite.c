/* SPDX-License-Identifier: MIT */
/* Metadata that is in terms of the file's samples, and what operations do to metadata. */
#include "codec_png_known.h"

#include <stdlib.h>
#include <string.h>

/* --- In terms of samples. */

static bool is_palette(const struct png_file_samples *samples)
{
    return samples->colour == PNG_COLOR_TYPE_PALETTE;
}

static uint32_t pair_at(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 8 | bytes[1];
}

/* A background is a colour: an index, or samples of two bytes. fitted has room for three of them;
 * returns its length, or 0. */
static size_t fit_background(const struct metadata_item *item,
                             const struct png_file_samples *samples, uint8_t fitted[6])
{
    const uint32_t full = (1u << samples->depth) - 1;
    const size_t length = samples->colour & PNG_COLOR_MASK_COLOR ? 6 : 2;

    if (is_palette(samples)) {
        if (item->count != 1 || item->bytes[0] >= samples->palette->size)
            return 0;
        for (int i = 0; i < 3; i++) {
            fitted[2 * i] = 0;
            fitted[2 * i + 1] = samples->palette->colours[item->bytes[0]][i];
        }
        return 6;
    }
    if (item->count != length)
        return 0;
    memcpy(fitted, item->bytes, length);
    for (size_t i = 0; i < length; i += 2)
        if (pair_at(item->bytes + i) > full)
            return 0;
    if (samples->depth < 8)
        fitted[1] = (uint8_t)(item->bytes[1] * (255 / full));
    return length;
}

/* How many of the highest bits were in use, for each channel. Stretching samples to 8 bits leaves
 * that as it was. */
static size_t fit_significant(const struct metadata_item *item,
                              const struct png_file_samples *samples, uint8_t fitted[6])
{
    const size_t colours = samples->colour & PNG_COLOR_MASK_COLOR ? 3 : 1;
    const size_t length = colours + (samples->colour & PNG_COLOR_MASK_ALPHA ? 1 : 0);
    const int depth = is_palette(samples) ? 8 : samples->depth;

    if (item->count != length)
        return 0;
    for (size_t i = 0; i < length; i++)
        if (item->bytes[i] == 0 || item->bytes[i] > depth)
            return 0;
    memcpy(fitted, item->bytes, length);
    if (!samples->alpha_comes)
        return length;
    fitted[length] = depth < 8 ? 8 : (uint8_t)depth; /* alpha has all of its bits */
    return length + 1;
}

/* fitted: of malloc, for the item to own. */
static bool replace_bytes(struct metadata *metadata, struct metadata_item *item,
                          const uint8_t *fitted, size_t count)
{
    uint8_t *bytes = malloc(count);

    if (!bytes)
        return false;
    memcpy(bytes, fitted, count);
    free(item->bytes);
    metadata->bytes += (int64_t)count - (int64_t)item->count;
    item->bytes = bytes;
    item->count = count;
    return true;
}

static void remove_item(struct metadata *metadata, size_t i)
{
    free(metadata->items[i].bytes);
    metadata->count--;
    memmove(&metadata->items[i], &metadata->items[i + 1],
            (metadata->count - i) * sizeof *metadata->items);
}

bool png_known_fit(struct metadata *metadata, const struct png_file_samples *samples)
{
    for (size_t i = 0; i < metadata->count;) {
        struct metadata_item *item = &metadata->items[i];
        const bool background = strcmp(item->name, "bKGD") == 0;
        uint8_t fitted[6];
        size_t count;

        if (!background && strcmp(item->name, "sBIT") != 0) {
            i++;
            continue;
        }
        count = background ? fit_background(item, samples, fitted)
                           : fit_significant(item, samples, fitted);
        if (count == 0) {
            metadata_note(&metadata->damaged, item->name, "it does not fit the samples");
            remove_item(metadata, i);
        } else if (replace_bytes(metadata, item, fitted, count)) {
            i++;
        } else {
            return false;
        }
    }
    return true;
}

/* --- What operations do. */

/* Smoothed samples use all of their bits. The two pictures of a stereo pair no longer stand side by
 * side, or have changed places. */
static bool holds(const struct metadata_item *item, const struct changes *changes)
{
    if (strcmp(item->name, "sBIT") == 0)
        return !changes->smoothed;
    if (strcmp(item->name, "sTER") == 0)
        return !changes->transposed && !changes->reversed;
    return true;
}

/* The bytes of an item for an image that was transposed: what is by axes has them exchanged.
 * Returns mended, or the item's own bytes where nothing changes. */
static const uint8_t *turn(const struct metadata_item *item, uint8_t mended[PNG_MENDED_BYTES])
{
    if (strcmp(item->name, "pHYs") == 0 || strcmp(item->name, "oFFs") == 0) {
        memcpy(mended, item->bytes + 4, 4);
        memcpy(mended + 4, item->bytes, 4);
        mended[8] = item->bytes[8];
        return mended;
    }
    if (strcmp(item->name, "sCAL") == 0) {
        const size_t second = png_second_scale(item->bytes, item->count);
        const size_t rest = item->count - second;

        mended[0] = item->bytes[0];
        memcpy(mended + 1, item->bytes + second, rest);
        mended[1 + rest] = 0;
        memcpy(mended + 2 + rest, item->bytes + 1, second - 2);
        return mended;
    }
    return item->bytes;
}

void png_known_write(png_structp png, const struct metadata *metadata,
                     const struct changes *changes, bool late)
{
    uint8_t mended[PNG_MENDED_BYTES];

    for (size_t i = 0; metadata && i < metadata->count; i++) {
        const struct metadata_item *item = &metadata->items[i];

        if (item->late == late && holds(item, changes))
            png_write_chunk(png, (png_const_bytep)item->name,
                            changes->transposed ? turn(item, mended) : item->bytes, item->count);
    }
}
