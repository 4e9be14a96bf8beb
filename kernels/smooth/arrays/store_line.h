/* SPDX-License-Identifier: MIT */
/* The last pass if it has one part: sums along a line, rounded and stored from registers. Part of
 * loops.c. */
#ifndef SMOOTHIMG_ARRAYS_STORE_LINE_H
#define SMOOTHIMG_ARRAYS_STORE_LINE_H

/* The number is between e + less and e + more, where e is its estimate, or, for plain floats,
 * within `spread` units of its last place. */
struct ends {
    vector less, more;
    truths spread;
};

/* close_NAME rounds numbers, which are finite and not -0, into samples at dst. Returns lanes as
 * storers do. */
INLINED few_bits close_f32(vector value, const struct ends *ends, char *dst)
{
    const halves low = narrowed(value + ends->less), high = narrowed(value + ends->more);

    memcpy(dst, &low, sizeof low);
    return (few_bits)low ^ (few_bits)high;
}

#define FLOAT_LACKS 29 /* bits of a double's significand */

/* Middles between two floats are the doubles whose last bits, which a float lacks, are 2^28. If
 * those of e are not within `spread` of it, no middle lies between e and the number. Where the
 * power of two at which units begin or end lies between them, the nearest middle is 2^27 units away
 * or more. From 2^128 on both become infinite. Neither is below 2^-126, where floats have other
 * middles, but for 0. */
INLINED truths close_plain(vector value, const struct ends *ends, char *dst)
{
    const halves nearest = narrowed(value);
    const truths middle = (truths){0} + ((int64_t)1 << (FLOAT_LACKS - 1));
    const truths above = ((truths)value + (middle + ends->spread)) & (2 * middle - 1);

    memcpy(dst, &nearest, sizeof nearest);
    return above - 2 * ends->spread;
}

#define DEFINE_CLOSE_INTEGERS(NAME)                                                                \
    INLINED truths close_##NAME(vector value, const struct ends *ends, char *dst)                  \
    {                                                                                              \
        return round_all_##NAME(value, ends->more, dst);                                           \
    }

DEFINE_CLOSE_INTEGERS(u8)
DEFINE_CLOSE_INTEGERS(u16)
DEFINE_CLOSE_INTEGERS(i16)

INLINED void set_offsets(double bound, struct ends *ends)
{
    ends->more = all(bound);
    ends->less = -ends->more;
}

/* store_line_NAME. `halo` is a constant from 1 to FEW_TAPS, with plain taps, or the part's. The
 * last block overlaps the one before. */
