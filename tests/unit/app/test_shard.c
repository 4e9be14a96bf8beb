/* SPDX-License-Identifier: MIT */
/* Shards: every name in one of them, in the same one for ever, and none much larger than another.
 */
#include "src/app/batch/plan/plan.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
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

/* The variables of one case: NAME=VALUE with spaces between; all others are unset. */
static void set_variables(const char *line)
{
    static const char *const names[] = {"SLURM_ARRAY_TASK_ID",   "SLURM_ARRAY_TASK_MIN",
                                        "SLURM_ARRAY_TASK_MAX",  "SLURM_ARRAY_TASK_COUNT",
                                        "SLURM_ARRAY_TASK_STEP", "JOB_COMPLETION_INDEX"};
    static const char *const shorts[] = {"ID", "MIN", "MAX", "COUNT", "STEP", "JOB"};
    char copy[200], *rest = copy, *word;

    snprintf(copy, sizeof copy, "%s", line);
    for (size_t i = 0; i < 6; i++)
        unsetenv(names[i]);
    while ((word = strsep(&rest, " ")) != NULL)
        for (size_t i = 0; i < 6; i++)
            if (strncmp(word, shorts[i], strlen(shorts[i])) == 0 && strchr(word, '='))
                setenv(names[i], strchr(word, '=') + 1, 1);
}

