/* SPDX-License-Identifier: MIT */
/* Implements the loops of loops.h. They divide a block of the source into squares whose rows have
 * 16 bytes, load the squares into vectors, and transpose them in registers. */
#include "kernels/transpose/loops.h"

#include "kernels/common/isa.h"

#include <string.h>

#ifdef __SSE2__
#include <immintrin.h>
#endif

#ifdef __AVX512BW__
#define VECTOR_BYTES 64
#elif defined __AVX2__
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif
#define LANES (VECTOR_BYTES / 16)
#define INLINED static inline __attribute__((always_inline))
#define UNROLLED _Pragma("GCC unroll 16")

typedef uint8_t vector __attribute__((vector_size(VECTOR_BYTES)));

INLINED vector load(const char *from)
{
    vector value;

    memcpy(&value, from, sizeof value);
    return value;
}

/* Takes 8 bytes, from byte `from` on, out of each 16 bytes of a and b, and interleaves the pixels
 * of a with those of b. BYTE(I) is byte I of the result. Callers pass constants as pixel_bytes and
 * `from`, so that each call compiles to one instruction. */
INLINED vector interleaved(vector a, vector b, size_t pixel_bytes, size_t from)
{
#define BYTE(I)                                                                                    \
    ((I) / pixel_bytes % 2 ? b                                                                     \
                           : a)[(I) / 16 * 16 + from +                                             \
                                (I) % 16 / (2 * pixel_bytes) * pixel_bytes + (I) % pixel_bytes]
#define FOUR_BYTES(I) BYTE(I), BYTE((I) + 1), BYTE((I) + 2), BYTE((I) + 3)
#define LANE(I) FOUR_BYTES(I), FOUR_BYTES((I) + 4), FOUR_BYTES((I) + 8), FOUR_BYTES((I) + 12)
#if LANES == 4
    return (vector){LANE(0), LANE(16), LANE(32), LANE(48)};
#elif LANES == 2
    return (vector){LANE(0), LANE(16)};
#else
    return (vector){LANE(0)};
#endif
}

/* Transposes squares of n x n pixels side by side: each of the n vectors holds one row, of 16
 * bytes, of every square. Number the pixels of a square row by row: the upper bits of a number are
 * the pixel's row, the lower bits its column. Interleaving the first n / 2 rows with the last n / 2
 * moves the top bit of each number to its lower end. If that is done once for each bit of the row,
 * rows and columns are exchanged. */
INLINED void transpose_squares(vector *rows, size_t n, size_t pixel_bytes)
{
    for (size_t bit = 1; bit < n; bit *= 2) {
        vector shuffled[16];

        UNROLLED
        for (size_t i = 0; i < n / 2; i++) {
            shuffled[2 * i] = interleaved(rows[i], rows[i + n / 2], pixel_bytes, 0);
            shuffled[2 * i + 1] = interleaved(rows[i], rows[i + n / 2], pixel_bytes, 8);
        }
        UNROLLED
        for (size_t i = 0; i < n; i++)
            rows[i] = shuffled[i];
    }
}

INLINED void transpose_pixels(const char *src, int64_t stride, char *block, size_t pixel_bytes)
{
    const size_t n = 16 / pixel_bytes, pitch = BLOCK_ROWS * pixel_bytes;

    for (size_t y = 0; y < BLOCK_ROWS; y += n)
        for (size_t x = 0; x < BLOCK_BYTES; x += VECTOR_BYTES) {
            char *target = block + x / pixel_bytes * pitch + y * pixel_bytes;
            vector rows[16];

            UNROLLED
            for (size_t i = 0; i < n; i++)
                rows[i] = load(src + (int64_t)(y + i) * stride + x);
            for (size_t i = 0; i < n; i++)
                __builtin_prefetch(src + (int64_t)(y + i + BLOCK_ROWS) * stride + x);
            transpose_squares(rows, n, pixel_bytes);
            UNROLLED
            for (size_t i = 0; i < n; i++)
                UNROLLED
            for (size_t lane = 0; lane < LANES; lane++)
                memcpy(target + (lane * n + i) * pitch, (char *)&rows[i] + 16 * lane, 16);
        }
}

static void transpose(const char *src, int64_t stride, char *block, size_t pixel_bytes)
{
    switch (pixel_bytes) {
    case 1:
        transpose_pixels(src, stride, block, 1);
        break;
    case 2:
        transpose_pixels(src, stride, block, 2);
        break;
    case 4:
        transpose_pixels(src, stride, block, 4);
        break;
    default:
        transpose_pixels(src, stride, block, 8);
    }
}

static void put(const char *src, char *target, size_t n)
{
#ifdef __AVX512BW__
    for (size_t i = 0; i < n; i += 64)
        _mm512_stream_si512((void *)(target + i), _mm512_loadu_si512(src + i));
#elif defined __AVX2__
    for (size_t i = 0; i < n; i += 32)
        _mm256_stream_si256((void *)(target + i), _mm256_loadu_si256((const void *)(src + i)));
#else
    memcpy(target, src, n);
#endif
}

static void settle(void)
{
#ifdef __AVX2__
    _mm_sfence();
#endif
}

extern const struct transpose_loops FOR_ISA(transpose_loops);
const struct transpose_loops FOR_ISA(transpose_loops) = {
    .transpose = transpose,
    .put = put,
    .settle = settle,
};
