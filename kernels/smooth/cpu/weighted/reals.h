/* SPDX-License-Identifier: MIT */
/* The loops of weighted/loops.c for one kind of REAL. That file includes this one twice. */
#include "kernels/smooth/cpu/reals.h"

/* Pixels of 2 or 4 channels: alpha in the places of its colours, and 1 in its own. */
INLINED vector OF_REALS(spread)(vector pixels, int32_t channels)
{
    const vector ones = (vector){0} + 1;

#if WIDTH == 2
    (void)channels;
    return __builtin_shufflevector(pixels, ones, SPREAD_2(0, 2));
#elif WIDTH == 4
    return channels == 4 ? __builtin_shufflevector(pixels, ones, SPREAD_4(0, 4))
                         : __builtin_shufflevector(pixels, ones, SPREAD_2(0, 4), SPREAD_2(2, 4));
#elif WIDTH == 8
    return channels == 4 ? __builtin_shufflevector(pixels, ones, SPREAD_4(0, 8), SPREAD_4(4, 8))
                         : __builtin_shufflevector(pixels, ones, SPREAD_2(0, 8), SPREAD_2(2, 8),
                                                   SPREAD_2(4, 8), SPREAD_2(6, 8));
#else
    return channels == 4
               ? __builtin_shufflevector(pixels, ones, SPREAD_4(0, 16), SPREAD_4(4, 16),
                                         SPREAD_4(8, 16), SPREAD_4(12, 16))
               : __builtin_shufflevector(pixels, ones, SPREAD_2(0, 16), SPREAD_2(2, 16),
                                         SPREAD_2(4, 16), SPREAD_2(6, 16), SPREAD_2(8, 16),
                                         SPREAD_2(10, 16), SPREAD_2(12, 16), SPREAD_2(14, 16));
#endif
}

/* Whether vectors hold whole pixels of that many channels. */
INLINED bool OF_REALS(fits)(int32_t channels)
{
    return channels == 2 || (channels == 4 && WIDTH >= 4);
}

static void OF_REALS(set_taps)(const uint64_t *weights, int64_t halo, void *taps)
{
    for (int64_t k = 0; k <= halo; k++)
        ((REAL *)taps)[k] = (REAL)((double)weights[k] * 0x1p-46);
}

static void OF_REALS(multiply)(REAL *line, int32_t channels, int64_t n)
{
    if (OF_REALS(fits)(channels))
        for (int64_t x = 0; x < n; x += WIDTH)
            *(vector *)(line + x) = at(line + x) * OF_REALS(spread)(at(line + x), channels);
    else
        for (int64_t x = 0; x < n; x += channels)
            for (int32_t c = 0; c < channels - 1; c++)
                line[x + c] *= line[x + channels - 1];
}

static void OF_REALS(take)(const void *src, int32_t sample_bytes, int32_t channels, void *to,
                           int64_t n)
{
    REAL *restrict line = to;

    if (sample_bytes == 1)
        for (int64_t i = 0; i < n; i++)
            line[i] = ((const uint8_t *)src)[i];
    else
        for (int64_t i = 0; i < n; i++)
            line[i] = ((const uint16_t *)src)[i];
    for (int64_t i = n; i % WIDTH != 0; i++)
        line[i] = 0;
    OF_REALS(multiply)(line, channels, n);
}

static void OF_REALS(filter)(const void *line, const void *taps, int64_t halo, int64_t step,
                             void *out, int64_t n)
{
    OF_REALS(filter_line)(line, taps, halo, step, out, n);
}

/* From the outside in: each row is read once for both sums. */
static void OF_REALS(filter_rows)(void *const *rows, const void *weights, int64_t halo,
                                  void *const *sums, int64_t n)
{
    const REAL *restrict taps = weights;

    for (int64_t x = 0; x < n; x += VECTORS * WIDTH) {
        vector both[2][VECTORS] = {0}, above[VECTORS], below[VECTORS];

        UNROLLED
        for (int i = 0; i < VECTORS; i++) {
            above[i] = at((const REAL *)rows[0] + x + WIDTH * i);
            below[i] = at((const REAL *)rows[2 * halo + 1] + x + WIDTH * i);
        }
        for (int64_t k = halo; k > 0; k--)
            UNROLLED
        for (int i = 0; i < VECTORS; i++) {
            const vector next_above = at((const REAL *)rows[halo + 1 - k] + x + WIDTH * i);
            const vector next_below = at((const REAL *)rows[halo + k] + x + WIDTH * i);

            both[0][i] += taps[k] * (above[i] + next_below);
            both[1][i] += taps[k] * (next_above + below[i]);
            above[i] = next_above;
            below[i] = next_below;
        }
        UNROLLED
        for (int i = 0; i < VECTORS; i++) {
            *(vector *)((REAL *)sums[0] + x + WIDTH * i) = both[0][i] + taps[0] * above[i];
            *(vector *)((REAL *)sums[1] + x + WIDTH * i) = both[1][i] + taps[0] * below[i];
        }
    }
}

