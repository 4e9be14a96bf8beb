/* SPDX-License-Identifier: MIT */
#include "src/files/codec/png/chunks/chunk_rules.h"

#include "src/files/codec/exif.h"

#include <string.h>

#define ANY_LENGTH (-1)
#define MAX_KEYWORD_BYTES 79

/* The chunks of the PNG specification, third edition, and its registered extensions. */
static const struct known {
    char name[5];
    enum png_position last; /* the last position that is allowed */
    bool many;              /* a file may hold several */
    int length;             /* in bytes, or ANY_LENGTH */
    int after_keyword;      /* minimum bytes after the keyword and its zero byte; -1: no keyword */
    const char *why_not;    /* why it is not kept, unless as_stored; NULL: it is */
} known_chunks[] = {
    {"cHRM", BEFORE_PALETTE, false, 32, -1, NULL},
    {"cICP", BEFORE_PALETTE, false, 4, -1, NULL},
    {"cLLI", BEFORE_PALETTE, false, 8, -1, NULL},
    {"gAMA", BEFORE_PALETTE, false, 4, -1, NULL},
    {"iCCP", BEFORE_PALETTE, false, ANY_LENGTH, 2, NULL},
    {"mDCV", BEFORE_PALETTE, false, 24, -1, NULL},
    {"sBIT", BEFORE_PALETTE, false, ANY_LENGTH, -1, NULL},
    {"sRGB", BEFORE_PALETTE, false, 1, -1, NULL},
    {"bKGD", BEFORE_SAMPLES, false, ANY_LENGTH, -1, NULL},
    {"hIST", BEFORE_SAMPLES, false, ANY_LENGTH, -1, "for a palette"},
    {"oFFs", BEFORE_SAMPLES, false, 9, -1, NULL},
    {"pCAL", BEFORE_SAMPLES, false, ANY_LENGTH, 11, NULL},
    {"pHYs", BEFORE_SAMPLES, false, 9, -1, NULL},
    {"sCAL", BEFORE_SAMPLES, false, ANY_LENGTH, -1, NULL},
    {"sPLT", BEFORE_SAMPLES, true, ANY_LENGTH, 1, NULL},
    {"sTER", BEFORE_SAMPLES, false, 1, -1, NULL},
    {"eXIf", AFTER_SAMPLES, false, ANY_LENGTH, -1, NULL},
    {"tIME", AFTER_SAMPLES, false, 7, -1, NULL},
    {"iTXt", AFTER_SAMPLES, true, ANY_LENGTH, 4, NULL},
    {"tEXt", AFTER_SAMPLES, true, ANY_LENGTH, 0, NULL},
    {"zTXt", AFTER_SAMPLES, true, ANY_LENGTH, 1, NULL},
};

static const struct known *known_of(const char *name)
{
    for (size_t i = 0; i < sizeof known_chunks / sizeof *known_chunks; i++)
        if (strcmp(known_chunks[i].name, name) == 0)
            return &known_chunks[i];
    return NULL;
}

/* A lower-case fourth letter means: safe to copy by a program that does not know the chunk and has
 * changed the pixels. */
const char *png_chunk_why_not(const char *name, bool as_stored)
{
    const struct known *known = known_of(name);

    if (known)
        return as_stored ? NULL : known->why_not;
    return name[3] >= 'a' ? NULL : "not safe to copy";
}

bool png_chunk_before_palette(const char *name)
{
    const struct known *known = known_of(name);

    return known && known->last == BEFORE_PALETTE;
}

uint32_t png_chunk_bit(const char *name)
{
    const struct known *known = known_of(name);

    return known && !known->many ? (uint32_t)1 << (known - known_chunks) : 0;
}

size_t png_second_scale(const uint8_t *bytes, size_t count)
{
    const uint8_t *zero =
        count > 2 && count <= PNG_REWRITE_BYTES ? memchr(bytes + 1, 0, count - 1) : NULL;
    const size_t second = zero ? (size_t)(zero - bytes) + 1 : 0;

    return second > 2 && second < count && !memchr(zero + 1, 0, count - second) ? second : 0;
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
    if (strcmp(name, "sCAL") == 0 && png_second_scale(bytes, count) == 0)
        return "bad scales";
    if (strcmp(name, "eXIf") == 0 && !exif_has_order(bytes, count))
        return "no byte order";
    return NULL;
}