static void test_arguments(void)
{
    const struct {
        const char *text, *variables;
        int index, count;   /* 0: refused */
        const char *wanted; /* the text of the shard, or a part of the error's */
    } cases[] = {
        {"1/1", "", 1, 1, "shard 1 of 1"},
        {"2/4", "JOB=3", 2, 4, "shard 2 of 4"},
        {"1000000/1000000", "", 1000000, 1000000, "shard 1000000 of 1000000"},
        {"0/4", "", 0, 0, "I from 1 to N"},
        {"5/4", "", 0, 0, "--shard 5/4"},
        {"1/0", "", 0, 0, "I from 1 to N"},
        {"1/1000001", "", 0, 0, "up to 1000000"},
        {"99999999999999999999/4", "", 0, 0, "I/N"},
        /* 1 and 2 to those who lose the upper bits. */
        {"4294967297/4", "", 0, 0, "I/N"},
        {"18446744073709551617/4", "", 0, 0, "I/N"},
        {"340282366920938463463374607431768211457/4", "", 0, 0, "I/N"},
        {"-18446744073709551615/4", "", 0, 0, "I/N"},
        {"1/4294967298", "", 0, 0, "I/N"},
        {"1/18446744073709551618", "", 0, 0, "I/N"},
        {"auto/4294967298", "JOB=0", 0, 0, "auto/N"},
        {"auto/18446744073709551618", "JOB=0", 0, 0, "auto/N"},
        {"auto/2", "JOB=4294967297", 0, 0, "it is '4294967297'"},
        {"auto/2", "JOB=18446744073709551617", 0, 0, "it is '18446744073709551617'"},
        {"auto/2", "JOB=+1", 0, 0, "it is '+1'"},
        {"auto/2", "JOB=0x1", 0, 0, "it is '0x1'"},
        {"auto/2", "JOB=1e0", 0, 0, "it is '1e0'"},
        {"auto", "ID=18446744073709551617 MIN=1 MAX=4 COUNT=4 STEP=1", 0, 0, "ID must be a number"},
        {"auto", "ID=1 MIN=18446744073709551617 MAX=4 COUNT=4 STEP=1", 0, 0,
         "MIN must be a number"},
        {"auto", "ID=1 MIN=1 MAX=18446744073709551620 COUNT=4 STEP=1", 0, 0,
         "MAX must be a number"},
        {"auto", "ID=1 MIN=1 MAX=4 COUNT=4294967300 STEP=1", 0, 0, "COUNT must be a number"},
        {"auto", "ID=1 MIN=1 MAX=4 COUNT=4 STEP=4294967297", 0, 0, "STEP must be a number"},
        {"4", "", 0, 0, "I/N"},
        {"/4", "", 0, 0, "I/N"},
        {"1/", "", 0, 0, "I/N"},
        {"+1/4", "", 0, 0, "I/N"},
        {" 1/4", "", 0, 0, "I/N"},
        {"1/4 ", "", 0, 0, "I/N"},
        {"1/4/2", "", 0, 0, "I/N"},
        {"", "", 0, 0, "I/N"},
        {"auto/", "JOB=0", 0, 0, "auto/N"},
        {"auto/0", "JOB=0", 0, 0, "auto/N"},
        {"automatic", "JOB=0", 0, 0, "auto/N"},
        {"auto", "ID=0 MIN=0 MAX=3 COUNT=4 STEP=1", 1, 4, "shard 1 of 4"},
        {"auto", "ID=3 MIN=0 MAX=3 COUNT=4 STEP=1", 4, 4, "shard 4 of 4"},
        {"auto", "ID=14 MIN=10 MAX=18 COUNT=5 STEP=2", 3, 5, "shard 3 of 5"},
        {"auto", "ID=14 MIN=10 MAX=19 COUNT=5 STEP=2", 3, 5, "shard 3 of 5"},
        {"auto", "ID=7 MIN=7 MAX=7 COUNT=1 STEP=1", 1, 1, "shard 1 of 1"},
        {"auto", "ID=2 MIN=1 MAX=1000000 COUNT=1000000 STEP=1", 2, 1000000, "shard 2 of 1000000"},
        {"auto", "ID=2 MIN=1 MAX=1000001 COUNT=1000001 STEP=1", 0, 0, "_COUNT=1000001"},
        {"auto/4", "ID=1 MIN=1 MAX=4 COUNT=4 STEP=1", 1, 4, "shard 1 of 4"},
        {"auto/8", "ID=1 MIN=1 MAX=4 COUNT=4 STEP=1", 0, 0, "sbatch --array=1-8"},
        {"auto", "ID=3 MIN=1 MAX=7 COUNT=3 STEP=1", 0, 0, "sbatch --array=1-N"},
        {"auto", "ID=13 MIN=10 MAX=18 COUNT=5 STEP=2", 0, 0, "sbatch --array=1-N"},
        {"auto", "ID=9 MIN=1 MAX=4 COUNT=4 STEP=1", 0, 0, "_MAX=4"},
        {"auto", "ID=0 MIN=1 MAX=4 COUNT=4 STEP=1", 0, 0, "_MIN=1"},
        {"auto", "ID=1 MIN=1 MAX=4 COUNT=4 STEP=0", 0, 0, "_STEP=0"},
        {"auto", "ID=1 MIN=1 MAX=4 STEP=1", 0, 0,
         "SLURM_ARRAY_TASK_COUNT must be a number, and it is not set"},
        {"auto", "ID=x MIN=1 MAX=4 COUNT=4 STEP=1", 0, 0,
         "SLURM_ARRAY_TASK_ID must be a number, and it is x"},
        {"auto", "ID=1 MIN=-1 MAX=4 COUNT=6 STEP=1", 0, 0, "it is -1"},
        {"auto/2", "JOB=0", 1, 2, "shard 1 of 2"},
        {"auto/2", "JOB=1", 2, 2, "shard 2 of 2"},
        {"auto/2", "JOB=2", 0, 0, "must be below 2"},
        {"auto/2", "JOB=-1", 0, 0, "'-1'"},
        {"auto/2", "JOB=", 0, 0, "''"},
        {"auto", "JOB=1", 0, 0, "auto/N with the completions"},
        {"auto", "", 0, 0, "neither SLURM_ARRAY_TASK_ID"},
        {"auto/2", "MIN=1 COUNT=2", 0, 0, "neither SLURM_ARRAY_TASK_ID"},
        {"auto/2", "JOB=0 ID=1 MIN=1 MAX=2 COUNT=2 STEP=1", 0, 0, "both SLURM_ARRAY_TASK_ID"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct shard shard = {0, 0};
        struct error error = {STATUS_OK, ""};
        enum status status;
        const char *said;
        struct phrase text;

        set_variables(cases[i].variables);
        status = shard_parse(cases[i].text, &shard, &error);
        text = shard_text(&shard);
        said = status == STATUS_OK ? text.text : error.text;
        CHECK(status == (cases[i].count ? STATUS_OK : STATUS_USAGE) &&
                  shard.index == cases[i].index && shard.count == cases[i].count &&
                  strstr(said, cases[i].wanted),
              "'%s' with '%s': %d, '%s'", cases[i].text, cases[i].variables, (int)status, said);
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
