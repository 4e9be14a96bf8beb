/* SPDX-License-Identifier: MIT */
#include "src/files/codec/png/png.h"

#include "src/files/codec/carried.h"
#include "src/files/codec/exif.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define ANY_LENGTH (-1)
#define MAX_KEYWORD_BYTES 79

/* The chunks of the PNG specification, third edition, and its registered extensions. */
static const struct known {
    char name[5];
    enum png_position last; /* the last position that is allowed */
    bool many;              /* a file may hold several */
    int length;             /* in bytes, or ANY_LENGTH */
    int after_keyword;      /* minimum bytes after the keyword and its zero byte; -1: no keyword */
} known_chunks[] = {
    {"cHRM", BEFORE_PALETTE, false, 32, -1},
    {"cICP", BEFORE_PALETTE, false, 4, -1},
    {"cLLI", BEFORE_PALETTE, false, 8, -1},
    {"gAMA", BEFORE_PALETTE, false, 4, -1},
    {"iCCP", BEFORE_PALETTE, false, ANY_LENGTH, 2},
    {"mDCV", BEFORE_PALETTE, false, 24, -1},
    {"sBIT", BEFORE_PALETTE, false, ANY_LENGTH, -1},
    {"sRGB", BEFORE_PALETTE, false, 1, -1},
    {"bKGD", BEFORE_SAMPLES, false, ANY_LENGTH, -1},
    {"hIST", BEFORE_SAMPLES, false, ANY_LENGTH, -1},
    {"oFFs", BEFORE_SAMPLES, false, 9, -1},
    {"pCAL", BEFORE_SAMPLES, false, ANY_LENGTH, 11},
    {"pHYs", BEFORE_SAMPLES, false, 9, -1},
    {"sCAL", BEFORE_SAMPLES, false, ANY_LENGTH, -1},
    {"sPLT", BEFORE_SAMPLES, true, ANY_LENGTH, 1},
    {"sTER", BEFORE_SAMPLES, false, 1, -1},
    {"eXIf", AFTER_SAMPLES, false, ANY_LENGTH, -1},
    {"tIME", AFTER_SAMPLES, false, 7, -1},
    {"iTXt", AFTER_SAMPLES, true, ANY_LENGTH, 4},
    {"tEXt", AFTER_SAMPLES, true, ANY_LENGTH, 0},
    {"zTXt", AFTER_SAMPLES, true, ANY_LENGTH, 1},
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
    if (strcmp(name, "hIST") == 0)
        return "for a palette";
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

/* bKGD, the background colour: an index, or samples of two bytes. */
static bool background_matches(const struct metadata_item *item, const struct png_samples *samples)
{
    if (samples->colour == PNG_COLOR_TYPE_PALETTE)
        return item->count == 1;
    if (item->count != (samples->colour & PNG_COLOR_MASK_COLOR ? 6 : 2))
        return false;
    for (size_t i = 0; i < item->count; i += 2)
        if (png_get_uint_16(item->bytes + i) >> samples->depth != 0)
            return false;
    return true;
}

/* sBIT, the number of significant bits of each channel. */
static bool bits_match(const struct metadata_item *item, const struct png_samples *samples)
{
    const int depth = samples->colour == PNG_COLOR_TYPE_PALETTE ? 8 : samples->depth;

    if (item->count != (samples->colour & PNG_COLOR_MASK_COLOR ? 3u : 1u) +
                           (samples->colour & PNG_COLOR_MASK_ALPHA ? 1u : 0u))
        return false;
    for (size_t i = 0; i < item->count; i++)
        if (item->bytes[i] == 0 || item->bytes[i] > depth)
            return false;
    return true;
}

/* Does item i stay? */
static bool keeps(struct metadata *metadata, size_t i, const struct png_samples *samples)
{
    const struct metadata_item *item = &metadata->items[i];
    const bool background = strcmp(item->name, "bKGD") == 0;
    const bool converts = samples->colour == PNG_COLOR_TYPE_PALETTE || samples->depth < 8;
    bool matches;

    if (!background && strcmp(item->name, "sBIT") != 0)
        return true;
    matches = background ? background_matches(item, samples) : bits_match(item, samples);
    if (!matches)
        metadata_note(&metadata->damaged, item->name, "does not match the samples");
    else if (background ? converts : samples->adds_alpha)
        metadata_note(&metadata->left_out, item->name, "for samples as the file has them");
    else
        return true;
    return false;
}

void png_chunks_match(struct metadata *metadata, const struct png_samples *samples)
{
    for (size_t i = 0; i < metadata->count;)
        if (keeps(metadata, i, samples))
            i++;
        else
            metadata_remove(metadata, i);
}

/* --- What is written. */

/* Why an item no longer applies; NULL: it does. Smoothed samples use all bits, of which sBIT says
 * that some mean nothing. */
static const char *why_not(const char *name, const struct changes *changes)
{
    if (strcmp(name, "sBIT") == 0 && changes->smoothed)
        return "for the samples before";
    if (strcmp(name, "sTER") == 0 && (changes->transposed || changes->reversed))
        return "for the places before";
    return strcmp(name, "sCAL") == 0 && changes->transposed ? "for the axes before" : NULL;
}

void png_chunks_write(png_structp png, const struct metadata *metadata, const struct image *image,
                      const uint8_t *exif, bool late, struct metadata_notes *left_out)
{
    for (size_t i = 0; metadata && i < metadata->count; i++) {
        const struct metadata_item *item = &metadata->items[i];
        const char *why = why_not(item->name, &image->changes);
        const uint8_t *bytes = exif && strcmp(item->name, "eXIf") == 0 ? exif : item->bytes;
        uint8_t turned[9]; /* x and y of 4 bytes each, and a unit */

        if (image->changes.transposed &&
            (strcmp(item->name, "pHYs") == 0 || strcmp(item->name, "oFFs") == 0)) {
            memcpy(turned, bytes + 4, 4);
            memcpy(turned + 4, bytes, 4);
            turned[8] = bytes[8];
            bytes = turned;
        }
        if (item->late == late && !why)
            png_write_chunk(png, (png_const_bytep)item->name, bytes, item->count);
        if (item->late == late && why && left_out)
            metadata_note(left_out, item->name, why);
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
