/* SPDX-License-Identifier: MIT */
/* The last pass where it has one part: sums along a line, rounded and stored from registers. Part
 * of loops.c. */
#ifndef SMOOTHIMG_ARRAYS_STORE_LINE_H
#define SMOOTHIMG_ARRAYS_STORE_LINE_H

/* A number lies in e + less .. e + more, e being its estimate; or, of plain floats, within `spread`
 * units of its last place. */
struct ends {
    vector less, more;
    truths spread;
};

/* close_NAME: rounds numbers, which are finite and none of them -0, into samples at dst. Returns
 * lanes as storers do. */
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

/* store_line_NAME. halo: 1 to FEW_TAPS, of plain taps; or any other, and then it is the part's. The
 * last numbers are summed with some that are before them. */
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

#endif
