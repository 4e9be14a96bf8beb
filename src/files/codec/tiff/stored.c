/* SPDX-License-Identifier: MIT */
/* Numbers of a directory as the file has them. */
#include "src/files/codec/tiff/tiff.h"

static uint64_t number_in(const struct tiff_handle *handle, const uint8_t *bytes, int count)
{
    const bool big_endian = TIFFIsBigEndian(handle->tif) != 0;
    uint64_t number = 0;

    for (int i = 0; i < count; i++)
        number = number << 8 | bytes[big_endian ? i : count - 1 - i];
    return number;
}

/* The number of an entry: the value follows the type and the count, or its offset does. */
static bool read_number(struct tiff_handle *handle, const uint8_t *entry, int room,
                        uint64_t *number)
{
    const uint8_t *value = entry + 4 + room;
    const int bytes = TIFFDataWidth((TIFFDataType)number_in(handle, entry + 2, 2));
    uint8_t far_value[8];

    if (bytes > room) {
        if (!tiff_handle_read(handle, (int64_t)number_in(handle, value, room), far_value, bytes))
            return false;
        value = far_value;
    }
    *number = number_in(handle, value, bytes);
    return true;
}

enum status tiff_stored_number(struct tiff_handle *handle, uint32_t tag, uint64_t *number,
                               struct error *error)
{
    const bool big = TIFFIsBigTIFF(handle->tif) != 0;
    const int count_bytes = big ? 8 : 2, room = big ? 8 : 4, entry_bytes = 4 + 2 * room;
    int64_t at = (int64_t)TIFFCurrentDirOffset(handle->tif);
    uint8_t entry[20];
    bool good = tiff_handle_read(handle, at, entry, count_bytes), found = false;
    uint64_t left = good ? number_in(handle, entry, count_bytes) : 0;

    *number = 0;
    good = good && left <= UINT16_MAX; /* of a BigTIFF it may be anything */
    for (at += count_bytes; good && !found && left > 0; left--, at += entry_bytes) {
        good = tiff_handle_read(handle, at, entry, entry_bytes);
        found = good && number_in(handle, entry, 2) == tag;
    }
    if (good && found)
        good = read_number(handle, entry, room, number);
    return good ? STATUS_OK : tiff_fault(handle, STATUS_INPUT, "its directory", error);
}
