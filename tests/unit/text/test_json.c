/* SPDX-License-Identifier: MIT */
/* Tests how strings and numbers are written as JSON. */
#include "src/text/json.h"
#include "tests/unit/unit.h"

#include <locale.h>
#include <math.h>
#include <string.h>

static char printed[4096];

/* Returns the text that was printed since the last call. Later output overwrites it. */
static const char *taken(FILE *stream)
{
    const size_t bytes = (fflush(stream), (size_t)ftell(stream));

    rewind(stream);
    printed[bytes] = '\0';
    return printed;
}

static void check_strings(FILE *stream)
{
    static const struct {
        const char *text, *json;
    } cases[] = {
        {"", "\"\""},
        {"a b/c", "\"a b/c\""},
        {"\"\\\n\x01\x7f", "\"\\\"\\\\\\u000a\\u0001\\u007f\""},
        {"gr\xc3\xbcn \xe5\x9b\xb3 \xf0\x9f\x8c\x9f",
         "\"gr\xc3\xbcn \xe5\x9b\xb3 \xf0\x9f\x8c\x9f\""},
        {"\xe9.pgm", "\"\\udce9.pgm\""},                          /* Latin-1 */
        {"\xc3", "\"\\udcc3\""},                                  /* a cut UTF-8 sequence */
        {"\xf0\x9f\x8c", "\"\\udcf0\\udc9f\\udc8c\""},            /* a cut UTF-8 sequence */
        {"\xc0\xaf", "\"\\udcc0\\udcaf\""},                       /* overlong UTF-8 */
        {"\xe0\x9f\xbf", "\"\\udce0\\udc9f\\udcbf\""},            /* overlong UTF-8 */
        {"\xed\xb3\xa9", "\"\\udced\\udcb3\\udca9\""},            /* a surrogate */
        {"\xf4\x90\x80\x80", "\"\\udcf4\\udc90\\udc80\\udc80\""}, /* above U+10FFFF */
        {"\xc3(", "\"\\udcc3(\""},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_string(stream, cases[i].text);
        CHECK(strcmp(taken(stream), cases[i].json) == 0, "%zu: %s", i, printed);
    }
}

static void check_numbers(FILE *stream)
{
    static const struct {
        double value;
        int digits;
        const char *json;
    } cases[] = {
        {0, 6, "0"},
        {0.25, 6, "0.25"},
        {-1234.5678, 6, "-1234.57"},
        {1e-7, 6, "1e-07"},
        {1.0 / 3, 17, "0.33333333333333331"},
        {1e300, 17, "1.0000000000000001e+300"},
        {NAN, 6, "null"},
        {INFINITY, 6, "null"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_number(stream, cases[i].value, cases[i].digits);
        CHECK(strcmp(taken(stream), cases[i].json) == 0, "%zu: %s", i, printed);
    }
}

/* In these locales the decimal separator is not a dot, but JSON needs a dot. Locales that are not
 * installed are skipped. */
static void check_locales(FILE *stream)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "ps_AF.UTF-8"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (setlocale(LC_ALL, names[i])) {
            printf("in %s a half is %.1f\n", names[i], 0.5);
            check_numbers(stream);
        }
    setlocale(LC_ALL, "C");
}

int main(void)
{
    FILE *stream = fmemopen(printed, sizeof printed, "w");

    NEED(stream);
    check_strings(stream);
    check_numbers(stream);
    check_locales(stream);
    fclose(stream);
    return unit_result();
}
