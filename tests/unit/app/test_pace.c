/* SPDX-License-Identifier: MIT */
/* What --variant auto makes of what a run measures. */
#include "src/app/dispatch/pace.h"
#include "tests/unit/unit.h"

#define OPENING 0.5

/* Four threads that have computed a hundredth of the run: computing it takes `seconds` in all, by
 * all threads, and reading and writing so many more. */
static const char *after_a_hundredth(double seconds, double files)
{
    struct pace pace = pace_begin(4, OPENING);

    pace.expected = 1000;
    for (int k = 0; k < 400; k++) {
        pace_cpu_piece(&pace, 77, seconds / 10000);
        pace_note(&pace, 10 / 400.0, files / 10000);
    }
    return pace_why_closed(&pace);
}

static void test_opening(void)
{
    struct pace pace = pace_begin(1, 0);

    CHECK(pace_why_closed(&pace), "nothing is measured");
    CHECK(after_a_hundredth(0.9 * OPENING, 0), "it would be done before the GPU is open");
    CHECK(after_a_hundredth(1.4 * OPENING, 0), "opening has to be clearly less");
    CHECK(!after_a_hundredth(1.6 * OPENING, 0), "it is clearly less");
    CHECK(!after_a_hundredth(100, 99), "computing takes the time");
    CHECK(after_a_hundredth(100, 101), "files take the time");
    pace.expected = 10;
    pace_cpu_piece(&pace, 1, 1);
    pace_note(&pace, 10, 0);
    CHECK(pace_why_closed(&pace), "nothing is left");
    pace.expected = 11;
    CHECK(!pace_why_closed(&pace), "a GPU that is open at once");
}

/* One of many threads pauses, for twice the time that is expected; one of few does not. */
static void test_pause(void)
{
    const struct pace few = pace_begin(7, OPENING), many = pace_begin(8, OPENING);

    CHECK(pace_pause(&few) == 0, "%g s", pace_pause(&few));
    CHECK(pace_pause(&many) == 2 * OPENING, "%g s", pace_pause(&many));
}

/* Of 400 pieces that were computed a quarter is written. */
static void test_pieces_on_their_way(void)
{
    struct pace pace = pace_begin(4, OPENING);

    pace.expected = 1000;
    for (int k = 0; k < 400; k++)
        pace_cpu_piece(&pace, 10, 4 * OPENING / 10000);
    for (int k = 0; k < 100; k++)
        pace_note(&pace, 0.1, 0);
    CHECK(pace_why_closed(&pace), "an opening is all that is left to compute");
}

/* One piece of four threads' may have been slow by chance. */
static void test_doubt(void)
{
    struct pace pace = pace_begin(4, OPENING);

    pace.expected = 1000;
    pace_cpu_piece(&pace, 10, 4 * 7 * OPENING / 100);
    pace_note(&pace, 10, 0);
    CHECK(pace_why_closed(&pace), "seven openings, by one piece");
    pace_cpu_piece(&pace, 10, 4 * 9 * OPENING / 100);
    pace_note(&pace, 10, 0);
    CHECK(!pace_why_closed(&pace), "eight, by two");
}

/* A run whose processor takes a second for an amount of 1, by one thread. */
static struct pace measured(void)
{
    struct pace pace = pace_begin(8, OPENING);

    CHECK(pace_sessions(&pace) == 0, "the processor begins");
    pace_cpu_piece(&pace, 0.5, 0.25);
    pace_cpu_piece(&pace, 0.5, 0.75);
    CHECK(pace_sessions(&pace) == 1, "one session on trial");
    return pace;
}

static void test_fast(void)
{
    struct pace pace = measured();

    CHECK(pace_part_for_gpu(&pace) > 1, "small pieces on trial");
    pace_gpu_piece(&pace, 1, 50, 1, 1);
    CHECK(pace_sessions(&pace) == 1 && !pace.gpu_proved, "the first loads the kernel");
    for (int lent = 1; lent <= 5; lent++) {
        pace_gpu_piece(&pace, 1, 0.9, 1, lent);
        CHECK(pace_sessions(&pace) == lent + 1, "%d lent", lent);
    }
    CHECK(pace.gpu_proved && pace_part_for_gpu(&pace) == 1, "it is faster");
    pace_gpu_piece(&pace, 1, 0.9, 1, 2);
    CHECK(pace_sessions(&pace) == 6, "what few reach says nothing of more");
    pace_gpu_piece(&pace, 1, 1.1, 1, 6);
    CHECK(pace_sessions(&pace) == 5, "six share it, and are slower than threads");
    pace_gpu_piece(&pace, 1, 2.1, 1, 6);
    CHECK(pace_sessions(&pace) == 2, "much slower");
    pace_gpu_piece(&pace, 1, 100, 1, 2);
    CHECK(pace_sessions(&pace) == 1, "but not given up");
    pace_gpu_piece(&pace, 1, 1.1, 1, 1);
    CHECK(pace_sessions(&pace) == 1, "once is chance");
    pace_gpu_piece(&pace, 1, 0.24, 1, 1);
    CHECK(pace_sessions(&pace) == 4, "four times as fast: enough for four");
    pace_gpu_piece(&pace, 1, 0, 1, 1);
    CHECK(pace_sessions(&pace) == 8, "no more than threads");
}

static void test_slow(void)
{
    struct pace pace = measured();

    pace_gpu_piece(&pace, 1, 1.1, 1, 1);
    pace_gpu_piece(&pace, 1, 1.1, 1, 1);
    CHECK(pace_sessions(&pace) == 1, "once is chance");
    pace_gpu_piece(&pace, 1, 1.1, 1, 1);
    CHECK(pace_sessions(&pace) == 0 && !pace.gpu_proved, "it is slower");
    pace = measured();
    for (int k = 0; k < 3; k++)
        pace_gpu_piece(&pace, 1, 0.6, 2, 1);
    CHECK(pace_sessions(&pace) == 0, "two threads are faster");
}

static void test_parts(void)
{
    struct pace pace = pace_begin(8, OPENING);

    CHECK(pace_part_for_cpu(&pace, false, true) > 1, "until the speed is known");
    CHECK(pace_part_for_cpu(&pace, false, false) == 1, "unless that takes a second round");
    pace_cpu_piece(&pace, 1, 1);
    CHECK(pace_part_for_cpu(&pace, false, true) == 1, "no GPU is in sight");
    CHECK(pace_part_for_cpu(&pace, true, false) > 1, "while a GPU may take over");
    for (int k = 0; k < 3; k++)
        pace_gpu_piece(&pace, 1, 2, 1, 1);
    CHECK(pace_part_for_cpu(&pace, true, true) == 1, "it did not");
}

int main(void)
{
    test_opening();
    test_pause();
    test_pieces_on_their_way();
    test_doubt();
    test_fast();
    test_slow();
    test_parts();
    return unit_result();
}
