/* SPDX-License-Identifier: MIT */
/* The operations that vectors.h lists, in vectors of 16 bytes, for any processor. */
#ifndef SMOOTHIMG_SMOOTH_VECTORS_PORTABLE_H
#define SMOOTHIMG_SMOOTH_VECTORS_PORTABLE_H

#define INTERLEAVED(A, B, ...) __builtin_shufflevector(A, B, __VA_ARGS__)
#define LANE_BITS 1

INLINED words words_widened(const uint8_t *from)
{
    typedef uint8_t bytes __attribute__((vector_size(WORDS)));
    bytes narrow;

    memcpy(&narrow, from, sizeof narrow);
    return __builtin_convertvector(narrow, words);
}

INLINED void bytes_widened(const uint8_t *from, words wide[2])
{
    wide[0] = words_widened(from);
    wide[1] = words_widened(from + WORDS);
}

INLINED void bytes_added(const uint8_t *a, const uint8_t *b, words sums[2])
{
    sums[0] = words_widened(a) + words_widened(b);
    sums[1] = words_widened(a + WORDS) + words_widened(b + WORDS);
}

INLINED words words_pair(const int16_t *two)
{
    const int16_t a = two[0], b = two[1];

    return (words){a, b, a, b, a, b, a, b};
}

INLINED ints madd(ints sums, words a, words b)
{
    typedef int16_t half __attribute__((vector_size(8)));
    const half a_even = INTERLEAVED(a, a, 0, 2, 4, 6), a_odd = INTERLEAVED(a, a, 1, 3, 5, 7);
    const half b_even = INTERLEAVED(b, b, 0, 2, 4, 6), b_odd = INTERLEAVED(b, b, 1, 3, 5, 7);

    sums += __builtin_convertvector(a_even, ints) * __builtin_convertvector(b_even, ints);
    return sums + __builtin_convertvector(a_odd, ints) * __builtin_convertvector(b_odd, ints);
}

INLINED words words_low(words a, words b)
{
    return INTERLEAVED(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}

INLINED words words_high(words a, words b)
{
    return INTERLEAVED(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}

INLINED words words_joined(ints low, ints high)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ /* the upper word comes first */
    return INTERLEAVED((words)low, (words)high, 1, 8, 3, 10, 5, 12, 7, 14);
#else
    return (words)((low & 0xffff) | (high & ~0xffff));
#endif
}

INLINED words words_packed(ints a, ints b)
{
    return (words){(int16_t)a[0], (int16_t)a[1], (int16_t)a[2], (int16_t)a[3],
                   (int16_t)b[0], (int16_t)b[1], (int16_t)b[2], (int16_t)b[3]};
}

INLINED words words_min(words a, words b)
{
    typedef uint16_t unsigned_words __attribute__((vector_size(VECTOR_BYTES)));
    const words a_is_less = (unsigned_words)a < (unsigned_words)b;

    return (a & a_is_less) | (b & ~a_is_less);
}

INLINED uint32_t small_lanes(words value, uint16_t limit)
{
    uint32_t lanes = 0;

    for (int i = 0; i < WORDS; i++)
        lanes |= (uint32_t)((uint16_t)value[i] <= limit) << i;
    return lanes;
}

INLINED bool any_small(words value, uint16_t limit)
{
    const words small = words_min(value, (words){0} + (int16_t)limit) == value;
    int64_t halves[2];

    memcpy(halves, &small, sizeof halves);
    return (halves[0] | halves[1]) != 0;
}

INLINED void bytes_store(uint8_t *to, words a, words b)
{
    for (int i = 0; i < WORDS; i++) {
        to[i] = (uint8_t)(a[i] < 255 ? a[i] : 255);
        to[i + WORDS] = (uint8_t)(b[i] < 255 ? b[i] : 255);
    }
}

#endif
