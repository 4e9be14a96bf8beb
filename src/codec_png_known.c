/* SPDX-License-Identifier: MIT */
#include "codec_png_known.h"

#include <png.h> /* the numbers of colour types */
#include <stdlib.h>
#include <string.h>

#define ANY_LENGTH (-1)
#define KEYWORD_BYTES 79 /* at most */

/* By the third edition of PNG, and its registered extensions. */
static const struct known {
    char name[5];
    enum png_place last; /* it may stand here, or before it */
    bool many;           /* a file may have several */
    int length;          /* of all such chunks */
    int behind_keyword; /* it begins with a keyword and a zero byte; so many more at least; or -1 */
    const char *why_not; /* it is left out */
} knowns[] = {
    {"cHRM", BEFORE_PALETTE, false, 32, -1, NULL},
    {"cICP", BEFORE_PALETTE, false, 4, -1, NULL},
    {"cLLI", BEFORE_PALETTE, false, 8, -1, NULL},
    {"gAMA", BEFORE_PALETTE, false, 4, -1, NULL},
    {"iCCP", BEFORE_PALETTE, false, ANY_LENGTH, 2, NULL},
    {"mDCV", BEFORE_PALETTE, false, 24, -1, NULL},
    {"sBIT", BEFORE_PALETTE, false, ANY_LENGTH, -1, NULL},
    {"sRGB", BEFORE_PALETTE, false, 1, -1, NULL},
    {"bKGD", BEFORE_SAMPLES, false, ANY_LENGTH, -1, NULL},
    {"hIST", BEFORE_SAMPLES, false, ANY_LENGTH, -1, "of a palette"},
    {"oFFs", BEFORE_SAMPLES, false, 9, -1, NULL},
    {"pCAL", BEFORE_SAMPLES, false, ANY_LENGTH, 11, NULL},
    {"pHYs", BEFORE_SAMPLES, false, 9, -1, NULL},
    {"sCAL", BEFORE_SAMPLES, false, ANY_LENGTH, -1, NULL},
    {"sPLT", BEFORE_SAMPLES, true, ANY_LENGTH, 1, NULL},
    {"sTER", BEFORE_SAMPLES, false, 1, -1, NULL},
    {"eXIf", BEHIND_SAMPLES, false, ANY_LENGTH, -1, NULL},
    {"tIME", BEHIND_SAMPLES, false, 7, -1, NULL},
    {"iTXt", BEHIND_SAMPLES, true, ANY_LENGTH, 4, NULL},
    {"tEXt", BEHIND_SAMPLES, true, ANY_LENGTH, 0, NULL},
    {"zTXt", BEHIND_SAMPLES, true, ANY_LENGTH, 1, NULL},
};

static const struct known *known_of(const char *name)
{
    for (size_t i = 0; i < sizeof knowns / sizeof *knowns; i++)
        if (strcmp(knowns[i].name, name) == 0)
            return &knowns[i];
    return NULL;
}

/* A name's fourth letter says whether programs that do not know it, and have changed the pixels,
 * may copy it. */
const char *png_chunk_why_not(const char *name)
{
    const struct known *known = known_of(name);

    if (known)
        return known->why_not;
    return name[3] >= 'a' ? NULL : "not safe to copy";
}

bool png_chunk_comes_once(const char *name)
{
    const struct known *known = known_of(name);

    return known && !known->many;
}

/* A unit, and two numbers as text with a zero byte between them. Returns where the second is, or 0.
 */
static size_t second_scale(const uint8_t *bytes, size_t count)
{
    const uint8_t *zero =
        count > 2 && count <= PNG_MENDED_BYTES ? memchr(bytes + 1, 0, count - 1) : NULL;
    const size_t second = zero ? (size_t)(zero - bytes) + 1 : 0;

    return second > 2 && second < count && !memchr(zero + 1, 0, count - second) ? second : 0;
}

static bool has_keyword(const uint8_t *bytes, size_t count, size_t behind)
{
    const size_t most = count < KEYWORD_BYTES + 1 ? count : KEYWORD_BYTES + 1;
    const uint8_t *zero = most > 1 ? memchr(bytes, 0, most) : NULL;

    return zero && zero > bytes && count - (size_t)(zero - bytes) - 1 >= behind;
}

const char *png_chunk_fault(const char *name, enum png_place place, const uint8_t *bytes,
                            size_t count)
{
    const struct known *known = known_of(name);

    if (!known)
        return NULL;
    if (place > known->last)
        return "too late in the file";
    if (known->length != ANY_LENGTH && count != (size_t)known->length)
        return "wrong length";
    if (known->behind_keyword >= 0 && !has_keyword(bytes, count, (size_t)known->behind_keyword))
        return "no keyword";
    if (strcmp(name, "sCAL") == 0 && second_scale(bytes, count) == 0)
        return "no two scales";
    if (strcmp(name, "eXIf") == 0 &&
        (count < 4 || (memcmp(bytes, "II", 2) != 0 && memcmp(bytes, "MM", 2) != 0)))
        return "no byte order";
    return NULL;
}

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
        if (item->count != 1 || !samples->palette || item->bytes[0] >= samples->palette_size)
            return 0;
        for (int i = 0; i < 3; i++) {
            fitted[2 * i] = 0;
            fitted[2 * i + 1] = samples->palette[3 * item->bytes[0] + i];
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
bool png_known_holds(const struct metadata_item *item, const struct changes *changes)
{
    if (strcmp(item->name, "sBIT") == 0)
        return !changes->smoothed;
    if (strcmp(item->name, "sTER") == 0)
        return !changes->transposed && !changes->reversed;
    return true;
}

const uint8_t *png_known_turn(const struct metadata_item *item, uint8_t mended[PNG_MENDED_BYTES])
{
    if (strcmp(item->name, "pHYs") == 0 || strcmp(item->name, "oFFs") == 0) {
        memcpy(mended, item->bytes + 4, 4);
        memcpy(mended + 4, item->bytes, 4);
        mended[8] = item->bytes[8];
        return mended;
    }
    if (strcmp(item->name, "sCAL") == 0) {
        const size_t second = second_scale(item->bytes, item->count);
        const size_t rest = item->count - second;

        mended[0] = item->bytes[0];
        memcpy(mended + 1, item->bytes + second, rest);
        mended[1 + rest] = 0;
        memcpy(mended + 2 + rest, item->bytes + 1, second - 2);
        return mended;
    }
    return item->bytes;
}
