/* SPDX-License-Identifier: MIT */
/* Tests how the program finds out how much memory the system allows it, and how threads wait for
 * memory while other threads have used up the limit. */
#include "src/app/stream/budget.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Writes a file below the scratch folder, and makes the folders of its path. */
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

/* Tests the limits of control groups (cgroups), whose files this test writes into its own folder.
 * All limits are smaller than the memory of any machine, except "max" and 2^63 - 4096, which mean
 * "no limit". */
static void test_groups(void)
{
    const int64_t machine = memory_limit("/nowhere");
    const int64_t there = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);

    CHECK(machine > 10 << 20 && machine == (there < PTRDIFF_MAX ? there : PTRDIFF_MAX), "%lld",
          (long long)machine);
    CHECK(memory_limit("") <= machine, "no more than the machine has");

    put("v2/proc/self/cgroup", "0::/slice/job\n");
    CHECK(memory_limit(scratch_path("v2")) == machine, "a group without a limit");
    put("v2/sys/fs/cgroup/slice/job/memory.max", "max\n");
    put("v2/sys/fs/cgroup/slice/memory.max", "9437184\n");
    CHECK(memory_limit(scratch_path("v2")) == 9437184, "of the group above");
    put("v2/sys/fs/cgroup/slice/job/memory.max", "8388608\n");
    CHECK(memory_limit(scratch_path("v2")) == 8388608, "of the group");
    put("v2/sys/fs/cgroup/memory.max", "7340032\n");
    CHECK(memory_limit(scratch_path("v2")) == 7340032, "of the topmost group");
    put("v2/sys/fs/cgroup/memory.max", "1\n");
    CHECK(memory_limit(scratch_path("v2")) == 1, "the least limit");

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
    CHECK(budget_limit(&budget, 1 << 20) == 1 << 20, "every system has %lld",
          (long long)budget.limit);
    CHECK(budget_limit(&budget, (1 << 20) + 1) == memory_limit("") / 4 * 3, "%lld",
          (long long)budget.limit);
    budget_open(&budget, 0);
    CHECK(budget_take(&budget, 1 << 20, "", &error) == STATUS_OK && !budget.asked, "no need");
    CHECK(budget_take(&budget, 1, "", &error) == STATUS_OK && budget.asked, "more is taken");
    budget_open(&budget, 1000);
    CHECK(budget_take(&budget, 1001, "in.png: reverse", &error) == STATUS_INPUT,
          "more than the limit");
    CHECK(strcmp(error.text,
                 "in.png: reverse would take 1001 bytes of memory (1001 bytes), above the limit of "
                 "1000 (1000 bytes); raise it with --max-memory") == 0,
          "%s", error.text);
    CHECK(budget_take(&budget, INT64_MAX, "in.png: reverse", &error) == STATUS_INPUT &&
              strstr(error.text, "in.png: reverse would take 9223372036854775807 bytes"),
          "%s", error.text);
    CHECK(budget_take(&budget, 1000, "", &error) == STATUS_OK, "all of it");
    budget_give(&budget, 1000);
    CHECK(budget.taken == 0, "%lld", (long long)budget.taken);
}

/* The state that the test's threads share. `held` is the number of bytes that all of them have
 * taken. */
struct party {
    struct budget budget;
    int64_t held;
    int64_t too_much; /* a value of `held` above the limit, or 0 */
    bool all_taken;   /* the thread of take_all() has got all memory */
    bool overtaken;   /* the thread of take_one() got memory before all_taken was true */
};

static void *take_and_give_often(void *context)
{
    struct party *party = context;
    struct error error;

    for (int i = 0; i < 2000; i++) {
        const int64_t bytes = 10 + i % 30;
        int64_t held;

        if (budget_take(&party->budget, bytes, "", &error) != STATUS_OK)
            return NULL;
        held = __atomic_add_fetch(&party->held, bytes, __ATOMIC_SEQ_CST);
        if (held > 100)
            __atomic_store_n(&party->too_much, held, __ATOMIC_SEQ_CST);
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
        NEED(pthread_create(&threads[i], NULL, take_and_give_often, &party) == 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], &result);
        CHECK(result == &party, "thread %d was refused", i);
    }
    CHECK(party.too_much == 0, "%lld of 100 were taken at once", (long long)party.too_much);
    CHECK(party.budget.taken == 0, "%lld are left", (long long)party.budget.taken);
}

static void *take_all(void *context)
{
    struct party *party = context;
    struct error error;

    if (budget_take(&party->budget, 100, "", &error) == STATUS_OK)
        __atomic_store_n(&party->all_taken, true, __ATOMIC_SEQ_CST);
    budget_give(&party->budget, 100);
    return NULL;
}

static void *take_one(void *context)
{
    struct party *party = context;
    struct error error;

    if (budget_take(&party->budget, 1, "", &error) == STATUS_OK &&
        !__atomic_load_n(&party->all_taken, __ATOMIC_SEQ_CST))
        party->overtaken = true;
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

/* Half of the memory is taken, and one thread waits for all 100 bytes. A later thread wants one
 * byte, which would fit, but has to wait. */
static void test_line(void)
{
    struct party party = {0};
    struct error error;
    pthread_t large, small;

    budget_open(&party.budget, 100);
    NEED(budget_take(&party.budget, 50, "", &error) == STATUS_OK);
    NEED(pthread_create(&large, NULL, take_all, &party) == 0);
    wait_for_tickets(&party.budget, 2);
    NEED(pthread_create(&small, NULL, take_one, &party) == 0);
    wait_for_tickets(&party.budget, 3);
    usleep(20000);
    CHECK(!party.all_taken, "there was no room for it yet");
    budget_give(&party.budget, 50);
    pthread_join(large, NULL);
    pthread_join(small, NULL);
    CHECK(party.all_taken, "the large one was refused");
    CHECK(!party.overtaken, "a small one passed the large one");
}

static void *take_and_keep(void *context)
{
    struct error error;

    budget_take(context, 10, "", &error);
    return NULL;
}

/* Threads get memory in the order in which they ask. When a waiting thread has got its memory, the
 * next waiting thread must be woken, because the rest of the memory may be enough for it. Here
 * main() is the next waiting thread. */
static void test_next(void)
{
    struct budget budget;
    struct timespec late;
    pthread_t thread;
    int waited = 0;

    budget_open(&budget, 100);
    clock_gettime(CLOCK_REALTIME, &late);
    late.tv_sec += 10;
    pthread_mutex_lock(&budget.mutex); /* the thread must take nothing before main waits */
    NEED(pthread_create(&thread, NULL, take_and_keep, &budget) == 0);
    while (budget.serving == 0 && waited == 0)
        waited = pthread_cond_timedwait(&budget.changed, &budget.mutex, &late);
    pthread_mutex_unlock(&budget.mutex);
    pthread_join(thread, NULL);
    CHECK(waited == 0 && budget.serving == 1, "the next in line was not woken");
}

int main(void)
{
    scratch_make();
    test_groups();
    test_refusal();
    test_threads();
    test_line();
    test_next();
    return unit_result();
}
