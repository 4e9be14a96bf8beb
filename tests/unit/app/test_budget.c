/* SPDX-License-Identifier: MIT */
/* Sizes as they are written, what the system allows, and memory that threads share. */
#include "src/app/stream/memory/budget.h"
#include "src/app/stream/memory/memory_limit.h"
#include "src/text/option_table.h"
#include "tests/unit/scratch.h"
#include "src/text/size.h"
#include "tests/unit/unit.h"

#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void test_sizes(void)
{
    static const struct {
        const char *text;
        int64_t bytes; /* -1: refused */
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
        {"9223372036854775807", INT64_MAX},
        {"8388607T", (int64_t)8388607 << 40},
        {"", -1},
        {"K", -1},
        {"-1", -1},
        {"+1", -1},
        {" 1", -1},
        {"1 ", -1},
        {"1 K", -1},
        {"1.5G", -1},
        {"1k", -1},
        {"1KB", -1},
        {"1Ki", -1},
        {"1KiBx", -1},
        {"1B", -1},
        {"1P", -1},
        {"0x10", -1},
        {"9223372036854775808", -1},
        {"99999999999999999999999999", -1},
        {"8388608T", -1},
        {"16777217T", -1}, /* 2^64 and some: as many as 1T in 64 bits */
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
    char text[SIZE_TEXT];

    CHECK(strcmp(size_text(0, text), "0 bytes") == 0, "%s", text);
    CHECK(strcmp(size_text(1, text), "1 byte") == 0, "%s", text);
    CHECK(strcmp(size_text(1023, text), "1023 bytes") == 0, "%s", text);
    CHECK(strcmp(size_text(1024, text), "1.0 KiB") == 0, "%s", text);
    CHECK(strcmp(size_text(1536, text), "1.5 KiB") == 0, "%s", text);
    CHECK(strcmp(size_text(512 << 20, text), "512.0 MiB") == 0, "%s", text);
    CHECK(strcmp(size_text(INT64_MAX, text), "8388608.0 TiB") == 0, "%s", text);
}

/* As a row of the table of options. */
static void test_option(void)
{
    static const struct option_row rows[] = {
        {"max-memory", 0, "SIZE", "", OPTION_SIZE, 0, 1 << 20, INT64_MAX, NULL}, {.name = NULL}};
    static const struct option_table table = {.rows = rows};
    char name[] = "program", option[] = "--max-memory", good[] = "1M", bad[] = "1023K";
    char *right[] = {name, option, good, NULL}, *wrong[] = {name, option, bad, NULL};
    struct error error;
    int64_t bytes = 0;
    int operands;

    CHECK(option_table_parse(&table, 3, right, &bytes, &operands, &error) == STATUS_OK, "%s",
          error.text);
    CHECK(bytes == 1 << 20, "%lld", (long long)bytes);
    optind = 0; /* getopt begins anew */
    CHECK(option_table_parse(&table, 3, wrong, &bytes, &operands, &error) == STATUS_USAGE,
          "too small");
    CHECK(strstr(error.text, "--max-memory 1023K: must be a size such as 512M") &&
              strstr(error.text, "at least 1M"),
          "%s", error.text);
}

/* A file in the scratch folder, whose folders are made. */
static void put(const char *name, const char *text)
{
    char path[200];

    snprintf(path, sizeof path, "%s", scratch_path(name));
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    scratch_write(path, text, strlen(text));
}

/* Limits below what any machine has. */
static void test_groups(void)
{
    const int64_t machine = memory_limit("/nowhere");
    const int64_t there = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);

    CHECK(machine > 10 << 20 && machine == (there < PTRDIFF_MAX ? there : PTRDIFF_MAX), "%lld",
          (long long)machine);
    CHECK(memory_limit("") <= machine, "no more than there is");

    put("v2/proc/self/cgroup", "0::/slice/job\n");
    CHECK(memory_limit(scratch_path("v2")) == machine, "a group without a limit");
    put("v2/sys/fs/cgroup/slice/job/memory.max", "max\n");
    put("v2/sys/fs/cgroup/slice/memory.max", "9437184\n");
    CHECK(memory_limit(scratch_path("v2")) == 9437184, "of the group above");
    put("v2/sys/fs/cgroup/slice/job/memory.max", "8388608\n");
    CHECK(memory_limit(scratch_path("v2")) == 8388608, "of the group");
    put("v2/sys/fs/cgroup/memory.max", "7340032\n");
    CHECK(memory_limit(scratch_path("v2")) == 7340032, "of the topmost group");

    put("v1/proc/self/cgroup", "3:cpu,cpuacct:/a\n2:memoryless:/c\n1:hugetlb,memory:/b\n");
    put("v1/sys/fs/cgroup/memory/c/memory.limit_in_bytes", "1048576\n");
    put("v1/sys/fs/cgroup/memory/b/memory.limit_in_bytes", "6291456\n");
    put("v1/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    CHECK(memory_limit(scratch_path("v1")) == 6291456, "of version 1");
}

static void test_refusal(void)
{
    struct budget budget;
    struct error error;

    budget_open(&budget, 0);
    CHECK(budget.limit == memory_limit("") / 4 * 3, "%lld", (long long)budget.limit);
    budget_close(&budget);
    budget_open(&budget, 1000);
    CHECK(budget_take(&budget, 1001, "in.png: reverse", "; or flee", &error) == STATUS_INPUT,
          "it can never be had");
    CHECK(strcmp(error.text,
                 "in.png: reverse would take 1001 bytes of memory (1001 bytes), above the limit of "
                 "1000 (1000 bytes); raise it with --max-memory; or flee") == 0,
          "%s", error.text);
    CHECK(
        budget_take(&budget, INT64_MAX, "in.png: reverse", "; or flee", &error) == STATUS_INPUT &&
            strstr(error.text, "in.png: reverse would take more bytes of memory than a program") &&
            strstr(error.text, " bits can have; or flee"),
        "%s", error.text);
    CHECK(budget_take(&budget, 1000, "", "", &error) == STATUS_OK, "all of it");
    budget_give(&budget, 1000);
    CHECK(budget.taken == 0, "%lld", (long long)budget.taken);
    budget_close(&budget);
}

/* Threads that take and give; `held` is what they have, by their own count. */
struct party {
    struct budget budget;
    int64_t held, most;
    bool large_done;
    int small_after; /* taken by the small ones before the large one had its turn */
};

static void *be_small(void *context)
{
    struct party *party = context;
    struct error error;

    for (int i = 0; i < 2000; i++) {
        const int64_t bytes = 10 + i % 30;
        int64_t held;

        if (budget_take(&party->budget, bytes, "", "", &error) != STATUS_OK)
            return NULL;
        held = __atomic_add_fetch(&party->held, bytes, __ATOMIC_SEQ_CST);
        if (held > 100)
            __atomic_store_n(&party->most, held, __ATOMIC_SEQ_CST);
        __atomic_sub_fetch(&party->held, bytes, __ATOMIC_SEQ_CST);
        budget_give(&party->budget, bytes);
    }
    return party;
}

static void test_threads(void)
{
    struct party party = {0};
    pthread_t threads[4];
    void *result;

    budget_open(&party.budget, 100);
    for (int i = 0; i < 4; i++)
        NEED(pthread_create(&threads[i], NULL, be_small, &party) == 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], &result);
        CHECK(result == &party, "thread %d was refused", i);
    }
    CHECK(party.most == 0, "%lld of 100 were taken at once", (long long)party.most);
    CHECK(party.budget.taken == 0, "%lld are left", (long long)party.budget.taken);
    budget_close(&party.budget);
}

