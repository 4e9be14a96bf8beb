/* SPDX-License-Identifier: MIT */
/* The operations that vectors.h lists, in NEON of 64-bit ARM. There is no instruction that adds the
 * products of pairs: u8/rows_neon.h does without. */
#ifndef SMOOTHIMG_SMOOTH_VECTORS_NEON_H
#define SMOOTHIMG_SMOOTH_VECTORS_NEON_H

static inline words words_widened(const uint8_t *from)
{
    return (words)vmovl_u8(vld1_u8(from));
}

/* Returns sums + the first (last) half of the words times b. */
static inline ints madd_first(ints sums, words a, int16_t b)
{
    return (ints)vmlal_n_s16((int32x4_t)sums, vget_low_s16((int16x8_t)a), b);
}

static inline ints madd_last(ints sums, words a, int16_t b)
{
    return (ints)vmlal_high_n_s16((int32x4_t)sums, (int16x8_t)a, b);
}

/* Returns the upper (lower) words of the ints a, followed by those of b. */
static inline words words_upper(ints a, ints b)
{
    return (words)vuzp2q_s16((int16x8_t)a, (int16x8_t)b);
}

static inline words words_lower(ints a, ints b)
{
    return (words)vuzp1q_s16((int16x8_t)a, (int16x8_t)b);
}

static inline uint32_t negative_ints(ints value)
{
    const uint32x4_t lanes = {1, 2, 4, 8};

    return vaddvq_u32(vandq_u32(lanes, vcltzq_s32((int32x4_t)value)));
}

static inline uint32_t negative_wides(ints value)
{
    const uint64x2_t lanes = {1, 2};

    return (uint32_t)vaddvq_u64(vandq_u64(lanes, vcltzq_s64((int64x2_t)value)));
}

static inline words words_min(words a, words b)
{
    return (words)vminq_u16((uint16x8_t)a, (uint16x8_t)b);
}

static inline uint32_t small_lanes(words value, uint16_t limit)
{
    const uint16x8_t lanes = {1, 2, 4, 8, 16, 32, 64, 128};

    return vaddvq_u16(vandq_u16(lanes, vcleq_u16((uint16x8_t)value, vdupq_n_u16(limit))));
}

static inline bool any_small(words value, uint16_t limit)
{
    return vminvq_u16((uint16x8_t)value) <= limit;
}

static inline void bytes_store(uint8_t *to, words a, words b, bool in_order)
{
    (void)in_order; /* a vector is one group of 128 bits, which is in order */
    vst1q_u8(to, vqmovun_high_s16(vqmovun_s16((int16x8_t)a), (int16x8_t)b));
}

#endif
