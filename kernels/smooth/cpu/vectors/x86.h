/* SPDX-License-Identifier: MIT */
/* The operations that vectors.h lists, in SSE2, AVX2 and AVX-512. */
#ifndef SMOOTHIMG_SMOOTH_VECTORS_X86_H
#define SMOOTHIMG_SMOOTH_VECTORS_X86_H

INLINED integers integers_at(const void *from)
{
    integers value;

    memcpy(&value, from, sizeof value);
    return value;
}

INLINED void bytes_widened(const uint8_t *from, words wide[2])
{
    const integers bytes = integers_at(from), zero = {0};

    wide[0] = (words)X86(unpacklo_epi8)(bytes, zero);
    wide[1] = (words)X86(unpackhi_epi8)(bytes, zero);
}

INLINED void bytes_added(const uint8_t *a, const uint8_t *b, words sums[2])
{
#ifdef __AVX2__
    const integers first = integers_at(a), ones = X86(set1_epi8)(1);
    integers second = integers_at(b);

    HELD(second); /* gcc 12 would store it on the stack and load it again */
    sums[0] = (words)X86(maddubs_epi16)(X86(unpacklo_epi8)(first, second), ones);
    sums[1] = (words)X86(maddubs_epi16)(X86(unpackhi_epi8)(first, second), ones);
#else
    words others[2];

    bytes_widened(a, sums);
    bytes_widened(b, others);
    sums[0] += others[0];
    sums[1] += others[1];
#endif
}

INLINED words words_pair(const int16_t *two)
{
    int32_t both;

    memcpy(&both, two, sizeof both);
    return (words)X86(set1_epi32)(both);
}

INLINED ints madd(ints sums, words a, words b)
{
#ifdef __AVX512VNNI__
    return (ints)_mm512_dpwssd_epi32((integers)sums, (integers)a, (integers)b);
#else
    return sums + (ints)X86(madd_epi16)((integers)a, (integers)b);
#endif
}

INLINED words words_low(words a, words b)
{
    return (words)X86(unpacklo_epi16)((integers)a, (integers)b);
}

INLINED words words_high(words a, words b)
{
    return (words)X86(unpackhi_epi16)((integers)a, (integers)b);
}

INLINED words words_joined(ints low, ints high)
{
#if defined __AVX2__ && !defined __AVX512BW__
    return (words)X86(blend_epi16)((integers)low, (integers)high, 0xaa);
#else
    return (words)((low & 0xffff) | (high & ~0xffff));
#endif
}

INLINED words words_packed(ints a, ints b)
{
    return (words)X86(packs_epi32)((integers)a, (integers)b);
}

INLINED words words_min(words a, words b)
{
#ifdef __AVX2__
    return (words)X86(min_epu16)((integers)a, (integers)b);
#else
    const integers above = X86(subs_epu16)((integers)a, (integers)b);

    return (words)X86(sub_epi16)((integers)a, above);
#endif
}

#ifdef __AVX512BW__
#define LANE_BITS 1
#else
#define LANE_BITS 2
#endif

INLINED uint32_t small_lanes(words value, uint16_t limit)
{
#ifdef __AVX512BW__
    return X86(cmple_epu16_mask)((integers)value, X86(set1_epi16)((int16_t)limit));
#else
    const words small = words_min(value, (words)X86(set1_epi16)((int16_t)limit)) == value;

    return (uint32_t)X86(movemask_epi8)((integers)small) & 0x55555555;
#endif
}

INLINED bool any_small(words value, uint16_t limit)
{
    return small_lanes(value, limit) != 0;
}

INLINED void bytes_store(uint8_t *to, words a, words b)
{
    const integers bytes = X86(packus_epi16)((integers)a, (integers)b);

    memcpy(to, &bytes, sizeof bytes);
}

#endif
