/* SPDX-License-Identifier: MIT */
/* Compiled once for each instruction set, ISA being its name: squares of pixels that are
 * transposed in registers. */
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

/* Of each 16 bytes the first (last) halves of a and b, their pixels by turns. */
#define INTERLEAVE(NAME, INTRINSIC, TYPE)                                                          \
    INLINED vector NAME(vector a, vector b)                                                        \
    {                                                                                              \
        return (vector)INTRINSIC((TYPE)a, (TYPE)b);                                                \
    }
#ifdef __AVX512BW__
INTERLEAVE(low_1, _mm512_unpacklo_epi8, __m512i)
INTERLEAVE(high_1, _mm512_unpackhi_epi8, __m512i)
INTERLEAVE(low_2, _mm512_unpacklo_epi16, __m512i)
INTERLEAVE(high_2, _mm512_unpackhi_epi16, __m512i)
INTERLEAVE(low_4, _mm512_unpacklo_epi32, __m512i)
INTERLEAVE(high_4, _mm512_unpackhi_epi32, __m512i)
INTERLEAVE(low_8, _mm512_unpacklo_epi64, __m512i)
INTERLEAVE(high_8, _mm512_unpackhi_epi64, __m512i)
#elif defined __AVX2__
INTERLEAVE(low_1, _mm256_unpacklo_epi8, __m256i)
INTERLEAVE(high_1, _mm256_unpackhi_epi8, __m256i)
INTERLEAVE(low_2, _mm256_unpacklo_epi16, __m256i)
INTERLEAVE(high_2, _mm256_unpackhi_epi16, __m256i)
INTERLEAVE(low_4, _mm256_unpacklo_epi32, __m256i)
INTERLEAVE(high_4, _mm256_unpackhi_epi32, __m256i)
INTERLEAVE(low_8, _mm256_unpacklo_epi64, __m256i)
INTERLEAVE(high_8, _mm256_unpackhi_epi64, __m256i)
#else
typedef uint16_t vector_2 __attribute__((vector_size(16)));
typedef uint32_t vector_4 __attribute__((vector_size(16)));
typedef uint64_t vector_8 __attribute__((vector_size(16)));
#define LOW_1(A, B)                                                                                \
    __builtin_shufflevector(A, B, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HIGH_1(A, B)                                                                               \
    __builtin_shufflevector(A, B, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define LOW_2(A, B) __builtin_shufflevector(A, B, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH_2(A, B) __builtin_shufflevector(A, B, 4, 12, 5, 13, 6, 14, 7, 15)
#define LOW_4(A, B) __builtin_shufflevector(A, B, 0, 4, 1, 5)
#define HIGH_4(A, B) __builtin_shufflevector(A, B, 2, 6, 3, 7)
#define LOW_8(A, B) __builtin_shufflevector(A, B, 0, 2)
#define HIGH_8(A, B) __builtin_shufflevector(A, B, 1, 3)
INTERLEAVE(low_1, LOW_1, vector)
INTERLEAVE(high_1, HIGH_1, vector)
INTERLEAVE(low_2, LOW_2, vector_2)
INTERLEAVE(high_2, HIGH_2, vector_2)
INTERLEAVE(low_4, LOW_4, vector_4)
INTERLEAVE(high_4, HIGH_4, vector_4)
INTERLEAVE(low_8, LOW_8, vector_8)
INTERLEAVE(high_8, HIGH_8, vector_8)
#endif

INLINED vector low(vector a, vector b, size_t pixel_bytes)
{
    switch (pixel_bytes) {
    case 1:
        return low_1(a, b);
    case 2:
        return low_2(a, b);
    case 4:
        return low_4(a, b);
    default:
        return low_8(a, b);
    }
}

INLINED vector high(vector a, vector b, size_t pixel_bytes)
{
    switch (pixel_bytes) {
    case 1:
        return high_1(a, b);
    case 2:
        return high_2(a, b);
    case 4:
        return high_4(a, b);
    default:
        return high_8(a, b);
    }
}

/* n rows of n pixels, in every 16 bytes of the vectors. Number the pixels row by row: the upper
 * bits of a number are the row, the lower the column. To interleave the first half of all pixels
 * with the second moves the number's first bit to its end; once for each bit of the row, and rows
 * and columns have changed places. */
INLINED void transpose_squares(vector *rows, size_t n, size_t pixel_bytes)
{
    for (size_t bit = 1; bit < n; bit *= 2) {
        vector shuffled[16];

        UNROLLED
        for (size_t i = 0; i < n / 2; i++) {
            shuffled[2 * i] = low(rows[i], rows[i + n / 2], pixel_bytes);
            shuffled[2 * i + 1] = high(rows[i], rows[i + n / 2], pixel_bytes);
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
