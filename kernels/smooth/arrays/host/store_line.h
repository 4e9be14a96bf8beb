/* SPDX-License-Identifier: MIT */
/* Does the last pass if it adds only one part, a sum of products along the row: rounds the sums and
 * stores them from registers. Only loops.c includes this file.
 *
 * A number is plain if it is 0 or at least LEAST_PLAIN (2^-600). */
#ifndef SMOOTHIMG_ARRAYS_STORE_LINE_H
#define SMOOTHIMG_ARRAYS_STORE_LINE_H

/* The greatest distance of the exact number from its estimate e: `bound`, or, for close_plain(),
 * `spread` units of e's last place. */
struct distance {
    vector bound;
    truths spread;
};

/* close_NAME rounds numbers, which are finite and not -0, to samples at dst. It returns a mask of
 * the lanes that may be wrong, as the functions in store.h do. */
#define close_u8(VALUE, FROM, DST) round_all_u8(VALUE, (FROM)->bound, DST)
#define close_u16(VALUE, FROM, DST) round_all_u16(VALUE, (FROM)->bound, DST)
#define close_i16(VALUE, FROM, DST) round_all_i16(VALUE, (FROM)->bound, DST)

INLINED few_bits close_f32(vector value, const struct distance *from, char *dst)
{
    return round_floats(value - from->bound, value + from->bound, dst);
}

#define FLOAT_LACKS 29 /* bits of a double's significand that a float lacks */

/* The midpoints between two floats are the doubles whose last FLOAT_LACKS bits are 2^28. If the
 * last FLOAT_LACKS bits of the estimate e are not within `spread` of 2^28, no midpoint is between e
 * and the exact number, and both round to the same float. That is also true where a power of two is
 * between e and the exact number, so that their last places have different units: then the nearest
 * midpoint is at least 2^27 units of e's last place away. From 2^128 on both become infinite. Below
 * 2^-126 floats have other midpoints, but e and the exact number are 0 or at least 2^-126. */
INLINED truths close_plain(vector value, const struct distance *from, char *dst)
{
    const halves nearest = narrowed(value);
    const truths middle = (truths){0} + ((int64_t)1 << (FLOAT_LACKS - 1));
    const truths above = ((truths)value + (middle + from->spread)) & (2 * middle - 1);

    memcpy(dst, &nearest, sizeof nearest);
    return above - 2 * from->spread;
}

/* Returns the only part of the line: a sum of products along the row. If `halo` is a constant, at
 * most FEW_TAPS, the part points to a local copy of the taps, so that the compiler knows that no
 * store changes them. */
INLINED struct array_part part_of(const struct array_line *line, int64_t halo, double *taps)
{
    const struct array_part part = line->parts[0];

    if (halo > FEW_TAPS)
        return part;
    UNROLLED
    for (int64_t k = 0; k <= halo; k++)
        taps[k] = part.taps[k];
    return (struct array_part){part.centre, taps, halo, false, true};
}

/* Computes `vectors` vectors of sums from index x on. few: the part's halo is a constant, at most
 * FEW_TAPS. */
INLINED void sum_some(const struct array_part *part, int64_t step, bool few, int64_t x, int vectors,
                      vector *sums)
{
    UNROLLED
    for (int i = 0; i < vectors; i += VECTORS)
        if (few)
            sum_pairs(part, step, false, x + WIDTH * i, sums + i);
        else
            sum_part(part, step, x + WIDTH * i, sums + i);
}

INLINED void fetch_ahead(const struct array_line *line, int64_t x, int64_t bytes)
{
    if (!line->to_read)
        return;
    __builtin_prefetch(line->to_read + x * line->bytes, 0, 3);
    __builtin_prefetch(line->to_write + x * bytes, 1, 3);
}

/* Defines store_line##STEM. store_part##STEM gets `halo` as a constant, so that its loop over the
 * taps is unrolled: the part's halo, from 1 to FEW_TAPS, if the taps are symmetric and none is 0.
 * Otherwise it gets MAX_HALO, and uses the part's own halo. The last `block` results may overlap
 * those before them. */
