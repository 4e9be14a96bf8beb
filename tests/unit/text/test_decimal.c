/* SPDX-License-Identifier: MIT */
/* Decimal numbers and their products, which --truncate rounds to a halo. */
#include "src/text/decimal.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t product_of(const char *a, const char *b)
{
    struct decimal left, right;

    CHECK(decimal_parse(a, &left) && decimal_parse(b, &right), "%s, %s", a, b);
    return decimal_round_product(&left, &right);
}

static void test_products(void)
{
    static const struct {
        const char *a, *b;
        int64_t wanted;
    } cases[] = {
        {"2.5", "3", 8},
        {"2.5", "2.9999999999999999999999999999", 7},
        {"0.7", "5", 4},
        {"0.1", "5", 1},
        {".1", "4.99999999999999999999999999999999999999999999999999999999999", 0},
        {"1e-1", "50e-1", 1},
        {"+007.0", "2", 14},
        {"25E-1", "3e0", 8},
        {"0.05", "1", 0},
        {"0", "7", 0},
        {"0.000", "7", 0},
        {"0e5", "1e5", 0},
        {"1e300", "1e-300", 1},
        {"1e-300", "4", 0},
        {"1e300", "1", INT64_MAX},
        {"1e999999999999999999999", "1", INT64_MAX},
        {"1e-999999999999999999999", "1", 0},
        {"999999999", "1000000000", 999999999000000000},
        {"1000000000", "1000000000", INT64_MAX},
        {"999999999999999999.5", "1", 1000000000000000000},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t found = product_of(cases[i].a, cases[i].b);

        CHECK(found == cases[i].wanted, "%s times %s: %lld", cases[i].a, cases[i].b,
              (long long)found);
    }
}

static void test_texts(void)
{
    static const char *const wrong[] = {"",         ".",    "+",    "-1",  "1.2.3", "1,5", " 1",
                                        "1 ",       "1e",   "1e+",  "e1",  "0x10",  "1x",  "nan",
                                        "infinity", "1e 5", "1e5x", "++1", "1e5 "};
    char digits[DECIMAL_DIGITS + 2];
    struct decimal number;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK(!decimal_parse(wrong[i], &number), "'%s'", wrong[i]);
    memset(digits, '1', sizeof digits);
    digits[DECIMAL_DIGITS + 1] = '\0';
    CHECK(!decimal_parse(digits, &number), "%d digits", DECIMAL_DIGITS + 1);
    digits[DECIMAL_DIGITS] = '\0';
    CHECK(decimal_parse(digits, &number), "%d digits", DECIMAL_DIGITS);
    CHECK(decimal_round_product(&number, &number) == INT64_MAX, "two of %d digits", DECIMAL_DIGITS);
}

/* Where SciPy's int(truncate * sigma + 0.5), in doubles, is another number: of 20 times 100 values
 * these only, which the manual counts. In each the product is a half, and its double is not. */
static const struct {
    int sigma, truncate; /* in hundredths, in tenths */
} misses[] = {{625, 92},  {750, 82},  {820, 75},  {1125, 28}, {1125, 92},
              {1250, 46}, {1250, 82}, {1375, 92}, {1500, 41}};
#define MISSES (sizeof misses / sizeof *misses)

static bool scipy_misses(int sigma, int truncate)
{
    for (size_t i = 0; i < MISSES; i++)
        if (misses[i].sigma == sigma && misses[i].truncate == truncate)
            return true;
    return false;
}

/* Is the product right, and does SciPy miss it only where it should? */
static bool is_as_told(int s, int t)
{
    const int exact = (s * t + 500) / 1000;
    char sigma[16], truncate[16];
    volatile double product; /* rounded to a double, also where registers hold more */

    snprintf(sigma, sizeof sigma, "%d.%02d", s / 100, s % 100);
    snprintf(truncate, sizeof truncate, "%d.%d", t / 10, t % 10);
    product = strtod(truncate, NULL) * strtod(sigma, NULL);
    product += 0.5;
    return product_of(sigma, truncate) == exact && (int)product == exact - scipy_misses(s, t);
}

static void test_beside_doubles(void)
{
    int wrong = 0;

    for (int s = 1; s <= 2000; s++)
        for (int t = 1; t <= 100; t++)
            wrong += !is_as_told(s, t);
    CHECK(wrong == 0, "%d products of 200000", wrong);
}

static void test_units(void)
{
    static const struct {
        const char *text;
        int64_t units; /* thousandths; -1: refused */
    } cases[] = {
        {"0", 0},
        {"0.000", 0},
        {"1", 1000},
        {"1.5", 1500},
        {".125", 125},
        {"0.001", 1},
        {"1.2500", 1250},
        {"16e0", 16000},
        {"1e-3", 1},
        {"0.0005", -1},
        {"1.0001", -1},
        {"1e-4", -1},
        {"1e14", 100000000000000000},
        {"1e15", -1},
        {"1e16", -1},
        {"1e99", -1},
        {"123.456", 123456},
        {"1e1", 10000},
    };
    struct decimal number;
    int64_t units;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const bool good =
            decimal_parse(cases[i].text, &number) && decimal_in_units(&number, 3, &units);

        CHECK(good == (cases[i].units >= 0) && (!good || units == cases[i].units), "%s",
              cases[i].text);
    }
}

int main(void)
{
    test_units();
    test_products();
    test_texts();
    test_beside_doubles();
    return unit_result();
}
