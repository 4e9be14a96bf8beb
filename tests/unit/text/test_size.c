/* SPDX-License-Identifier: MIT */
/* Tests how sizes such as 3M are parsed and written. */
#include "src/text/size.h"
#include "tests/unit/unit.h"

#include <stdbool.h>
#include <string.h>

static void test_sizes(void)
{
    static const struct {
        const char *text;
        int64_t bytes; /* -1: size_parse() must refuse the text */
    } cases[] = {
        {"0", 0},
        {"1", 1},
        {"007", 7},
        {"1K", 1024},
        {"1KiB", 1024},
        {"3M", 3 << 20},
        {"256MiB", 256 << 20},
        {"2G", (int64_t)2 << 30},
        {"2GiB", (int64_t)2 << 30},
        {"5T", (int64_t)5 << 40},
        {"5TiB", (int64_t)5 << 40},
        {"1k", 1024},
        {"1gib", 1 << 30},
        {"1KB", 1000},
        {"2Mb", 2000000},
        {"1GB", 1000000000},
        {"9TB", 9000000000000},
        {"9223372036854775807", INT64_MAX},
        {"8388607T", (int64_t)8388607 << 40},
        {"", -1},
        {"K", -1},
        {"-1", -1},
        {"+1", -1},
        {" 1", -1},
        {"1 ", -1},
        {"1 K", -1},
        {"1.5G", (int64_t)3 << 29},
        {"1.5GB", 1500000000},
        {"0.5k", 512},
        {".5G", 1 << 29},
        {"00.0009765625K", 1},
        {"0.00097656249999999999999999999999999K", 0},
        {"0.99999999999999999999999999999999999T", ((int64_t)1 << 40) - 1},
        {"1.000000000000909494701772928237915039062T", (int64_t)1 << 40},
        {"1.0000000000009094947017729282379150390625T", ((int64_t)1 << 40) + 1},
        {"2.9999KB", 2999},
        {"8388607.999999999999999T", INT64_MAX},
        {"8388608.0T", -1},
        {"1.5", -1},
        {"1.0", -1},
        {"1.", -1},
        {"1.G", -1},
        {".", -1},
        {".G", -1},
        {"1.5.5G", -1},
        {"1,5G", -1},
        {"1.5 G", -1},
        {"1.-5G", -1},
        {"1.5iB", -1},
        {"1kb ", -1},
        {"1KBB", -1},
        {"1iB", -1},
        {"1Ki", -1},
        {"1KiBx", -1},
        {"1B", -1},
        {"1P", -1},
        {"0x10", -1},
        {"9223372036854775808", -1},
        {"99999999999999999999999999", -1},
        {"8388608T", -1},
        {"16777217T", -1}, /* 2^64 + 2^40: 1T modulo 2^64 */
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t bytes = -1;
        const bool good = size_parse(cases[i].text, &bytes);

        CHECK(good == (cases[i].bytes >= 0), "'%s'", cases[i].text);
        CHECK(!good || bytes == cases[i].bytes, "'%s': %lld", cases[i].text, (long long)bytes);
    }
}

static void test_texts(void)
{
    static const struct {
        int64_t bytes;
        const char *text;
    } cases[] = {{0, "0 bytes"},
                 {1, "1 byte"},
                 {1023, "1023 bytes"},
                 {1024, "1.0 KiB"},
                 {1536, "1.5 KiB"},
                 {512 << 20, "512.0 MiB"},
                 {INT64_MAX, "8388608.0 TiB"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK(strcmp(size_text(cases[i].bytes).text, cases[i].text) == 0, "%s",
              size_text(cases[i].bytes).text);
}

static void test_speeds(void)
{
    static const struct {
        double speed;
        const char *text;
    } cases[] = {{0, "0.0 MB/s"},
                 {50e6, "50.0 MB/s"},
                 {9999.94e6, "9999.9 MB/s"},
                 {1e10, "10.0 GB/s"},
                 {4436228.9e6, "4436.2 GB/s"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK(strcmp(speed_text(cases[i].speed).text, cases[i].text) == 0, "%g: %s", cases[i].speed,
              speed_text(cases[i].speed).text);
}

int main(void)
{
    test_speeds();
    test_sizes();
    test_texts();
    return unit_result();
}