#define DEFINE_STORE_LINE(STEM, TYPE)                                                              \
    INLINED __typeof__(close##STEM(all(0), NULL, NULL)) store_block##STEM(                         \
        const struct array_part *part, int64_t step, bool few, const struct ends *ends, int64_t x, \
        char *dst)                                                                                 \
    {                                                                                              \
        __typeof__(close##STEM(all(0), NULL, NULL)) open = {0};                                    \
        vector sums[VECTORS];                                                                      \
                                                                                                   \
        if (few)                                                                                   \
            sum_pairs(part, step, false, x, sums);                                                 \
        else                                                                                       \
            sum_part(part, step, x, sums);                                                         \
        UNROLLED                                                                                   \
        for (int i = 0; i < VECTORS; i++)                                                          \
            open |= close##STEM(sums[i], ends, dst + (x + WIDTH * i) * (int64_t)sizeof(TYPE));     \
        return open;                                                                               \
    }                                                                                              \
                                                                                                   \
    INLINED bool store_part##STEM(const struct array_line *line, int64_t halo, int64_t n,          \
                                  char *dst)                                                       \
    {                                                                                              \
        const int64_t step = line->step, block = VECTORS * WIDTH;                                  \
        const double *const bounds = line->bounds;                                                 \
        struct ends ends = {all(0), all(0), (truths){0} + line->spread};                           \
        __typeof__(close##STEM(all(0), NULL, NULL)) open = {0};                                    \
        struct array_part part = line->parts[0];                                                   \
        double taps[FEW_TAPS + 1];                                                                 \
                                                                                                   \
        if (halo <= FEW_TAPS) {                                                                    \
            memcpy(taps, part.taps, (size_t)(halo + 1) * sizeof *taps);                            \
            part = (struct array_part){part.centre, taps, halo, false, true};                      \
        }                                                                                          \
        for (int64_t begin = 0; begin < n; begin += block) {                                       \
            const int64_t x = begin + block <= n ? begin : n - block;                              \
            const double before = bounds[x / ARRAY_BLOCK], last = bounds[begin / ARRAY_BLOCK];     \
                                                                                                   \
            set_offsets(before > last ? before : last, &ends);                                     \
            if (line->to_read) {                                                                   \
                __builtin_prefetch(line->to_read + x * line->bytes, 0, 3);                         \
                __builtin_prefetch(line->to_write + x * (int64_t)sizeof(TYPE), 1, 3);              \
            }                                                                                      \
            open |= store_block##STEM(&part, step, halo <= FEW_TAPS, &ends, x, dst);               \
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
        switch (part->dense && !part->odd ? part->halo : MAX_HALO) {                               \
        case 1:                                                                                    \
            return store_part##STEM(line, 1, n, dst);                                              \
        case 2:                                                                                    \
            return store_part##STEM(line, 2, n, dst);                                              \
        case 3:                                                                                    \
            return store_part##STEM(line, 3, n, dst);                                              \
        case FEW_TAPS:                                                                             \
            return store_part##STEM(line, FEW_TAPS, n, dst);                                       \
        default:                                                                                   \
            return store_part##STEM(line, MAX_HALO, n, dst);                                       \
        }                                                                                          \
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

/* --- Means. */

#define MEANS_VECTORS 4 /* of sums at a time */

INLINED void sum_some(const struct array_part *part, int64_t step, bool few, int64_t x,
                      vector *sums)
{
    UNROLLED
    for (int i = 0; i < MEANS_VECTORS; i += VECTORS)
        if (few)
            sum_pairs(part, step, false, x + WIDTH * i, sums + i);
        else
            sum_part(part, step, x + WIDTH * i, sums + i);
}

/* The settings of a row's means. */
struct means_row {
    struct array_part part;
    const struct array_line *line;
    const struct array_means *means;
    bool few;
};

INLINED void fetch_ahead(const struct array_line *line, int64_t x, int64_t bytes)
{
    if (!line->to_read)
        return;
    __builtin_prefetch(line->to_read + x * line->bytes, 0, 3);
    __builtin_prefetch(line->to_write + x * bytes, 1, 3);
}

/* Means as integers of 16 bits, above 32 bits of fraction, in the lower bits of a double to which
 * 2^20 has been added, with 1/2 and the bound: the whole number is the result, unless the fraction
 * is at most twice the bound. */
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

#ifdef FOR_FOUR
/* store_pixels_NAME, for pixels whose last number is their weight; no number is above the type's
 * maximum. */
#define DEFINE_STORE_PIXELS(NAME, TYPE)                                                            \
    INLINED bool store_pixels_of_##NAME(const struct means_row *row, int group, char *dst,         \
                                        bool *any_none)                                            \
    {                                                                                              \
        const struct array_means *means = row->means;                                              \
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
            fetch_ahead(row->line, x, sizeof(TYPE));                                               \
            sum_some(&row->part, group, row->few, x, some);                                        \
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
    INLINED bool store_groups_##NAME(const struct means_row *row, int64_t halo, int group,         \
                                     char *dst, bool *any_none)                                    \
    {                                                                                              \
        double taps[FEW_TAPS + 1];                                                                 \
        struct means_row few = *row;                                                               \
                                                                                                   \
        memcpy(taps, row->part.taps, (size_t)(halo + 1) * sizeof *taps);                           \
        few.part = (struct array_part){row->part.centre, taps, halo, false, true};                 \
        few.few = true;                                                                            \
        return store_pixels_of_##NAME(&few, group, dst, any_none);                                 \
    }                                                                                              \
                                                                                                   \
    INLINED bool store_group_##NAME(const struct means_row *row, int group, char *dst,             \
                                    bool *any_none)                                                \
    {                                                                                              \
        switch (row->part.dense ? row->part.halo : MAX_HALO) {                                     \
        case 1:                                                                                    \
            return store_groups_##NAME(row, 1, group, dst, any_none);                              \
        case 2:                                                                                    \
            return store_groups_##NAME(row, 2, group, dst, any_none);                              \
        case FEW_TAPS:                                                                             \
            return store_groups_##NAME(row, FEW_TAPS, group, dst, any_none);                       \
        default:                                                                                   \
            return store_pixels_of_##NAME(row, group, dst, any_none);                              \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static bool store_means_##NAME(const struct array_line *line, const struct array_means *means, \
                                   char *dst, bool *any_none)                                      \
    {                                                                                              \
        const struct means_row row = {line->parts[0], line, means, false};                         \
                                                                                                   \
        if (means->drops || means->n < MEANS_VECTORS * WIDTH ||                                    \
            (means->group != 2 && means->group != 4))                                              \
            return false;                                                                          \
        return means->group == 2 ? store_group_##NAME(&row, 2, dst, any_none)                      \
                                 : store_group_##NAME(&row, 4, dst, any_none);                     \
    }
DEFINE_STORE_PIXELS(u8, uint8_t)
DEFINE_STORE_PIXELS(u16, uint16_t)
#else
#define store_means_u8 NULL
#define store_means_u16 NULL
#endif

/* Stores means of floats without NaN. */
static bool store_means_f32(const struct array_line *line, const struct array_means *means,
                            char *dst, bool *any_none)
{
    const int64_t block = MEANS_VECTORS * WIDTH, n = 2 * means->n, bytes = sizeof(float);
    const struct array_part part = line->parts[0];
    const struct ends ends = {all(0), all(0), (truths){0} + line->spread};
    truths open = {0}, none = {0};

    if (!means->drops || n < block)
        return false;
    for (int64_t begin = 0; begin < n; begin += block) {
        const int64_t x = begin + block <= n ? begin : n - block;
        vector some[MEANS_VECTORS];

        fetch_ahead(line, x / 2, bytes);
        sum_some(&part, line->step, false, x, some);
        UNROLLED
        for (int i = 0; i < MEANS_VECTORS / 2; i++) {
            const int64_t result = x / 2 + WIDTH * i;

            none |= divide_pairs(0, some + 2 * i, means->none + result);
            open |= close_plain(some[2 * i], &ends, dst + result * bytes);
        }
    }
    *any_none = any_negative(none);
    return !any_negative(open);
}

#endif
