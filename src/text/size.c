/* SPDX-License-Identifier: MIT */
#include "src/text/size.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define DIGITS "0123456789"

static const char letters[] = "KMGT";

/* Sets *factor to the number of bytes in `unit`, such as "KiB"; 1 for "". Returns false for an
 * unknown unit. */
static bool take_unit(const char *unit, int64_t *factor)
{
    const char *letter = *unit ? strchr(letters, toupper((unsigned char)*unit)) : NULL;
    const int64_t step = strcasecmp(unit + (letter != NULL), "B") == 0 ? 1000 : 1024;

    *factor = 1;
    if (*unit == '\0')
        return true;
    if (!letter || (unit[1] != '\0' && step == 1024 && strcasecmp(unit + 1, "iB") != 0))
        return false;
    for (const char *at = letters; at <= letter; at++)
        *factor *= step;
    return true;
}

/* Returns floor(0.d1d2...dn * factor), exactly, where d1 to dn are the decimals. The loop begins
 * with the last decimal, and rounds down after each decimal. Rounding so early does not change the
 * result, since floor((a + floor(b)) / 10) = floor((a + b) / 10) for an integer a. */
static int64_t fraction_of(const char *decimals, size_t count, int64_t factor)
{
    int64_t part = 0;

    for (size_t i = count; i-- > 0;)
        part = ((decimals[i] - '0') * factor + part) / 10;
    return part;
}

bool size_parse(const char *text, int64_t *bytes)
{
    const size_t whole = strspn(text, DIGITS);
    const bool point = text[whole] == '.';
    const char *decimals = text + whole + point;
    const size_t count = point ? strspn(decimals, DIGITS) : 0;
    int64_t value = 0, factor;

    if ((point ? count : whole) == 0 || !take_unit(decimals + count, &factor) ||
        (point && factor == 1))
        return false;
    for (size_t i = 0; i < whole; i++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, text[i] - '0', &value))
            return false;
    return !__builtin_mul_overflow(value, factor, &value) &&
           !__builtin_add_overflow(value, fraction_of(decimals, count, factor), bytes);
}

struct phrase size_text(int64_t bytes)
{
    struct phrase phrase = {""};
    double amount = (double)bytes;
    int power = 0;

    for (; amount >= 1024 && letters[power]; power++)
        amount /= 1024;
    if (power == 0)
        phrase_add(&phrase, "%lld byte%s", (long long)bytes, bytes == 1 ? "" : "s");
    else
        phrase_add(&phrase, "%.1f %ciB", amount, letters[power - 1]);
    return phrase;
}

struct phrase speed_text(double bytes_per_second)
{
    const bool giga = bytes_per_second >= 1e10;
    struct phrase phrase = {""};

    phrase_add(&phrase, "%.1f %s", bytes_per_second / (giga ? 1e9 : 1e6), giga ? "GB/s" : "MB/s");
    return phrase;
}