static void *be_large(void *context)
{
    struct party *party = context;
    struct error error;

    if (budget_take(&party->budget, 100, "", "", &error) == STATUS_OK)
        __atomic_store_n(&party->large_done, true, __ATOMIC_SEQ_CST);
    budget_give(&party->budget, 100);
    return NULL;
}

static void *come_later(void *context)
{
    struct party *party = context;
    struct error error;

    if (budget_take(&party->budget, 1, "", "", &error) == STATUS_OK &&
        !__atomic_load_n(&party->large_done, __ATOMIC_SEQ_CST))
        party->small_after++;
    budget_give(&party->budget, 1);
    return NULL;
}

static void wait_for_tickets(struct budget *budget, uint64_t count)
{
    bool there = false;

    while (!there) {
        pthread_mutex_lock(&budget->mutex);
        there = budget->tickets >= count;
        pthread_mutex_unlock(&budget->mutex);
        usleep(1000);
    }
}

/* Half is held; a large one waits for all of it; a small one that comes later would fit, and has to
 * stand in line. */
static void test_line(void)
{
    struct party party = {0};
    struct error error;
    pthread_t large, small;

    budget_open(&party.budget, 100);
    NEED(budget_take(&party.budget, 50, "", "", &error) == STATUS_OK);
    NEED(pthread_create(&large, NULL, be_large, &party) == 0);
    wait_for_tickets(&party.budget, 2);
    NEED(pthread_create(&small, NULL, come_later, &party) == 0);
    wait_for_tickets(&party.budget, 3);
    usleep(20000);
    CHECK(!party.large_done, "there was no room for it yet");
    budget_give(&party.budget, 50);
    pthread_join(large, NULL);
    pthread_join(small, NULL);
    CHECK(party.large_done, "the large one was refused");
    CHECK(party.small_after == 0, "a small one passed the large one");
    budget_close(&party.budget);
}

static void *take_and_leave(void *context)
{
    struct error error;

    budget_take(context, 10, "", "", &error);
    return NULL;
}

/* Whoever waits in line is told when the one before it has been served: it may fit as well, and
 * nothing may be given back for a long time. This thread waits in its place. */
static void test_next(void)
{
    struct budget budget;
    struct timespec late;
    pthread_t thread;
    int waited = 0;

    budget_open(&budget, 100);
    clock_gettime(CLOCK_REALTIME, &late);
    late.tv_sec += 10;
    pthread_mutex_lock(&budget.mutex); /* so that nothing is taken before this thread waits */
    NEED(pthread_create(&thread, NULL, take_and_leave, &budget) == 0);
    while (budget.serving == 0 && waited == 0)
        waited = pthread_cond_timedwait(&budget.changed, &budget.mutex, &late);
    pthread_mutex_unlock(&budget.mutex);
    pthread_join(thread, NULL);
    CHECK(waited == 0 && budget.serving == 1, "the next in line was not woken");
    budget_close(&budget);
}

int main(void)
{
    scratch_make();
    test_sizes();
    test_texts();
    test_option();
    test_groups();
    test_refusal();
    test_threads();
    test_line();
    test_next();
    return unit_result();
}
