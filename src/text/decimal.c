/* SPDX-License-Identifier: MIT */
#include "src/text/decimal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MAX_EXPONENT 100000 /* either way: beyond every double */
#define MAX_WHOLE_DIGITS 18 /* of what fits in 64 bits */

/* Appends the digits at *text. Leading zeros of the number are not kept, but move its point. False
 * if there are too many. */
static bool take_digits(const char **text, bool is_fraction, struct decimal *number)
{
    for (; isdigit((unsigned char)**text); ++*text) {
        const bool leads = number->count == 0 && **text == '0';

        if (leads) {
            number->point -= is_fraction;
            continue;
        }
        if (number->count == DECIMAL_DIGITS)
            return false;
        number->digits[number->count++] = (unsigned char)(**text - '0');
        number->point += !is_fraction;
    }
    return true;
}

/* "e-3", or nothing. */
static bool take_exponent(const char *text, struct decimal *number)
{
    char *end;
    long exponent;

    if (*text == '\0')
        return true;
    if (tolower((unsigned char)*text) != 'e' || !strpbrk(text, "0123456789") ||
        isspace((unsigned char)text[1]))
        return false;
    exponent = strtol(text + 1, &end, 10);
    if (exponent > MAX_EXPONENT || exponent < -MAX_EXPONENT)
        exponent = exponent > 0 ? MAX_EXPONENT : -MAX_EXPONENT;
    number->point += (int)exponent;
    return *end == '\0';
}

bool decimal_parse(const char *text, struct decimal *number)
{
    const char *from;
    bool some;

    memset(number, 0, sizeof *number);
    text += *text == '+';
    from = text;
    if (!take_digits(&text, false, number))
        return false;
    some = text > from;
    if (*text == '.') {
        from = ++text;
        if (!take_digits(&text, true, number))
            return false;
        some = some || text > from;
    }
    return some && take_exponent(text, number);
}

bool decimal_in_units(const struct decimal *number, int places, int64_t *units)
{
    const int whole = number->point + places;

    *units = 0;
    if (number->count > 0 && whole > MAX_WHOLE_DIGITS)
        return false;
    for (int i = 0; i < number->count; i++)
        if (i < whole)
            *units = 10 * *units + number->digits[i];
        else if (number->digits[i] != 0)
            return false;
    for (int i = number->count; i < whole && number->count > 0; i++)
        *units *= 10;
    return true;
}

/* Long multiplication, as on paper: 0.a times 0.b has as many digits after the point as both. */
static void multiply(const struct decimal *a, const struct decimal *b, int *product)
{
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++)
            product[i + j + 1] += a->digits[i] * b->digits[j];
    for (int i = a->count + b->count - 1; i > 0; i--) {
        product[i - 1] += product[i] / 10;
        product[i] %= 10;
    }
}

int64_t decimal_round_product(const struct decimal *a, const struct decimal *b)
{
    int product[2 * DECIMAL_DIGITS + 1] = {0};
    const int count = a->count + b->count, point = a->point + b->point;
    int64_t whole = 0;

    if (a->count == 0 || b->count == 0 || point < 0) /* a product below a tenth */
        return 0;
    multiply(a, b, product);
    if (point > MAX_WHOLE_DIGITS + (product[0] == 0))
        return INT64_MAX;
    for (int i = 0; i < point; i++)
        whole = 10 * whole + (i < count ? product[i] : 0);
    return whole + (point < count && product[point] >= 5);
}
