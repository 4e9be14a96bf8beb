/* SPDX-License-Identifier: MIT */
/* The operations that vectors.h lists, in NEON of 64-bit ARM. NEON cannot add the products of pairs
 * in one instruction, so u8/rows_neon.h has its own first pass. */
#ifndef SMOOTHIMG_SMOOTH_VECTORS_NEON_H
#define SMOOTHIMG_SMOOTH_VECTORS_NEON_H

#define LANE_BITS 1

/* madd_first() returns sums + b times the first half of the words of a; madd_last() returns sums +
 * b times the last half. */
INLINED ints madd_first(ints sums, words a, int16_t b)
{
    return (ints)vmlal_n_s16((int32x4_t)sums, vget_low_s16((int16x8_t)a), b);
}

INLINED ints madd_last(ints sums, words a, int16_t b)
{
    return (ints)vmlal_high_n_s16((int32x4_t)sums, (int16x8_t)a, b);
}

/* words_upper() returns the upper words of the ints of a, followed by those of b; words_lower()
 * returns their lower words. */
INLINED words words_upper(ints a, ints b)
{
    return (words)vuzp2q_s16((int16x8_t)a, (int16x8_t)b);
}

INLINED words words_lower(ints a, ints b)
{
    return (words)vuzp1q_s16((int16x8_t)a, (int16x8_t)b);
}

INLINED words words_min(words a, words b)
{
    return (words)vminq_u16((uint16x8_t)a, (uint16x8_t)b);
}

INLINED uint32_t small_lanes(words value, uint16_t limit)
{
    const uint16x8_t lanes = {1, 2, 4, 8, 16, 32, 64, 128};

    return vaddvq_u16(vandq_u16(lanes, vcleq_u16((uint16x8_t)value, vdupq_n_u16(limit))));
}

INLINED bool any_small(words value, uint16_t limit)
{
    return vminvq_u16((uint16x8_t)value) <= limit;
}

INLINED void bytes_store(uint8_t *to, words a, words b)
{
    vst1q_u8(to, vqmovun_high_s16(vqmovun_s16((int16x8_t)a), (int16x8_t)b));
}

#endif