#define DEFINE_STORE_LINE(STEM, TYPE)                                                              \
    INLINED bool store_part##STEM(int64_t halo, const struct array_line *line, int64_t n,          \
                                  char *dst)                                                       \
    {                                                                                              \
        const int64_t step = line->step, block = VECTORS * WIDTH, bytes = sizeof(TYPE);            \
        const double *const bounds = line->bounds;                                                 \
        double taps[FEW_TAPS + 1];                                                                 \
        const struct array_part part = part_of(line, halo, taps);                                  \
        struct distance from = {all(0), (truths){0} + line->spread};                               \
        __typeof__(close##STEM(all(0), &from, NULL)) open = {0};                                   \
                                                                                                   \
        for (int64_t begin = 0; begin < n; begin += block) {                                       \
            const int64_t x = begin + block <= n ? begin : n - block;                              \
            const double before = bounds[x / ARRAY_BLOCK], last = bounds[begin / ARRAY_BLOCK];     \
            vector sums[VECTORS];                                                                  \
                                                                                                   \
            from.bound = all(before > last ? before : last);                                       \
            fetch_ahead(line, x, bytes);                                                           \
            sum_some(&part, step, halo <= FEW_TAPS, x, VECTORS, sums);                             \
            UNROLLED                                                                               \
            for (int i = 0; i < VECTORS; i++)                                                      \
                open |= close##STEM(sums[i], &from, dst + (x + WIDTH * i) * bytes);                \
        }                                                                                          \
        return !ANY_OPEN(open);                                                                    \
    }                                                                                              \
                                                                                                   \
    static bool store_line##STEM(const struct array_line *line, int64_t n, char *dst)              \
    {                                                                                              \
        const struct array_part *part = &line->parts[0];                                           \
                                                                                                   \
        if (n < VECTORS * WIDTH)                                                                   \
            return false;                                                                          \
        return FOR_FEW_TAPS(part->dense && !part->odd ? part->halo : 0,                            \
                            store_part##STEM(MAX_HALO, line, n, dst), store_part##STEM, line, n,   \
                            dst);                                                                  \
    }

DEFINE_STORE_LINE(_u8, uint8_t)
DEFINE_STORE_LINE(_u16, uint16_t)
DEFINE_STORE_LINE(_i16, int16_t)
DEFINE_STORE_LINE(_f32, float)
DEFINE_STORE_LINE(_plain, float)

static bool store_line_floats(const struct array_line *line, int64_t n, char *dst)
{
    return line->spread > 0 ? store_line_plain(line, n, dst) : store_line_f32(line, n, dst);
}

/* --- Means: divides weighted sums by sums of weights and rounds the means, all in registers. */

#define MEANS_VECTORS 4 /* vectors of sums that are computed at a time */

/* A mean becomes a fixed-point number with 16 integer bits and 32 fraction bits: 2^20, 1/2 and the
 * bound are added, which puts the integer and the fraction into fixed bits of the double. The
 * integer is the result, unless the fraction is at most twice the bound. */
#define RAISED 0x1p20
#define FRACTION_BITS 32

INLINED few_bits whole_numbers(vector raised)
{
#if defined __AVX2__ && !defined __AVX512F__
    const __m256i places = _mm256_setr_epi32(1, 3, 5, 7, 1, 3, 5, 7);

    return (few_bits)_mm256_castsi256_si128(_mm256_permutevar8x32_epi32((__m256i)raised, places));
#else
    return __builtin_convertvector((truths)raised >> FRACTION_BITS, few_bits);
#endif
}

#ifdef BUT_LAST
/* Defines store_means_NAME for an integer type, for pixels whose last number is their weight. No
 * mean and no sum of weights is above the type's maximum. */
#define DEFINE_STORE_PIXELS(NAME, TYPE)                                                            \
    INLINED bool store_pixels_of_##NAME(int64_t halo, const struct array_line *line,               \
                                        const struct array_means *means, int group, char *dst,     \
                                        bool *any_none)                                            \
    {                                                                                              \
        double taps[FEW_TAPS + 1];                                                                 \
        const struct array_part part = part_of(line, halo, taps);                                  \
        const int64_t block = MEANS_VECTORS * WIDTH, n = means->n;                                 \
        const double bound = means->weights_bound + 0x1p-32;                                       \
        const vector start = all(RAISED + 0.5 + bound);                                            \
        const truths limit = (truths){0} + ((int64_t)(2 * bound * 0x1p32) + 1);                    \
        truths open = {0}, none = {0};                                                             \
                                                                                                   \
        for (int64_t begin = 0; begin < n; begin += block) {                                       \
            const int64_t x = begin + block <= n ? begin : n - block;                              \
            vector some[MEANS_VECTORS], factors[MEANS_VECTORS];                                    \
                                                                                                   \
            fetch_ahead(line, x, sizeof(TYPE));                                                    \
            sum_some(&part, group, halo <= FEW_TAPS, x, MEANS_VECTORS, some);                      \
            UNROLLED                                                                               \
            for (int i = 0; i < MEANS_VECTORS; i += group) {                                       \
                const truths is_none = group == 4 ? factors_4(0, some, factors)                    \
                                                  : factors_2(0, some + i, factors + i);           \
                                                                                                   \
                none |= is_none;                                                                   \
                note_none(is_none, group, means->none + x + WIDTH * i);                            \
            }                                                                                      \
            UNROLLED                                                                               \
            for (int i = 0; i < MEANS_VECTORS; i++) {                                              \
                const vector raised = fused(some[i], factors[i], start);                           \
                                                                                                   \
                open |= ((truths)raised & (((int64_t)1 << FRACTION_BITS) - 1)) - limit;            \
                narrow(whole_numbers(raised), sizeof(TYPE),                                        \
                       dst + (x + WIDTH * i) * (int64_t)sizeof(TYPE));                             \
            }                                                                                      \
        }                                                                                          \
        *any_none = any_negative(none);                                                            \
        return !any_negative(open);                                                                \
    }                                                                                              \
                                                                                                   \
    INLINED bool store_group_##NAME(const struct array_line *line,                                 \
                                    const struct array_means *means, int group, char *dst,         \
                                    bool *any_none)                                                \
    {                                                                                              \
        return FOR_FEW_TAPS(line->parts[0].dense ? line->parts[0].halo : 0,                        \
                            store_pixels_of_##NAME(MAX_HALO, line, means, group, dst, any_none),   \
                            store_pixels_of_##NAME, line, means, group, dst, any_none);            \
    }                                                                                              \
                                                                                                   \
    static bool store_means_##NAME(const struct array_line *line, const struct array_means *means, \
                                   char *dst, bool *any_none)                                      \
    {                                                                                              \
        if (means->drops || means->n < MEANS_VECTORS * WIDTH ||                                    \
            (means->group != 2 && means->group != 4))                                              \
            return false;                                                                          \
        return means->group == 2 ? store_group_##NAME(line, means, 2, dst, any_none)               \
                                 : store_group_##NAME(line, means, 4, dst, any_none);              \
    }
