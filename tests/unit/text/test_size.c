/* SPDX-License-Identifier: MIT */
/* Tests how sizes such as 3M are parsed and written. */
#include "src/text/size.h"
#include "tests/unit/unit.h"

#include <stdbool.h>
#include <string.h>

/* Checks a line of sizes.txt. The first line of that file describes the format of the others. */
static void check_line(char *line)
{
    char *const text = strtok(line, "\""), *const wanted = strtok(NULL, " \n");
    int64_t bytes = -1;
    const bool good = size_parse(text, &bytes);

    CHECK(good == (wanted != NULL), "'%s'", text);
    CHECK(!good || !wanted || bytes == strtoll(wanted, NULL, 10), "'%s': %lld", text,
          (long long)bytes);
}

static void test_sizes(const char *path)
{
    char line[200];
    FILE *file = fopen(path, "r");

    NEED(file);
    while (fgets(line, sizeof line, file))
        if (*line == '"')
            check_line(line);
    fclose(file);
    CHECK(!size_parse("", &(int64_t){0}), "no text");
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

int main(int argc, char **argv)
{
    NEED(argc == 2);
    test_speeds();
    test_sizes(argv[1]);
    test_texts();
    return unit_result();
}
