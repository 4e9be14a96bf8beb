/* SPDX-License-Identifier: MIT */
#include "codec_png_known.h"

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

uint32_t png_chunk_bit(const char *name)
{
    const struct known *known = known_of(name);

    return known && !known->many ? (uint32_t)1 << (known - knowns) : 0;
}

size_t png_second_scale(const uint8_t *bytes, size_t count)
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
    if (strcmp(name, "sCAL") == 0 && png_second_scale(bytes, count) == 0)
        return "no two scales";
    if (strcmp(name, "eXIf") == 0 &&
        (count < 4 || (memcmp(bytes, "II", 2) != 0 && memcmp(bytes, "MM", 2) != 0)))
        return "no byte order";
    return NULL;
}
