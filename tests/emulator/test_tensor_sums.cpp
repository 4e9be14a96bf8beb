// SPDX-License-Identifier: MIT
// Compares the model of how tensor cores add (tensor_sums.h) with sums that were computed by hand.
// Tensor cores drop low bits of the addends. The test also checks the least and the greatest sum
// that the model allows.
#include "src/emulator/tensor_sums.h"

#include "tests/unit/unit.h"

#include <vector>

using emulated::cuts;

// bits of half floats; TINY is 2^-24
static constexpr uint16_t ONE = 0x3c00, MINUS_ONE = 0xbc00, TINY = 1;
static constexpr uint16_t HALF_MOST = 0x7bff; // 65504, the largest half float
static constexpr int VOLTA = 7, AMPERE = 8, HOPPER = 9;

static float power(int exponent)
{
    return std::ldexp(1.0f, exponent);
}

// Factors of 16 products a[i] * b[i]. Factors that are not passed to the constructor are 0.
struct products {
    std::vector<uint16_t> a, b;

    products(std::vector<uint16_t> a, std::vector<uint16_t> b) : a(a), b(b)
    {
        this->a.resize(16);
        this->b.resize(16);
    }
};

// Returns 16 products: a * b at the indices `places`, 0 at the others.
static products in_places(uint16_t a, uint16_t b, std::initializer_list<int> places)
{
    products result({}, {});

    for (const int i : places) {
        result.a[(size_t)i] = a;
        result.b[(size_t)i] = b;
    }
    return result;
}

static void check(const char *what, int major, const products &of, float c, float wanted,
                  cuts how = cuts::published)
{
    const float is =
        add_products(emulated::tensor_cores_of(major, how), of.a.data(), of.b.data(), 16, c);

    CHECK(memcmp(&is, &wanted, sizeof is) == 0, "%s, capability %d: %a, not %a", what, major,
          (double)is, (double)wanted);
}

static void test_extra_bits()
{
    const float up = 1 + power(-23);

    check("two halves of a last place", VOLTA, in_places(TINY, ONE, {0, 1}), 1, 1);
    check("two halves of a last place", AMPERE, in_places(TINY, ONE, {0, 1}), 1, up);
    check("two halves of a last place", HOPPER, in_places(TINY, ONE, {0, 1}), 1, up);
    check("one half", HOPPER, in_places(TINY, ONE, {0}), 1, 1);
    // 0x3800: 1/2; 0x3400: 1/4
    check("four quarters", AMPERE, in_places(TINY, 0x3800, {0, 1, 2, 3}), 1, 1);
    check("four quarters", HOPPER, in_places(TINY, 0x3800, {0, 1, 2, 3}), 1, up);
    check("eight eighths", HOPPER, in_places(TINY, 0x3400, {0, 1, 2, 3, 4, 5, 6, 7}), 1, 1);
}

static void test_groups()
{
    const float up = 1 + power(-23);

    check("apart by 7", AMPERE, in_places(TINY, ONE, {0, 7}), 1, up);
    check("apart by 8", AMPERE, in_places(TINY, ONE, {0, 8}), 1, 1);
    check("apart by 15", HOPPER, in_places(TINY, ONE, {0, 15}), 1, up);
    // Volta adds four products at a time: the first four give 65504 - 65504 = 0, to which 2^-24 is
    // added exactly.
    check("apart by 3", VOLTA, in_places(0x0002, ONE, {0, 3}), 1, 1 + power(-22));
    const products first({HALF_MOST, HALF_MOST, 0, 0, ONE}, {ONE, 0xbc00, 0, 0, TINY});

    check("65504 - 65504, then 2^-24", VOLTA, first, 0, power(-24));
    check("65504 - 65504 + 2^-24", AMPERE, first, 0, 0);
}