/* A bit of `bits` for each 32 bits of a vector: of a double the upper one has the sign. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define SIGNS_OF_DOUBLES 0x55555555
#else
#define SIGNS_OF_DOUBLES 0xaaaaaaaa
#endif
INLINED int64_t OF_REALS(list)(uint32_t bits, int64_t x, int64_t n, int32_t *unresolved,
                               int64_t count)
{
    for (bits &= REAL_BYTES == 8 ? SIGNS_OF_DOUBLES : 0xffffffff; bits != 0; bits &= bits - 1) {
        const int64_t place = x + __builtin_ctz(bits) * 4 / REAL_BYTES;

        if (place < n)
            unresolved[count++] = (int32_t)place;
    }
    return count;
}

INLINED int64_t OF_REALS(divide_vectors)(const REAL *sums, int32_t channels, double bound,
                                         int32_t *rounded, int64_t n, int32_t *unresolved)
{
    const vector start = (vector){0} + (REAL)(0.5 + bound), limit = (vector){0} + (REAL)(2 * bound);
    int64_t count = 0;

    for (int64_t x = 0; x < n; x += WIDTH) {
        const vector divisor = OF_REALS(spread)(at(sums + x), channels);
        const truths none = (truths)(divisor == 0), one = (truths)((vector){0} + 1);
        const vector quotient = at(sums + x) / (vector)((truths)divisor | (none & one)) + start;
        const integers floors = __builtin_convertvector(quotient, integers);
        const vector rest = quotient - OF_REALS(to_vector)(floors);
        const uint32_t bits = zero_lanes(~(ints)(rest - limit), SIGN);

        *(integers *)(rounded + x) = floors | __builtin_convertvector(none, integers);
        if (__builtin_expect(bits != 0, 0))
            count = OF_REALS(list)(bits, x, n, unresolved, count);
    }
    return count;
}

/* The same for any number of channels. */
static int64_t OF_REALS(divide_pixels)(const REAL *sums, int32_t channels, double bound,
                                       int32_t *rounded, int64_t n, int32_t *unresolved)
{
    int64_t count = 0;

    for (int64_t x = 0; x < n; x++) {
        const int64_t alpha = x - x % channels + channels - 1;
        const REAL divisor = x == alpha ? 1 : sums[alpha];
        const REAL quotient = (divisor > 0 ? sums[x] / divisor : 0) + (REAL)(0.5 + bound);

        rounded[x] = divisor > 0 ? (int32_t)quotient : -1;
        if (divisor > 0 && quotient - (REAL)rounded[x] < (REAL)(2 * bound))
            unresolved[count++] = (int32_t)x;
    }
    return count;
}

static int64_t OF_REALS(divide)(const void *sums, int32_t channels, double bound, int32_t *rounded,
                                int64_t n, int32_t *unresolved)
{
    if (!OF_REALS(fits)(channels))
        return OF_REALS(divide_pixels)(sums, channels, bound, rounded, n, unresolved);
    if (channels == 4)
        return OF_REALS(divide_vectors)(sums, 4, bound, rounded, n, unresolved);
    return OF_REALS(divide_vectors)(sums, 2, bound, rounded, n, unresolved);
}

static const struct weighted_loops OF_REALS(loops) = {
    .bytes = REAL_BYTES,
    .set_taps = OF_REALS(set_taps),
    .take = OF_REALS(take),
    .filter_line = OF_REALS(filter),
    .filter_rows = OF_REALS(filter_rows),
    .divide = OF_REALS(divide),
    .narrow = narrow,
};

#undef WIDTH
#undef vector
#undef truths
#undef integers
#undef at
