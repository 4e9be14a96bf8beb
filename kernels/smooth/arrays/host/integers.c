/* SPDX-License-Identifier: MIT */
/* Passes in integers of many words: see integers.h. */
#include "kernels/smooth/arrays/host/integers.h"

#include <string.h>

#define INLINED static inline __attribute__((always_inline))

void integer_set(const struct exact_number *number, int unit, int words, uint64_t *to)
{
    const uint64_t parts[2] = {number->significand, number->upper};
    const int64_t shift = (int64_t)number->exponent - unit;

    wide_clear(to, words);
    if (number->kind == EXACT_FINITE && !exact_number_is_zero(number))
        wide_add_multiple(to, words, parts, 2, (uint64_t)1 << shift % 64, (int)(shift / 64),
                          number->negative);
}

void integer_add_sum(const struct axis_taps *taps, const uint64_t *from, int words, uint64_t *to)
{
    for (int64_t k = -taps->halo; k <= taps->halo; k++) {
        const struct array_weight tap = array_tap_at(taps->weights, taps->odd, k);

        wide_add_product(to, from, words, tap.magnitude, tap.negative);
    }
}

/* For each of n results: adds the two numbers at distance k from the centre of the result's window
 * (if the taps are odd, subtracts the left number from the right one), multiplies the sum by the
 * tap, and adds the product to the result in `out`. At k = 0 there is only one number. A sum of 0
 * is not multiplied, which saves time: such sums are frequent where estimates leave samples
 * unresolved. */
INLINED void add_pairs(const struct axis_taps *taps, const uint64_t *const *rows, int64_t k,
                       int64_t n, int words, uint64_t *out)
{
    const uint64_t *const right = rows[taps->halo + k], *const left = rows[taps->halo - k];
    const uint64_t mask = taps->odd ? UINT64_MAX : 0, use = k > 0 ? UINT64_MAX : 0;
    const struct array_weight tap = array_tap_at(taps->weights, taps->odd, k);

    if (array_weight_is_zero(&tap))
        return;
    for (int64_t x = 0; x < n * words; x += words) {
        uint64_t both[EXACT_MOST_WORDS], any = 0;
        uint64_t carry = mask & use & 1;

        for (int i = 0; i < words; i++) {
            const uint128 sum = u128_add(u128_add(u128_of(0, right[x + i]), u128_of(0, carry)),
                                         u128_of(0, (left[x + i] ^ mask) & use));

            both[i] = u128_low(sum);
            carry = u128_high(sum);
            any |= both[i];
        }
        if (any != 0)
            wide_add_product(out + x, both, words, tap.magnitude, tap.negative);
    }
}

INLINED void pass_of(const struct axis_taps *taps, const uint64_t *const *rows, bool adds,
                     int64_t n, int words, uint64_t *out)
{
    if (!adds)
        memset(out, 0, (size_t)(n * words) * sizeof *out);
    for (int64_t k = 0; k <= taps->halo; k++)
        add_pairs(taps, rows, k, n, words, out);
}

void integer_pass(const struct axis_taps *taps, const uint64_t *const *rows, bool adds, int64_t n,
                  int words, uint64_t *out)
{
    switch (words) {
#define CASE(WORDS)                                                                                \
    case WORDS:                                                                                    \
        pass_of(taps, rows, adds, n, WORDS, out);                                                  \
        return;
        CASE(2)
        CASE(3)
        CASE(4)
        CASE(5)
        CASE(6)
#undef CASE
    default:
        pass_of(taps, rows, adds, n, words, out);
    }
}
