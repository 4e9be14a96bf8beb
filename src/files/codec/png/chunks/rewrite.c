/* SPDX-License-Identifier: MIT */
/* Metadata about samples, converted when read; and metadata changed by operations, when written. */
#include "src/files/codec/png/chunks/chunk_rules.h"

#include "src/files/codec/carried.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define NO_MATCH "does not match the samples"

/* --- Conversion after reading. */

static bool is_palette(const struct png_file_samples *samples)
{
    return samples->colour == PNG_COLOR_TYPE_PALETTE;
}

/* bKGD, the background colour: an index, or samples of two bytes. Returns the length of the
 * converted chunk, or 0 if it does not match the samples. */
static size_t convert_background(const struct metadata_item *item,
                                 const struct png_file_samples *samples, uint8_t converted[6])
{
    const uint32_t full = (1u << samples->depth) - 1;
    const size_t length = samples->colour & PNG_COLOR_MASK_COLOR ? 6 : 2;

    if (is_palette(samples)) {
        if (item->count != 1 || item->bytes[0] >= samples->palette->size)
            return 0;
        converted[0] = item->bytes[0];
        if (samples->as_stored)
            return 1;
        for (int i = 0; i < 3; i++) {
            converted[2 * i] = 0;
            converted[2 * i + 1] = samples->palette->colours[item->bytes[0]][i];
        }
        return 6;
    }
    if (item->count != length)
        return 0;
    memcpy(converted, item->bytes, length);
    for (size_t i = 0; i < length; i += 2)
        if (png_get_uint_16(item->bytes + i) > full)
            return 0;
    if (samples->depth < 8 && !samples->as_stored)
        converted[1] = (uint8_t)(item->bytes[1] * (255 / full));
    return length;
}

/* sBIT, the number of significant bits of each channel. Scaling samples to 8 bits keeps it. Returns
 * as convert_background. */
static size_t convert_significant(const struct metadata_item *item,
                                  const struct png_file_samples *samples, uint8_t converted[6])
{
    const size_t colours = samples->colour & PNG_COLOR_MASK_COLOR ? 3 : 1;
    const size_t length = colours + (samples->colour & PNG_COLOR_MASK_ALPHA ? 1 : 0);
    const int depth = is_palette(samples) ? 8 : samples->depth;

    if (item->count != length)
        return 0;
    for (size_t i = 0; i < length; i++)
        if (item->bytes[i] == 0 || item->bytes[i] > depth)
            return 0;
    memcpy(converted, item->bytes, length);
    if (!samples->adds_alpha)
        return length;
    converted[length] =
        depth < 8 ? 8 : (uint8_t)depth; /* all bits of tRNS's alpha are significant */
    return length + 1;
}

static bool replace_bytes(struct metadata *metadata, struct metadata_item *item,
                          const uint8_t *converted, size_t count)
{
    uint8_t *bytes = realloc(item->bytes, count);

    if (!bytes)
        return false;
    memcpy(bytes, converted, count);
    metadata->bytes += (int64_t)count - (int64_t)item->count;
    item->bytes = bytes;
    item->count = count;
    return true;
}

/* Leaves an item out, for this reason. */
static void leave_out(struct metadata *metadata, size_t i, struct metadata_notes *notes,
                      const char *why)
{
    metadata_note(notes, metadata->items[i].name, why);
    metadata_remove(metadata, i);
}

/* hIST, how often each colour of the palette occurs, stays as it is or is left out. */
static bool keep_histogram(struct metadata *metadata, size_t i,
                           const struct png_file_samples *samples)
{
    if (!is_palette(samples))
        leave_out(metadata, i, &metadata->left_out, "for a palette");
    else if (metadata->items[i].count != 2 * (size_t)samples->palette->size)
        leave_out(metadata, i, &metadata->damaged, NO_MATCH);
    else
        return true;
    return false;
}

/* Converts item i, or leaves it out: *kept. False without memory. */
static bool convert_item(struct metadata *metadata, size_t i,
                         const struct png_file_samples *samples, bool *kept)
{
    struct metadata_item *item = &metadata->items[i];
    const bool background = strcmp(item->name, "bKGD") == 0;
    uint8_t converted[6];
    size_t count;

    *kept = strcmp(item->name, "hIST") != 0 || keep_histogram(metadata, i, samples);
    if (!*kept || (!background && strcmp(item->name, "sBIT") != 0))
        return true;
    count = background ? convert_background(item, samples, converted)
                       : convert_significant(item, samples, converted);
    if (count > 0)
        return replace_bytes(metadata, item, converted, count);
    leave_out(metadata, i, &metadata->damaged, NO_MATCH);
    *kept = false;
    return true;
}

bool png_metadata_convert(struct metadata *metadata, const struct png_file_samples *samples)
{
    bool kept;

    for (size_t i = 0; i < metadata->count; i += kept)
        if (!convert_item(metadata, i, samples, &kept))
            return false;
    return true;
}

/* --- Changes by operations. */

/* sBIT: smoothed samples use all bits. sTER: the halves of a stereo pair are no longer side by
 * side, or have changed places. */
