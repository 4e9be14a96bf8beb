/* SPDX-License-Identifier: MIT */
#include "src/files/codec/exif.h"

#include <string.h>

/* An entry of EXIF has a tag and a type of 2 bytes each, then a count and a value (or the value's
 * offset) of 4 bytes each. */
#define ENTRY_BYTES 12
#define VALUE_AT 8

enum {
    TAG_ORIENTATION = 0x0112,
    TAG_X_RESOLUTION = 0x011a,
    TAG_Y_RESOLUTION = 0x011b,
    TAG_EXIF_DIRECTORY = 0x8769,
    TAG_WIDTH = 0xa002,
    TAG_HEIGHT = 0xa003
};

struct exif {
    const uint8_t *bytes;
    size_t count;
    bool big_endian;
};

/* Returns the integer of `bytes` bytes at this offset. The caller has checked that they are inside
 * the EXIF. */
static uint32_t number_at(const struct exif *exif, size_t offset, int bytes)
{
    uint32_t number = 0;

    for (int i = 0; i < bytes; i++)
        number |= (uint32_t)exif->bytes[offset + (size_t)i]
                  << 8 * (exif->big_endian ? bytes - 1 - i : i);
    return number;
}

/* Sets *first to the offset of the first directory. Returns false if the bytes are not EXIF. */
static bool open_exif(struct exif *exif, const uint8_t *bytes, size_t count, size_t *first)
{
    *exif = (struct exif){bytes, count, count > 0 && bytes[0] == 'M'};
    if (count < 8 || (memcmp(bytes, "II*\0", 4) != 0 && memcmp(bytes, "MM\0*", 4) != 0))
        return false;
    *first = number_at(exif, 4, 4);
    return true;
}

/* Returns the offset of the tag's entry in the directory at offset `directory`, or 0 if there is
 * none. */
static size_t find_entry(const struct exif *exif, size_t directory, uint32_t tag)
{
    size_t entries;

    if (directory > exif->count || exif->count - directory < 2)
        return 0;
    entries = number_at(exif, directory, 2);
    for (size_t i = 0, at = directory + 2; i < entries && exif->count - at >= ENTRY_BYTES;
         i++, at += ENTRY_BYTES)
        if (number_at(exif, at, 2) == tag)
            return at;
    return 0;
}

/* Returns the offset of the orientation's least significant byte, or 0 if there is no valid
 * orientation. By the specification the orientation is a SHORT, but some programs write a BYTE or a
 * LONG. */
static size_t find_orientation(const struct exif *exif, size_t directory)
{
    /* The size of each type, by the type's number: 1 BYTE, 3 SHORT, 4 LONG. 0: no orientation has
     * this type. */
    static const int type_bytes[] = {0, 1, 0, 2, 4};
    const size_t at = find_entry(exif, directory, TAG_ORIENTATION);
    const uint32_t type = at > 0 ? number_at(exif, at + 2, 2) : 0;
    const int bytes = type < sizeof type_bytes / sizeof *type_bytes ? type_bytes[type] : 0;
    uint32_t value;

    if (bytes == 0)
        return 0;
    value = number_at(exif, at + VALUE_AT, bytes);
    return value >= 1 && value <= 8 ? at + VALUE_AT + (exif->big_endian ? (size_t)bytes - 1 : 0)
                                    : 0;
}

int exif_orientation(const uint8_t *bytes, size_t count)
{
    struct exif exif;
    size_t directory, at;

    at = open_exif(&exif, bytes, count, &directory) ? find_orientation(&exif, directory) : 0;
    return at > 0 ? bytes[at] : ORIENTATION_AS_STORED;
}

size_t exif_only_orientation(const uint8_t *bytes, size_t count,
                             uint8_t only[EXIF_ORIENTATION_BYTES])
{
    static const uint8_t directory[EXIF_ORIENTATION_BYTES] =
        "MM\0*\0\0\0\x08" /* the directory's offset */
        "\0\1"            /* number of entries */
        "\x01\x12\0\3\0\0\0\1";
    const int orientation = exif_orientation(bytes, count);

    memcpy(only, directory, sizeof directory);
    only[10 + VALUE_AT + 1] = (uint8_t)orientation;
    return orientation == ORIENTATION_AS_STORED ? 0 : sizeof directory;
}

int orientation_transposed(int orientation)
{
    static const int transposed[] = {0, 1, 4, 3, 2, 5, 8, 7, 6};

    return orientation >= 1 && orientation <= 8 ? transposed[orientation] : orientation;
}

/* Exchanges the types, counts and values of two tags' entries, if both exist. */
static void exchange(const struct exif *exif, uint8_t *bytes, size_t directory, uint32_t tag,
                     uint32_t other)
{
    const size_t a = find_entry(exif, directory, tag), b = find_entry(exif, directory, other);
    uint8_t kept[ENTRY_BYTES - 2];

    if (a == 0 || b == 0)
        return;
    memcpy(kept, bytes + a + 2, sizeof kept);
    memmove(bytes + a + 2, bytes + b + 2, sizeof kept);
    memcpy(bytes + b + 2, kept, sizeof kept);
}

void exif_transpose(uint8_t *bytes, size_t count)
{
    struct exif exif;
    size_t directory, at;

    if (!open_exif(&exif, bytes, count, &directory))
        return;
    at = find_orientation(&exif, directory);
    if (at > 0)
        bytes[at] = (uint8_t)orientation_transposed(bytes[at]);
    exchange(&exif, bytes, directory, TAG_X_RESOLUTION, TAG_Y_RESOLUTION);
    at = find_entry(&exif, directory, TAG_EXIF_DIRECTORY);
    if (at > 0)
        exchange(&exif, bytes, number_at(&exif, at + VALUE_AT, 4), TAG_WIDTH, TAG_HEIGHT);
}
