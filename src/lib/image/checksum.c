/* SPDX-License-Identifier: MIT */
#include "src/lib/image/checksum.h"

#define XXH_STATIC_LINKING_ONLY /* for a state without malloc */
#include <xxhash.h>

#define PIECE 1024 /* samples swapped at a time */

/* Swaps the bytes of a row piece by piece. The digest does not depend on how the row is cut. */
static uint64_t swapped_row(const unsigned char *samples, size_t count, uint64_t row)
{
    unsigned char bytes[2 * PIECE];
    XXH3_state_t state; /* on the stack: nothing to fail, nothing to free */

    XXH3_64bits_reset_withSeed(&state, row);
    while (count > 0) {
        const size_t piece = count < PIECE ? count : PIECE;

        for (size_t i = 0; i < piece; i++) {
            bytes[2 * i] = samples[2 * i + 1];
            bytes[2 * i + 1] = samples[2 * i];
        }
        XXH3_64bits_update(&state, bytes, 2 * piece);
        samples += 2 * piece;
        count -= piece;
    }
    return XXH3_64bits_digest(&state);
}

uint64_t checksum_row(const void *samples, size_t count, int sample_bytes, bool swapped,
                      uint64_t row)
{
    if (swapped && sample_bytes == 2)
        return swapped_row(samples, count, row);
    return XXH3_64bits_withSeed(samples, count * (size_t)sample_bytes, row);
}

uint64_t checksum_rows(const struct image *image, int64_t from, int64_t count, uint64_t row)
{
    const int sample_bytes = sample_bytes_of(image->maxval);
    const size_t samples = image_row_bytes(image) / (size_t)sample_bytes;
    const bool swapped = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    uint64_t sum = 0;

    for (int64_t i = 0; i < count; i++)
        sum += checksum_row(image_row(image, from + i), samples, sample_bytes, swapped,
                            row + (uint64_t)i);
    return sum;
}
