/* SPDX-License-Identifier: MIT */
/* The byte order of samples in files. */
#ifndef SMOOTHIMG_CODEC_RAW_SWAP_H
#define SMOOTHIMG_CODEC_RAW_SWAP_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Is the file's byte order not this machine's? */
static inline bool raw_is_swapped(bool big_endian)
{
    return big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

/* Copies `count` samples with their bytes in the other order. `swapped` may be `samples`. */
static inline void raw_swap(const void *samples, int64_t count, int sample_bytes, void *swapped)
{
    const uint16_t *from16 = samples;
    const uint32_t *from32 = samples;
    uint16_t *to16 = swapped;
    uint32_t *to32 = swapped;

    if (sample_bytes == 1 && samples != swapped)
        memcpy(swapped, samples, (size_t)count);
    else if (sample_bytes == 2)
        for (int64_t i = 0; i < count; i++)
            to16[i] = __builtin_bswap16(from16[i]);
    else if (sample_bytes == 4)
        for (int64_t i = 0; i < count; i++)
            to32[i] = __builtin_bswap32(from32[i]);
}

#endif
