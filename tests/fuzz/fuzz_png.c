/* SPDX-License-Identifier: MIT */
/* A fuzz target for PNG. The fuzzer's bytes are the content of a file. The target decodes the file
 * as it is. Then it corrects the checksums of the chunks, and decodes the file again, since a
 * fuzzer does not find correct checksums by chance. */
#include "tests/fuzz/decode.h"
#include "tests/fuzz/ground.h"

#include <string.h>
#include <zlib.h>

#define SIGNATURE_BYTES 8
#define MOST_BYTES 16384

static uint32_t big_endian(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* Corrects the checksums. Returns true if one was wrong. A chunk is the length of its data, four
 * letters, the data, and the checksum. */
static bool mend(uint8_t *file, size_t size)
{
    size_t at = SIGNATURE_BYTES;
    bool mended = false;

    while (size > at && size - at >= 12 && big_endian(file + at) <= size - at - 12) {
        const size_t count = 4 + big_endian(file + at);
        const uint32_t crc = (uint32_t)crc32(0, file + at + 4, (uInt)count);
        uint8_t *const place = file + at + 4 + count;

        if (big_endian(place) != crc) {
            for (int i = 0; i < 4; i++)
                place[i] = (uint8_t)(crc >> (24 - 8 * i));
            mended = true;
        }
        at += 8 + count;
    }
    return mended;
}

static void decode_every_way(const uint8_t *file, size_t size)
{
    decode_both_ways(file, size);
    if (codec_find(file, size) == &codec_png)
        decode_and_rewrite(file, size, FORMAT_PNG);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t file[MOST_BYTES];
    const size_t count = size < MOST_BYTES ? size : MOST_BYTES;

    memcpy(file, data, count);
    decode_every_way(file, count);
    if (mend(file, count))
        decode_every_way(file, count);
    return 0;
}
