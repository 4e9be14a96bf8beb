/* SPDX-License-Identifier: MIT */
#include "src/files/codec/rows/checksum.h"
#include "src/files/codec/rows/stored.h"

#define XXH_STATIC_LINKING_ONLY /* for a state without malloc */
#include <xxhash.h>

#define PIECE 1024 /* samples swapped, or pixels converted, at a time */

/* checksum_row of big-endian samples of 2 or 4 bytes. The digest does not depend on the pieces. */
static uint64_t checksum_big_endian(const unsigned char *samples, size_t count, size_t sample_bytes,
                                    uint64_t row)
{
    unsigned char bytes[4 * PIECE];
    XXH3_state_t state; /* on the stack, so that no allocation can fail */

    XXH3_INITSTATE(&state); /* the next call reads it */
    XXH3_64bits_reset_withSeed(&state, row);
    while (count > 0) {
        const size_t piece = (count < PIECE ? count : PIECE) * sample_bytes;

        for (size_t i = 0; i < piece; i++)
            bytes[i] = samples[i - i % sample_bytes + sample_bytes - 1 - i % sample_bytes];
        XXH3_64bits_update(&state, bytes, piece);
        samples += piece;
        count -= piece / sample_bytes;
    }
    return XXH3_64bits_digest(&state);
}

uint64_t checksum_row(const void *samples, size_t count, int sample_bytes, bool big_endian,
                      uint64_t row)
{
    if (big_endian && sample_bytes > 1)
        return checksum_big_endian(samples, count, (size_t)sample_bytes, row);
    return XXH3_64bits_withSeed(samples, count * (size_t)sample_bytes, row);
}

/* checksum_row of the converted samples of a row. */
static uint64_t checksum_stored(const struct image *image, const struct stored_pixels *stored,
                                int64_t y, uint64_t row)
{
    const struct view *view = &image->view;
    const int64_t pixel = (int64_t)view->channels * view->sample_bytes;
    const char *pixels = image_row(image, y);
    unsigned char bytes[STORED_MAX_BYTES * PIECE];
    XXH3_state_t state;

    XXH3_INITSTATE(&state); /* the next call reads it */
    XXH3_64bits_reset_withSeed(&state, row);
    for (int64_t x = 0; x < view->width; x += PIECE) {
        const size_t count = (size_t)(view->width - x < PIECE ? view->width - x : PIECE);

        stored_convert(stored, pixels + x * pixel, count, bytes);
        XXH3_64bits_update(&state, bytes, count * stored_pixel_bytes(stored));
    }
    return XXH3_64bits_digest(&state);
}

uint64_t checksum_rows(const struct image *image, const struct stored_pixels *stored, int64_t from,
                       int64_t count, uint64_t row)
{
    const int sample_bytes = sample_bytes_of(image->maxval);
    const size_t samples = image_row_bytes(image) / (size_t)sample_bytes;
    const bool big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__; /* this machine */
    uint64_t sum = 0;

    for (int64_t i = 0; i < count; i++) {
        const uint64_t number = row + (uint64_t)i;

        sum += stored ? checksum_stored(image, stored, from + i, number)
                      : checksum_row(image_row(image, from + i), samples, sample_bytes, big_endian,
                                     number);
    }
    return sum;
}
