/* SPDX-License-Identifier: MIT */
/* Reverses rows, 16 bytes at a time, since the shuffle instructions of all instruction sets
 * (common/isa.h) move bytes only within 16 bytes. */
#include "kernels/reverse/loops.h"

#include "kernels/common/isa.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <immintrin.h>
#endif

#define INLINED static inline __attribute__((always_inline))
#define UNROLLED _Pragma("GCC unroll 4")
#define LINE 64 /* bytes of a cache line */
#define LANE 16 /* bytes that a shuffle permutes */

typedef uint8_t lane __attribute__((vector_size(LANE)));
typedef uint16_t words __attribute__((vector_size(LANE)));
typedef uint32_t ints __attribute__((vector_size(LANE)));

#if defined __AVX2__ || defined LEVEL_NEON
#define SHUFFLES true /* one instruction puts the bytes of a vector in any order */
#else
#define SHUFFLES false
#endif

/* Returns the index of the byte that moves to byte i. As many pixels as fit in 16 bytes, from byte
 * 0 on, are reversed. The reversed pixels end at byte 15; the bytes before them are copies of byte
 * 0. */
INLINED size_t source_of(size_t i, size_t pixel_bytes)
{
    const size_t whole = LANE / pixel_bytes * pixel_bytes, byte = i + whole - LANE;

    return i + whole < LANE
               ? 0
               : whole - pixel_bytes - byte / pixel_bytes * pixel_bytes + byte % pixel_bytes;
}

/* Reverses the pixels of 16 bytes. Callers pass a constant as pixel_bytes, so that with SHUFFLES
 * this compiles to one instruction. Without SHUFFLES pixel_bytes must divide 16. */
INLINED lane reversed(lane a, size_t pixel_bytes)
{
    const size_t unit = SHUFFLES || pixel_bytes > 4 ? pixel_bytes : 4;

#define BYTE(I) a[source_of(I, unit)]
    a = (lane){BYTE(0), BYTE(1), BYTE(2),  BYTE(3),  BYTE(4),  BYTE(5),  BYTE(6),  BYTE(7),
               BYTE(8), BYTE(9), BYTE(10), BYTE(11), BYTE(12), BYTE(13), BYTE(14), BYTE(15)};
    if (pixel_bytes <= unit / 2)
        a = (lane)((ints)a << 16 | (ints)a >> 16);
    if (pixel_bytes <= unit / 4)
        a = (lane)((words)a << 8 | (words)a >> 8);
    return a;
}

INLINED lane lane_load(const char *from)
{
    lane value;

    memcpy(&value, from, sizeof value);
    return value;
}

INLINED void lane_store(char *to, lane value)
{
    memcpy(to, &value, sizeof value);
}

/* Stores to an aligned address, past the caches if the processor can do that. */
INLINED void lane_stream(char *to, lane value)
{
#ifdef __SSE2__
    _mm_stream_si128((void *)to, (__m128i)value);
#else
    lane_store(to, value);
#endif
}

/* Copies the pixels from byte `done` of the row on, one by one, to their places in the reversed
 * row. */
INLINED void reverse_rest(const char *src, char *dst_end, size_t row_bytes, size_t pixel_bytes,
                          size_t done)
{
    for (; done < row_bytes; done += pixel_bytes)
        memcpy(dst_end - done - pixel_bytes, src + done, pixel_bytes);
}

/* Copies the pixels that lie after the target's last whole cache line, and then writes whole cache
 * lines, which the processor need not read first. Returns how many bytes of the row are done: 0 if
 * pixel_bytes does not divide 16, or if no pixel begins where a cache line begins. */
INLINED size_t reverse_lines(const char *src, char *dst_end, size_t row_bytes, size_t pixel_bytes)
{
    const size_t odd = (uintptr_t)dst_end % LINE;
    size_t done = odd < row_bytes ? odd : row_bytes;

    if (LANE % pixel_bytes != 0 || odd % pixel_bytes != 0)
        return 0;
    reverse_rest(src, dst_end, done, pixel_bytes, 0);
    for (; done + LINE <= row_bytes; done += LINE)
        for (size_t i = done; i < done + LINE; i += LANE)
            lane_stream(dst_end - i - LANE, reversed(lane_load(src + i), pixel_bytes));
    return done;
}

/* Reverses as many pixels at a time as fit in 16 bytes. If they fill fewer than 16 bytes, a store
 * also overwrites the bytes before them in the target; later stores put the right values there. */
INLINED void reverse_pixels(const char *src, char *dst_end, size_t row_bytes, size_t pixel_bytes)
{
    const size_t whole = LANE / pixel_bytes * pixel_bytes;
    size_t done = reverse_lines(src, dst_end, row_bytes, pixel_bytes);

    if (SHUFFLES || whole == LANE)
        UNROLLED
    for (char *to = dst_end - done - LANE; done + LANE <= row_bytes; done += whole, to -= whole)
        lane_store(to, reversed(lane_load(src + done), pixel_bytes));
    reverse_rest(src, dst_end, row_bytes, pixel_bytes, done);
}

#define CASE(BYTES)                                                                                \
    case BYTES:                                                                                    \
        reverse_pixels(src, dst_end, row_bytes, BYTES);                                            \
        break;

static void reverse_row(const char *src, char *dst_end, size_t row_bytes, size_t pixel_bytes)
{
    switch (pixel_bytes) {
        CASE(1)
        CASE(2)
        CASE(3)
        CASE(4)
        CASE(5)
        CASE(6)
        CASE(7)
        CASE(8)
        CASE(9)
        CASE(10)
        CASE(12)
        CASE(14)
        CASE(16)
    default:
        reverse_rest(src, dst_end, row_bytes, pixel_bytes, 0);
    }
}

static void settle(void)
{
#ifdef __SSE2__
    _mm_sfence();
#endif
}

extern const struct reverse_loops FOR_ISA(reverse_loops);
const struct reverse_loops FOR_ISA(reverse_loops) = {
    .reverse_row = reverse_row,
    .settle = settle,
};
