/* SPDX-License-Identifier: MIT */
/* Compiled once for each instruction set, ISA being its name: reversed rows. A vector of
 * the source, its pixels in reverse order, is a vector of the target. */
#include "kernels/reverse/loops.h"

#include "kernels/common/isa.h"

#include <stdint.h>
#include <string.h>

#ifdef __AVX2__
#include <immintrin.h>
#define SHUFFLES
typedef __m128i lane;

static inline lane lane_load(const void *from)
{
    return _mm_loadu_si128(from);
}

static inline void lane_store(void *to, lane value)
{
    _mm_storeu_si128(to, value);
}

static inline lane shuffled(lane value, lane shuffle)
{
    return _mm_shuffle_epi8(value, shuffle);
}
#elif defined LEVEL_NEON
#include <arm_neon.h>
#define SHUFFLES
typedef uint8x16_t lane;

static inline lane lane_load(const void *from)
{
    return vld1q_u8(from);
}

static inline void lane_store(void *to, lane value)
{
    vst1q_u8(to, value);
}

static inline lane shuffled(lane value, lane shuffle)
{
    return vqtbl1q_u8(value, shuffle);
}
#endif

#define LINE 64 /* bytes of a cache line */
#define LANE 16 /* bytes that one shuffle can permute freely, at every level that has one */

/* From byte `done` of the row on, pixel by pixel. */
static void reverse_rest(const char *src, char *dst_end, size_t row_bytes, size_t pixel_bytes,
                         size_t done)
{
    for (; done < row_bytes; done += pixel_bytes)
        memcpy(dst_end - done - pixel_bytes, src + done, pixel_bytes);
}

#ifdef SHUFFLES
/* A shuffle that reverses the order of the whole pixels in 16 bytes, and leaves them at the end of
 * 16. */
static lane reversal(size_t pixel_bytes)
{
    const size_t whole = LANE / pixel_bytes * pixel_bytes;
    uint8_t sources[LANE];

    for (size_t i = 0; i < LANE; i++) {
        const size_t byte = i - (LANE - whole); /* of the reversed pixels; before them anything */

        sources[i] =
            (uint8_t)(whole - pixel_bytes - byte / pixel_bytes * pixel_bytes + byte % pixel_bytes) %
            LANE;
    }
    return lane_load(sources);
}

/* The 64 bytes at src, reversed, to dst: past the caches, if the processor can. */
static inline void reverse_line(const char *src, char *dst, lane shuffle)
{
#ifdef __AVX512BW__
    const __m512i lanes =
        _mm512_shuffle_epi8(_mm512_loadu_si512(src), _mm512_broadcast_i32x4(shuffle));

    _mm512_stream_si512((void *)dst, _mm512_shuffle_i64x2(lanes, lanes, 0x1b));
#elif defined __AVX2__
    for (int half = 0; half < 2; half++) {
        const __m256i value = _mm256_loadu_si256((const void *)(src + 32 * half));
        const __m256i lanes = _mm256_shuffle_epi8(value, _mm256_broadcastsi128_si256(shuffle));

        _mm256_stream_si256((void *)(dst + 32 * (1 - half)), _mm256_permute4x64_epi64(lanes, 0x4e));
    }
#else
    for (int i = 0; i < LINE; i += LANE)
        lane_store(dst + LINE - LANE - i, shuffled(lane_load(src + i), shuffle));
#endif
}

/* Pixels that divide 16 bytes: whole lines of the target, which then need not be read before they
 * are written. Returns how many bytes are done. */
static size_t reverse_vectors(const char *src, char *dst_end, size_t row_bytes, size_t pixel_bytes)
{
    const lane shuffle = reversal(pixel_bytes);
    const size_t odd = (uintptr_t)dst_end % LINE;
    size_t done = odd < row_bytes ? odd : row_bytes;

    if (odd % pixel_bytes != 0)
        return 0;
    reverse_rest(src, dst_end, done, pixel_bytes, 0);
    for (; done + LINE <= row_bytes; done += LINE)
        reverse_line(src + done, dst_end - done - LINE, shuffle);
    return done;
}

/* Other pixels, as many at a time as 16 bytes hold. A store begins a few bytes too early; these
 * belong to pixels that come later, and are written again then. */
static size_t reverse_groups(const char *src, char *dst_end, size_t row_bytes, size_t pixel_bytes)
{
    const size_t whole = LANE / pixel_bytes * pixel_bytes;
    const lane shuffle = reversal(pixel_bytes);
    size_t done = 0;

    for (; done + LANE <= row_bytes; done += whole)
        lane_store(dst_end - done - LANE, shuffled(lane_load(src + done), shuffle));
    return done;
}
#else
/* The word with its pixels of 1, 2, 4 or 8 bytes in reverse order. */
static inline uint64_t reversed_word(uint64_t word, size_t pixel_bytes)
{
    if (pixel_bytes == 1)
        return __builtin_bswap64(word);
    if (pixel_bytes == 2)
        word = (word & 0x0000ffff0000ffff) << 16 | (word >> 16 & 0x0000ffff0000ffff);
    return pixel_bytes == 8 ? word : word << 32 | word >> 32;
}

/* Pixels that divide 8 bytes, a word at a time. Inlined with a constant pixel_bytes. */
static inline __attribute__((always_inline)) size_t
reverse_words(const char *src, char *dst_end, size_t row_bytes, size_t pixel_bytes)
{
    size_t done = 0;

    for (; done + 8 <= row_bytes; done += 8) {
        uint64_t word;

        memcpy(&word, src + done, 8);
        word = reversed_word(word, pixel_bytes);
        memcpy(dst_end - done - 8, &word, 8);
    }
    return done;
}

static size_t reverse_vectors(const char *src, char *dst_end, size_t row_bytes, size_t pixel_bytes)
{
    switch (pixel_bytes) {
    case 1:
        return reverse_words(src, dst_end, row_bytes, 1);
    case 2:
        return reverse_words(src, dst_end, row_bytes, 2);
    case 4:
        return reverse_words(src, dst_end, row_bytes, 4);
    case 8:
        return reverse_words(src, dst_end, row_bytes, 8);
    default:
        return 0;
    }
}

/* Three or six bytes by copies of constant size. */
static size_t reverse_groups(const char *src, char *dst_end, size_t row_bytes, size_t pixel_bytes)
{
    size_t done = 0;

    for (; pixel_bytes == 3 && done < row_bytes; done += 3)
        memcpy(dst_end - done - 3, src + done, 3);
    for (; pixel_bytes == 6 && done < row_bytes; done += 6)
        memcpy(dst_end - done - 6, src + done, 6);
    return done;
}
#endif

static void reverse_row(const char *src, char *dst_end, size_t row_bytes, size_t pixel_bytes)
{
    size_t done = 0;

    if (LANE % pixel_bytes == 0)
        done = reverse_vectors(src, dst_end, row_bytes, pixel_bytes);
    else if (pixel_bytes < LANE)
        done = reverse_groups(src, dst_end, row_bytes, pixel_bytes);
    reverse_rest(src, dst_end, row_bytes, pixel_bytes, done);
}

static void settle(void)
{
#ifdef __AVX2__
    _mm_sfence();
#endif
}

extern const struct reverse_loops FOR_ISA(reverse_loops);
const struct reverse_loops FOR_ISA(reverse_loops) = {
    .reverse_row = reverse_row,
    .settle = settle,
};
