/* SPDX-License-Identifier: MIT */
/* Shards: every name in one of them, in the same one for ever, and none much larger than another.
 */
#include "src/app/batch/plan/plan.h"
#include "tests/unit/unit.h"

#include <string.h>

/* Which of count shards holds the name; 0 if that is not exactly one. */
static int shard_of(const char *name, int count)
{
    int found = 0, holders = 0;

    for (int i = 1; i <= count; i++)
        if (shard_holds(&(struct shard){i, count}, name)) {
            found = i;
            holders++;
        }
    return holders == 1 ? found : 0;
}

/* Names as cameras and programs give them: they differ in a digit or two. */
static void test_balance(int count, const char *format)
{
    enum { NAMES = 10000 };
    const int mean = NAMES / count;
    int sizes[100] = {0}, least = NAMES, most = 0;

    for (int i = 0; i < NAMES; i++) {
        char name[64];
        int shard;

        snprintf(name, sizeof name, format, i);
        shard = shard_of(name, count);
        CHECK(shard > 0, "%s is not in exactly one of %d shards", name, count);
        sizes[shard]++;
    }
    for (int i = 1; i <= count; i++) {
        least = sizes[i] < least ? sizes[i] : least;
        most = sizes[i] > most ? sizes[i] : most;
    }
    /* Four standard deviations of chance. */
    CHECK((most - mean) * (most - mean) <= 16 * mean &&
              (least - mean) * (least - mean) <= 16 * mean,
          "%s in %d shards: from %d to %d files", format, count, least, most);
}

/* The hash must not change, or two versions of the program would share the work wrongly. That of ""
 * is printed in the definition of XXH3: 0x2D06800538D394C2. */
static void test_known(void)
{
    const struct {
        const char *name;
        int count, shard;
    } known[] = {
        {"", 1000000, (int)(0x2D06800538D394C2u % 1000000) + 1},
        {"a.pgm", 4, 1},
        {"image-0001.png", 64, 22},
        {"folder/gr\xc3\xbcn.pgm", 1000, 918},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        CHECK(shard_holds(&(struct shard){known[i].shard, known[i].count}, known[i].name),
              "%s is in shard %d of %d", known[i].name, shard_of(known[i].name, known[i].count),
              known[i].count);
    CHECK(shard_holds(&(struct shard){0, 0}, "a.pgm"), "without shards one run does everything");
}

static void test_arguments(void)
{
    const struct {
        const char *text;
        int index, count;   /* 0: refused */
        const char *wanted; /* the text of the shard, or a part of the error's */
    } cases[] = {
        {"1/1", 1, 1, "shard 1 of 1"},
        {"2/4", 2, 4, "shard 2 of 4"},
        {"1000000/1000000", 1000000, 1000000, "shard 1000000 of 1000000"},
        {"0/4", 0, 0, "I from 1 to N"},
        {"5/4", 0, 0, "--shard 5/4"},
        {"1/0", 0, 0, "I from 1 to N"},
        {"1/1000001", 0, 0, "up to 1000000"},
        {"99999999999999999999/4", 0, 0, "I/N"},
        /* 1 and 2 to those who lose the upper bits. */
        {"4294967297/4", 0, 0, "I/N"},
        {"18446744073709551617/4", 0, 0, "I/N"},
        {"340282366920938463463374607431768211457/4", 0, 0, "I/N"},
        {"-18446744073709551615/4", 0, 0, "I/N"},
        {"1/4294967298", 0, 0, "I/N"},
        {"1/18446744073709551618", 0, 0, "I/N"},
        {"4", 0, 0, "I/N"},
        {"/4", 0, 0, "I/N"},
        {"1/", 0, 0, "I/N"},
        {"+1/4", 0, 0, "I/N"},
        {" 1/4", 0, 0, "I/N"},
        {"1/4 ", 0, 0, "I/N"},
        {"1/4/2", 0, 0, "I/N"},
        {"", 0, 0, "I/N"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct shard shard = {0, 0};
        struct error error = {STATUS_OK, ""};
        enum status status;
        const char *said;
        struct phrase text;

        status = shard_parse(cases[i].text, &shard, &error);
        text = shard_text(&shard);
        said = status == STATUS_OK ? text.text : error.text;
        CHECK(status == (cases[i].count ? STATUS_OK : STATUS_USAGE) &&
                  shard.index == cases[i].index && shard.count == cases[i].count &&
                  strstr(said, cases[i].wanted),
              "'%s': %d, '%s'", cases[i].text, (int)status, said);
    }
}

int main(void)
{
    const int counts[] = {1, 2, 3, 4, 7, 64, 99};

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        test_balance(counts[i], "image-%05d.png");
        test_balance(counts[i], "IMG_%d.ppm");
        test_balance(counts[i], "slices/%d/x.pgm");
    }
    test_known();
    test_arguments();
    return unit_result();
}