static bool still_applies(const struct metadata_item *item, const struct changes *changes)
{
    if (strcmp(item->name, "sBIT") == 0)
        return !changes->smoothed;
    if (strcmp(item->name, "sTER") == 0)
        return !changes->transposed && !changes->reversed;
    return true;
}

/* Exchanges the axes in an item's bytes, for a transposed image. Returns `rewritten`, or the item's
 * own bytes if it has no axes. The length stays. exif: the bytes of eXIf, exchanged, or NULL. */
static const uint8_t *exchange_axes(const struct metadata_item *item, const uint8_t *exif,
                                    uint8_t rewritten[PNG_REWRITE_BYTES])
{
    if (strcmp(item->name, "eXIf") == 0 && exif)
        return exif;
    if (strcmp(item->name, "pHYs") == 0 || strcmp(item->name, "oFFs") == 0) {
        memcpy(rewritten, item->bytes + 4, 4);
        memcpy(rewritten + 4, item->bytes, 4);
        rewritten[8] = item->bytes[8];
        return rewritten;
    }
    if (strcmp(item->name, "sCAL") == 0) {
        const size_t second = png_second_scale(item->bytes, item->count);
        const size_t rest = item->count - second;

        rewritten[0] = item->bytes[0];
        memcpy(rewritten + 1, item->bytes + second, rest);
        rewritten[1 + rest] = 0;
        memcpy(rewritten + 2 + rest, item->bytes + 1, second - 2);
        return rewritten;
    }
    return item->bytes;
}

/* Where the palette belongs among the items: after those that it must follow. */
static size_t palette_place(const struct metadata *metadata)
{
    size_t place = 0;

    for (size_t i = 0; metadata && i < metadata->count; i++)
        if (!metadata->items[i].late && png_chunk_before_palette(metadata->items[i].name))
            place = i + 1;
    return place;
}

/* The chunks PLTE and tRNS, if there are any. */
static void write_stored(png_structp png, const struct stored_pixels *stored)
{
    if (stored && stored->indexed)
        png_write_chunk(png, (png_const_bytep) "PLTE", stored->palette,
                        3 * (size_t)stored->colours);
    if (stored && stored->transparency_bytes > 0)
        png_write_chunk(png, (png_const_bytep) "tRNS", stored->transparency,
                        (size_t)stored->transparency_bytes);
}

void png_metadata_write(png_structp png, const struct metadata *metadata, const struct image *image,
                        const uint8_t *exif, bool late)
{
    const struct changes *changes = &image->changes;
    const size_t count = metadata ? metadata->count : 0, place = palette_place(metadata);
    uint8_t rewritten[PNG_REWRITE_BYTES];

    for (size_t i = 0; i <= count; i++) {
        const struct metadata_item *item = i < count ? &metadata->items[i] : NULL;

        if (i == place && !late)
            write_stored(png, image->stored);
        if (item && item->late == late && still_applies(item, changes))
            png_write_chunk(png, (png_const_bytep)item->name,
                            changes->transposed ? exchange_axes(item, exif, rewritten)
                                                : item->bytes,
                            item->count);
    }
}

/* --- From other formats. */

/* A chunk of these bytes after a head. */
static bool add_after(struct metadata *metadata, const char *name, const char *head,
                      size_t head_bytes, const struct carried *carried)
{
    const size_t count = head_bytes + carried->count;
    uint8_t *bytes = malloc(count);

    if (!bytes)
        return false;
    memcpy(bytes, head, head_bytes);
    memcpy(bytes + head_bytes, carried->bytes, carried->count);
    return metadata_add(metadata, name, false, bytes, count);
}

/* A profile is compressed; its name there is "icc". */
static bool add_profile(struct metadata *metadata, const struct carried *profile)
{
    uLongf room = compressBound(profile->count);
    struct carried deflated = {malloc(room), 0};
    const bool good =
        deflated.bytes && compress(deflated.bytes, &room, profile->bytes, profile->count) == Z_OK;
    bool added;

    deflated.count = room;
    added = good && add_after(metadata, "iCCP", "icc\0", 5, &deflated);
    free(deflated.bytes);
    return added;
}

static bool add_carried(struct metadata *metadata, enum carried_kind kind,
                        const struct carried *carried)
{
    switch (kind) {
    case CARRIED_PROFILE:
        return add_profile(metadata, carried);
    case CARRIED_EXIF:
        return add_after(metadata, "eXIf", "", 0, carried);
    default:
        return add_after(metadata, "iTXt", PNG_XMP_HEAD, PNG_XMP_HEAD_BYTES, carried);
    }
}

bool png_metadata_carry(struct metadata *metadata, const struct image *header)
{
    bool good = true;

    for (int kind = 0; kind < CARRIED_KINDS && good; kind++) {
        struct carried carried;

        good = carried_find(header, FORMAT_PNG, (enum carried_kind)kind, &carried) &&
               (carried.count == 0 || add_carried(metadata, (enum carried_kind)kind, &carried));
        free(carried.bytes);
    }
    return good;
}
