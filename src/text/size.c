/* SPDX-License-Identifier: MIT */
#include "src/text/size.h"

#include <stdio.h>
#include <string.h>

static const char letters[] = "KMGT";

/* The power of 1024 that a unit means: 0 for "", 1 for "K" and "KiB"; -1 if it is unknown. */
static int power_of(const char *unit)
{
    const char *letter;

    if (*unit == '\0')
        return 0;
    letter = strchr(letters, *unit);
    if (!letter || (unit[1] != '\0' && strcmp(unit + 1, "iB") != 0))
        return -1;
    return 1 + (int)(letter - letters);
}

bool size_parse(const char *text, int64_t *bytes)
{
    const char *end = text;
    int64_t value = 0;
    int power;

    for (; *end >= '0' && *end <= '9'; end++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, *end - '0', &value))
            return false;
    power = power_of(end);
    if (end == text || power < 0)
        return false;
    return !__builtin_mul_overflow(value, (int64_t)1 << 10 * power, bytes);
}

const char *size_text(int64_t bytes, char text[SIZE_TEXT])
{
    double amount = (double)bytes;
    int power = 0;

    for (; amount >= 1024 && letters[power]; power++)
        amount /= 1024;
    if (power == 0)
        snprintf(text, SIZE_TEXT, "%lld byte%s", (long long)bytes, bytes == 1 ? "" : "s");
    else
        snprintf(text, SIZE_TEXT, "%.1f %ciB", amount, letters[power - 1]);
    return text;
}
