/* SPDX-License-Identifier: MIT */
#include "src/files/codec/png/png.h"

#include "src/files/codec/carried.h"
#include "src/files/codec/exif.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* A lower-case fourth letter means "safe to copy": a program may copy the chunk even if it does not
 * know the chunk and has changed the pixels. The list in the return statement has further chunks
 * that still apply to the result. */
const char *png_chunk_why_not(const char *name)
{
    if (strstr("bKGD hIST sBIT", name))
        return "describes the input's samples";
    if (strcmp(name, "sTER") == 0)
        return "describes the input's axes";
    return name[3] >= 'a' || strstr("cHRM cICP cLLI gAMA iCCP mDCV sRGB pCAL sCAL sPLT tIME", name)
               ? NULL
               : "not safe to copy";
}

static bool is_exif(const struct metadata_item *item)
{
    return strcmp(item->name, "eXIf") == 0;
}

bool png_chunks_exif(const struct metadata *metadata, struct carried *exif)
{
    size_t count = 0;

    for (size_t i = 0; metadata && i < metadata->count; i++)
        count += is_exif(&metadata->items[i]) ? metadata->items[i].count : 0;
    *exif = (struct carried){malloc(count + 1), 0};
    for (size_t i = 0; metadata && i < metadata->count && exif->bytes; i++) {
        const struct metadata_item *item = &metadata->items[i];
        uint8_t *copy = exif->bytes + exif->count;

        if (!is_exif(item))
            continue;
        memcpy(copy, item->bytes, item->count);
        exif_transpose(copy, item->count);
        exif->count += item->count;
    }
    return exif->bytes != NULL;
}

void png_chunks_write(png_structp png, const struct metadata *metadata,
                      const struct changes *changes, const uint8_t *exif, bool late)
{
    for (size_t i = 0; metadata && i < metadata->count; i++) {
        const struct metadata_item *item = &metadata->items[i];
        const uint8_t *bytes = item->bytes;
        uint8_t turned[9]; /* x and y of 4 bytes each, and a unit */

        if (exif && is_exif(item)) {
            bytes = exif;
            exif += item->count;
        }
        if (changes->transposed && item->count == sizeof turned &&
            (strcmp(item->name, "pHYs") == 0 || strcmp(item->name, "oFFs") == 0)) {
            memcpy(turned, bytes + 4, 4);
            memcpy(turned + 4, bytes, 4);
            turned[8] = bytes[8];
            bytes = turned;
        }
        if (item->late == late && carried_applies(item, changes))
            png_write_chunk(png, (png_const_bytep)item->name, bytes, item->count);
    }
}

/* Adds a chunk that consists of `head` and then of carried->bytes. */
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

/* Adds a profile as a compressed chunk, under the name "icc". */
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

bool png_chunks_carry(struct metadata *metadata, const struct image *header)
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