// Tensor cores do not normalise products. A product's exponent is the sum of its factors'
// exponents, even if the product's significand is 2 or more, or below 1 because a factor is
// subnormal (with the exponent -14).
static void test_unnormalised()
{
    // 0x3e00: 1.5
    const products and_quarters(
        {0x3e00, TINY, TINY, TINY, TINY, TINY, TINY, TINY, TINY},
        {0x3e00, 0x3800, 0x3800, 0x3800, 0x3800, 0x3800, 0x3800, 0x3800, 0x3800});

    check("2.25 + 8 * 2^-25", HOPPER, and_quarters, 0, 2.25f + power(-22));
    check("2^-24 of exponent -14, + 2^-41", HOPPER, in_places(TINY, ONE, {5}), power(-41),
          power(-24));
    check("2^-24 of exponent -14, + 2^-39", HOPPER, in_places(TINY, ONE, {5}), power(-39),
          power(-24) + power(-39));
}

static void test_signs()
{
    check("1 - 2^-25 is cut to 1 - 2^-24", HOPPER, products({MINUS_ONE}, {TINY}), 1,
          1 - power(-24));
    // 0xb400: -1/4
    check("1 - 2^-26: cut before", HOPPER, products({TINY}, {0xb400}), 1, 1);
    check("-1 - 2^-24 is cut towards 0", HOPPER, products({TINY}, {MINUS_ONE}), -1, -1);
    check("nothing is left", HOPPER, products({ONE, ONE}, {ONE, MINUS_ONE}), 0, 0);
}

static void test_extremes()
{
    // The largest exponent decides how many bits of c are cut. A product that is 0 has no exponent,
    // and cuts none.
    check("0 * 65504 + c", HOPPER, products({0}, {HALF_MOST}), power(-30) + power(-53),
          power(-30) + power(-53));
    check("a float below the normal ones", HOPPER, products({0}, {0}), power(-149), power(-149));
    check("lost beside a product", HOPPER, products({ONE}, {ONE}), power(-100), 1);
    check("the least product", AMPERE, products({TINY}, {TINY}), 0, power(-48));
    check("too large", HOPPER, in_places(HALF_MOST, HALF_MOST, {0}), std::ldexp(16777215.0f, 104),
          std::ldexp(16777215.0f, 104));
}

// Tensor cores truncate each addend to a multiple of a unit, here 2^-25. cuts::least and
// cuts::greatest give the least and the greatest sum that are possible if truncating an addend that
// is not a multiple of the unit may change it by anything from 0 to a whole unit.
static void test_worst()
{
    // eight times 2^-26, an eighth of 2^-23
    const products eighths = in_places(TINY, 0x3400, {0, 1, 2, 3, 4, 5, 6, 7});

    // 1 + 8 (2^-26 - 2^-25) = 1 - 2^-23, which is a float
    check("least", HOPPER, eighths, 1, 1 - power(-23), cuts::least);
    check("greatest", HOPPER, eighths, 1, 1 + power(-23), cuts::greatest);
    check("to -1", HOPPER, eighths, -1, -1 - power(-23), cuts::least);
    // 2 + 8 (2^-24 - 2^-26) = 2 + 1.5 * 2^-22, truncated to a float
    check("addends below 0", HOPPER, in_places(TINY, 0xb400, {0, 1, 2, 3, 4, 5, 6, 7}), 2,
          2 + power(-22), cuts::greatest);
    check("addends below 0", HOPPER, in_places(TINY, 0xb400, {0, 1, 2, 3, 4, 5, 6, 7}), 2,
          2 - power(-23), cuts::least);
    check("whole units are not cut", HOPPER, in_places(TINY, 0x3800, {0, 1, 2, 3}), 1,
          1 + power(-23), cuts::least);
    check("whole units are not cut", HOPPER, in_places(TINY, 0x3800, {0, 1, 2, 3}), 1,
          1 + power(-23), cuts::greatest);
}

int main()
{
    test_extra_bits();
    test_groups();
    test_unnormalised();
    test_signs();
    test_extremes();
    test_worst();
    return unit_result();
}