DEFINE_STORE_PIXELS(u8, uint8_t)
DEFINE_STORE_PIXELS(u16, uint16_t)
#else
#define store_means_u8 NULL
#define store_means_u16 NULL
#endif

/* Stores means of floats, each over the samples of its window that are not NaN. */
static bool store_means_f32(const struct array_line *line, const struct array_means *means,
                            char *dst, bool *any_none)
{
    const int64_t block = MEANS_VECTORS * WIDTH, n = 2 * means->n, bytes = sizeof(float);
    const struct array_part part = line->parts[0];
    const struct distance from = {all(0), (truths){0} + line->spread};
    truths open = {0}, none = {0};

    if (!means->drops || n < block)
        return false;
    for (int64_t begin = 0; begin < n; begin += block) {
        const int64_t x = begin + block <= n ? begin : n - block;
        vector some[MEANS_VECTORS];

        fetch_ahead(line, x / 2, bytes);
        sum_some(&part, line->step, false, x, MEANS_VECTORS, some);
        UNROLLED
        for (int i = 0; i < MEANS_VECTORS / 2; i++) {
            const int64_t result = x / 2 + WIDTH * i;

            none |= divide_pairs(0, some + 2 * i, means->none + result);
            open |= close_plain(some[2 * i], &from, dst + result * bytes);
        }
    }
    *any_none = any_negative(none);
    return !any_negative(open);
}

#endif
