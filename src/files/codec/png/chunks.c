/* SPDX-License-Identifier: MIT */
#include "src/files/codec/png/png.h"

#include "src/files/codec/carried.h"
#include "src/files/codec/exif.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define ANY_LENGTH (-1)
#define MAX_KEYWORD_BYTES 79

/* The chunks of the PNG specification, third edition, and its registered extensions, but for those
 * that describe the samples and the places as the file has them: hIST, sBIT, bKGD, sCAL and sTER.
 */
static const struct known {
    char name[5];
    enum png_position last; /* the last position that is allowed */
    bool many;              /* a file may hold several */
    int length;             /* in bytes, or ANY_LENGTH */
    int after_keyword;      /* minimum bytes after the keyword and its zero byte; -1: no keyword */
} known_chunks[] = {
    {"cHRM", BEFORE_PALETTE, false, 32, -1},         {"cICP", BEFORE_PALETTE, false, 4, -1},
    {"cLLI", BEFORE_PALETTE, false, 8, -1},          {"gAMA", BEFORE_PALETTE, false, 4, -1},
    {"iCCP", BEFORE_PALETTE, false, ANY_LENGTH, 2},  {"mDCV", BEFORE_PALETTE, false, 24, -1},
    {"sRGB", BEFORE_PALETTE, false, 1, -1},          {"oFFs", BEFORE_SAMPLES, false, 9, -1},
    {"pCAL", BEFORE_SAMPLES, false, ANY_LENGTH, 11}, {"pHYs", BEFORE_SAMPLES, false, 9, -1},
    {"sPLT", BEFORE_SAMPLES, true, ANY_LENGTH, 1},   {"eXIf", AFTER_SAMPLES, false, ANY_LENGTH, -1},
    {"tIME", AFTER_SAMPLES, false, 7, -1},           {"iTXt", AFTER_SAMPLES, true, ANY_LENGTH, 4},
    {"tEXt", AFTER_SAMPLES, true, ANY_LENGTH, 0},    {"zTXt", AFTER_SAMPLES, true, ANY_LENGTH, 1},
};

static const struct known *known_of(const char *name)
{
    for (size_t i = 0; i < sizeof known_chunks / sizeof *known_chunks; i++)
        if (strcmp(known_chunks[i].name, name) == 0)
            return &known_chunks[i];
    return NULL;
}

/* --- What is read. */

/* A lower-case fourth letter means: safe to copy by a program that does not know the chunk and has
 * changed the pixels. */
const char *png_chunk_why_not(const char *name)
{
    return known_of(name) || name[3] >= 'a' ? NULL : "not safe to copy";
}

uint32_t png_chunk_bit(const char *name)
{
    const struct known *known = known_of(name);

    return known && !known->many ? (uint32_t)1 << (known - known_chunks) : 0;
}

/* Does the chunk begin with a keyword and a zero byte, which at least `rest` bytes follow? */
static bool has_keyword(const uint8_t *bytes, size_t count, size_t rest)
{
    const size_t longest = count < MAX_KEYWORD_BYTES + 1 ? count : MAX_KEYWORD_BYTES + 1;
    const uint8_t *zero = longest > 1 ? memchr(bytes, 0, longest) : NULL;

    return zero && zero > bytes && count - (size_t)(zero - bytes) - 1 >= rest;
}

const char *png_chunk_fault(const char *name, enum png_position position, const uint8_t *bytes,
                            size_t count)
{
    const struct known *known = known_of(name);

    if (!known)
        return NULL;
    if (position > known->last)
        return "too late in the file";
    if (known->length != ANY_LENGTH && count != (size_t)known->length)
        return "wrong length";
    if (known->after_keyword >= 0 && !has_keyword(bytes, count, (size_t)known->after_keyword))
        return "no keyword";
    if (strcmp(name, "eXIf") == 0 && !exif_has_order(bytes, count))
        return "no byte order";
    return NULL;
}

/* --- What is written. */

void png_chunks_write(png_structp png, const struct metadata *metadata, bool transposed,
                      const uint8_t *exif, bool late)
{
    for (size_t i = 0; metadata && i < metadata->count; i++) {
        const struct metadata_item *item = &metadata->items[i];
        const uint8_t *bytes = exif && strcmp(item->name, "eXIf") == 0 ? exif : item->bytes;
        uint8_t turned[9]; /* x and y of 4 bytes each, and a unit */

        if (transposed && (strcmp(item->name, "pHYs") == 0 || strcmp(item->name, "oFFs") == 0)) {
            memcpy(turned, bytes + 4, 4);
            memcpy(turned + 4, bytes, 4);
            turned[8] = bytes[8];
            bytes = turned;
        }
        if (item->late == late)
            png_write_chunk(png, (png_const_bytep)item->name, bytes, item->count);
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
