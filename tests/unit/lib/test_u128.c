/* SPDX-License-Identifier: MIT */
/* Tests uint128 of exact.h: the compiler's type or, with -DU128_IN_WORDS, a struct of two 64-bit
 * words. Compares results with known ones, and with the compiler's own type if there is one. */
#include "kernels/common/exact.h"
#include "tests/unit/unit.h"

#include <inttypes.h>

static bool equal(uint128 a, uint64_t high, uint64_t low)
{
    return u128_high(a) == high && u128_low(a) == low;
}

/* Compares results with values computed by hand. */
static void check_known(void)
{
    const uint64_t all = UINT64_MAX;
    const uint128 one = u128_of(0, 1), most = u128_of(all, all);
    uint128 rest;

    CHECK(equal(u128_add(u128_of(1, all), one), 2, 0), "a carry");
    CHECK(equal(u128_add(most, one), 0, 0), "modulo 2^128");
    CHECK(equal(u128_subtract(u128_of(2, 0), one), 1, all), "a borrow");
    CHECK(equal(u128_multiply(all, all), all - 1, 1), "(2^64 - 1)^2");
    CHECK(equal(u128_multiply(0x100000001, 0xffffffff), 0, all), "2^64 - 1");
    CHECK(equal(u128_add_product(u128_of(0, all), all, 2), 2, all - 2), "3 (2^64 - 1)");
    CHECK(equal(u128_shift_left(one, 91), 1 << 27, 0), "2^91");
    CHECK(equal(u128_shift_right(u128_of(1 << 28, 5), 92), 0, 1), "2^92 / 2^92");
    CHECK(u128_less(u128_of(1, all), u128_of(2, 0)) && u128_less(u128_of(2, 0), u128_of(2, 1)) &&
              !u128_less(one, one),
          "order");
    CHECK(equal(u128_divide(most, u128_of(0, 10), &rest), 0x1999999999999999, 0x9999999999999999),
          "(2^128 - 1) / 10");
    CHECK(equal(rest, 0, 5), "the remainder");
    CHECK(equal(u128_divide(u128_of(7, 6), u128_of(7, 7), &rest), 0, 0) && equal(rest, 7, 6),
          "a smaller by a greater");
}

/* exact_round() rounds halves up, and returns at most maxval. */
static void check_round(void)
{
    const uint128 level = u128_shift_left(u128_of(0, 1), 92), one = u128_of(0, 1);
    const uint128 half = u128_shift_left(one, 91);

    for (uint32_t grey = 0; grey < 300; grey++) {
        uint128 total = u128_of(0, 0);

        for (uint32_t i = 0; i < grey; i++)
            total = u128_add(total, level);
        CHECK(exact_round(total, 255) == (grey < 255 ? grey : 255), "%" PRIu32, grey);
        total = u128_add(total, half);
        CHECK(exact_round(total, 65535) == grey + 1, "%" PRIu32 " and a half", grey);
        CHECK(exact_round(u128_subtract(total, one), 65535) == grey, "just below %" PRIu32, grey);
    }
}

/* Returns pseudo-random numbers of all bit lengths, many with long runs of zeros or ones. */
static uint64_t draw(uint64_t *state)
{
    uint64_t x;

    *state = *state * 6364136223846793005U + 1442695040888963407U;
    x = *state ^ *state >> 29;
    switch (*state >> 61) {
    case 0:
        return 0;
    case 1:
        return UINT64_MAX;
    case 2:
        return (uint64_t)1 << (x & 63);
    case 3:
        return ((uint64_t)1 << (x & 63)) - 1;
    default:
        return x >> (*state >> 40 & 63);
    }
}

/* Checks a = q * b + r with r < b; only one q and r satisfy this. */
static void check_division(uint128 a, uint128 b)
{
    uint128 rest, product;
    const uint128 quotient = u128_divide(a, b, &rest);

    /* The product q * b and the sum q * b + r are computed modulo 2^128. */
    product = u128_multiply(u128_low(quotient), u128_low(b));
    product = u128_add(
        product, u128_of(u128_low(quotient) * u128_high(b) + u128_high(quotient) * u128_low(b), 0));
    CHECK(u128_less(rest, b), "the remainder is smaller");
    CHECK(equal(u128_add(product, rest), u128_high(a), u128_low(a)), "q b + r");
    CHECK(!u128_less(a, quotient), "no quotient is greater than what was divided");
}

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide;

static wide widen(uint128 a)
{
    return (wide)u128_high(a) << 64 | u128_low(a);
}

static void check_against_compiler(uint128 a, uint128 b, unsigned bits)
{
    const wide x = widen(a), y = widen(b);
    uint128 rest;

    CHECK(widen(u128_add(a, b)) == x + y, "sum");
    CHECK(widen(u128_subtract(a, b)) == x - y, "difference");
    CHECK(widen(u128_multiply(u128_low(a), u128_low(b))) == (wide)(uint64_t)x * (uint64_t)y,
          "product");
    CHECK(widen(u128_add_product(a, u128_low(a), u128_high(b))) ==
              x + (wide)(uint64_t)x * u128_high(b),
          "sum and product");
    CHECK(widen(u128_shift_left(a, bits)) == x << bits, "left by %u", bits);
    CHECK(widen(u128_shift_right(a, bits)) == x >> bits, "right by %u", bits);
    CHECK(u128_less(a, b) == (x < y) && u128_less(b, a) == (y < x), "order");
    if (y) {
        CHECK(widen(u128_divide(a, b, &rest)) == x / y, "quotient");
        CHECK(widen(rest) == x % y, "remainder");
    }
}
#endif

int main(void)
{
    uint64_t state = 1;

    check_known();
    check_round();
    for (int i = 0; i < 100000; i++) {
        const uint64_t words[] = {draw(&state), draw(&state), draw(&state), draw(&state)};
        const uint128 a = u128_of(words[0], words[1]), b = u128_of(words[2], words[3]);

        if (words[2] || words[3])
            check_division(a, b);
#ifdef __SIZEOF_INT128__
        check_against_compiler(a, b, (unsigned)i % 128);
#endif
    }
    return unit_result();
}
