/* SPDX-License-Identifier: MIT */
/* Tests the figures that smoothimg-bench derives from times. A fake clock returns given times. */
#include "src/bench/core/cells.h"
#include "src/bench/core/copy.h"
#include "src/bench/memory/occupancy.h"
#include "src/bench/core/results.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <string.h>

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fabs(b);
}

/* A fake clock: the n-th call of run() reports that a run takes seconds[n]. */
struct clock {
    const double *seconds;
    int calls;
};

static enum status run(struct subject *subject, int64_t runs, double *seconds, struct error *error)
{
    struct clock *clock = subject->context;

    (void)error;
    *seconds = (double)runs * clock->seconds[clock->calls++];
    return STATUS_OK;
}

static struct row measured(const double *seconds, const struct effort *effort)
{
    struct row row = {.name = "row", .bytes = 1000};
    struct clock clock = {.seconds = seconds};
    struct subject subject = {.row = &row, .context = &clock, .run = run};
    struct error error;

    NEED(measure(&subject, 1, effort, &error) == STATUS_OK);
    return row;
}

/* The first run is a warm-up, which does not count. */
static void check_medians(void)
{
    struct row row = measured((double[]){0.5, 4, 1, 3, 2}, &(struct effort){4, 0, 100});

    CHECK(row.repeats == 4, "%d", row.repeats);
    CHECK(near(row.median, 2.5), "of an even number: %g", row.median);
    CHECK(near(row.best, 1), "%g", row.best);
    CHECK(near(row_rate(&row), 400), "%g", row_rate(&row));
    row = measured((double[]){0.5, 4, 1, 3}, &(struct effort){3, 0, 100});
    CHECK(row.repeats == 3 && near(row.median, 3), "of an odd number: %g", row.median);
}

/* If the warm-up alone takes the whole time that a measurement may take, it is the only run, and it
 * counts. Otherwise runs are repeated until they reach the number of runs and the total time that
 * `struct effort` asks for, or until they have taken the whole allowed time. */
static void check_efforts(void)
{
    struct row row = measured((double[]){1e-5, 1e-5, 3e-5}, &(struct effort){2, 0, 100});

    CHECK(near(row.median, 2e-5) && near(row.best, 1e-5), "%g, %g", row.median, row.best);
    row = measured((double[]){7}, &(struct effort){5, 0, 2});
    CHECK(row.repeats == 1 && near(row.median, 7), "%d, %g", row.repeats, row.median);
    row = measured((double[]){1, 1, 1, 1, 1}, &(struct effort){2, 4, 100});
    CHECK(row.repeats == 4, "until the seconds are full: %d", row.repeats);
}

static void check_rates(void)
{
    struct group group = {
        .row_count = 5,
        .rows = {{.name = "copy", .copy = true, .bytes = 100, .median = 1},
                 {.name = "cpu", .bytes = 100, .median = 4},
                 {.name = "reference", .bytes = 100, .median = 20},
                 {.name = "copy", .place = ON_GPU, .copy = true, .bytes = 9000, .median = 1},
                 {.name = "fused", .place = ON_GPU, .bytes = 100, .median = 0.1}}};
    const struct row *rows = group.rows;
    struct results results = {.copy_rate = {50, 0}};

    CHECK(near(row_share(&results, &group, &rows[1]), 0.25), "%g",
          row_share(&results, &group, &rows[1]));
    CHECK(near(row_share(&results, &group, &rows[4]), 1. / 9), "%g",
          row_share(&results, &group, &rows[4]));
    results.against = "reference";
    CHECK(near(row_gain(&results, &group, &rows[1]), 5), "5 times as fast");
    CHECK(row_gain(&results, &group, &rows[0]) == 0, "a copy has none");
    results.against = "nobody";
    CHECK(row_gain(&results, &group, &rows[1]) == 0, "against nobody");
    group.rows[0].outcome = ROW_FAILED;
    CHECK(near(row_share(&results, &group, &rows[1]), 0.5),
          "of the results' copy, without its own");
    results.copy_rate[ON_CPU] = 0;
    CHECK(row_share(&results, &group, &rows[1]) == 0, "of a copy that failed");
}

/* A row is a measured variant, copy or experiment. Its gain is its rate divided by the rate of a
 * row of its group: the first one that moves as many bytes and, like the row itself, does
 * arithmetic or does none. This may be the row itself. (If `against` is not NULL, it names the row
 * instead.) */
static void check_gains(void)
{
    struct group group = {.row_count = 4,
                          .rows = {{.bytes = 100, .median = 2},
                                   {.bytes = 100, .median = 1},
                                   {.bytes = 200, .median = 1},
                                   {.bytes = 100, .median = 4, .flops = 50}}};
    const struct results results = {.against = NULL};

    CHECK(near(row_gain(&results, &group, &group.rows[1]), 2), "twice as fast");
    CHECK(near(row_gain(&results, &group, &group.rows[2]), 1), "of other bytes");
    CHECK(near(row_gain(&results, &group, &group.rows[3]), 1), "with arithmetic");
    CHECK(near(row_flop_rate(&group.rows[3]), 12.5), "%g", row_flop_rate(&group.rows[3]));
    CHECK(near(row_intensity(&group.rows[3]), 0.5), "%g", row_intensity(&group.rows[3]));
}

/* The expected values are from NVIDIA's occupancy calculator, for an A100. */
static void check_occupancy(void)
{
    static const struct {
        struct block_needs needs;
        int blocks, warps;
        enum limiter limiter;
    } cases[] = {
        {{1024, 0, 0}, 2, 64, LIMIT_NONE},         {{100, 0, 0}, 16, 64, LIMIT_THREADS},
        {{32, 0, 0}, 32, 32, LIMIT_BLOCKS},        {{256, 33, 0}, 6, 48, LIMIT_REGISTERS},
        {{256, 32, 0}, 8, 64, LIMIT_NONE},         {{128, 0, 50 << 10}, 3, 12, LIMIT_SHARED},
        {{128, 0, 200 << 10}, 0, 0, LIMIT_SHARED},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct occupancy found = occupancy_of(&sm_a100, &cases[i].needs, -1);

        CHECK(found.blocks == cases[i].blocks && found.warps == cases[i].warps,
              "case %zu: %d blocks, %d warps", i, found.blocks, found.warps);
        CHECK(found.limiter == cases[i].limiter, "case %zu: %s", i, limiter_words[found.limiter]);
    }
}

static void check_cells(void)
{
    static const struct {
        double value;
        const char *text;
    } numbers[] = {{0, "0.000"},   {9.9994, "9.999"}, {10, "10.00"},
                   {100, "100.0"}, {1000, "1000"},    {123456, "123456"}},
      seconds[] = {{2.5e-6, "2.50 us"}, {1e-3, "1.000 ms"}, {0.25, "250.000 ms"}, {1, "1.000 s"}};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        CHECK(strcmp(number_cell(numbers[i].value).text, numbers[i].text) == 0, "%g: %s",
              numbers[i].value, number_cell(numbers[i].value).text);
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++)
        CHECK(strcmp(seconds_cell(seconds[i].value).text, seconds[i].text) == 0, "%g: %s",
              seconds[i].value, seconds_cell(seconds[i].value).text);
    CHECK(strcmp(share_cell(0.5).text, "50.0 %") == 0, "%s", share_cell(0.5).text);
    CHECK(strcmp(gain_cell(2).text, "x 2.00") == 0, "%s", gain_cell(2).text);
}

#define MOST_PIECES 5
#define PIECE (1 << 16) /* bytes that a thread copies at once: a piece */

/* Checks that a copy of `bytes` bytes copies all of them, and changes no byte after them. */
static void check_copy(int64_t bytes, int threads)
{
    static unsigned char from[MOST_PIECES * PIECE + 8], to[sizeof from];
    struct copy copy = {NULL, to, from, bytes, threads};
    struct subject subject = {.context = &copy};
    struct error error;
    double seconds;
    bool outside = false;

    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (unsigned char)(1 + i % 251);
    memset(to, 0, sizeof to);
    CHECK(copy_run(&subject, 1, &seconds, &error) == STATUS_OK, "it fails");
    CHECK(memcmp(to, from, (size_t)bytes) == 0, "%lld bytes, %d threads: some were not copied",
          (long long)bytes, threads);
    for (size_t i = (size_t)bytes; i < sizeof to; i++)
        outside |= to[i] != 0;
    CHECK(!outside, "%lld bytes, %d threads: more were copied", (long long)bytes, threads);
}

/* Copies a whole number of pieces, and one byte less and more, with fewer and more threads than
 * pieces. */
static void check_copies(void)
{
    for (int pieces = 0; pieces <= MOST_PIECES; pieces++)
        for (int64_t bytes = pieces * PIECE - 1; bytes <= pieces * PIECE + 1; bytes++)
            for (int threads = 1; bytes > 0 && threads <= MOST_PIECES + 2; threads++)
                check_copy(bytes, threads);
}

int main(void)
{
    check_copies();
    check_medians();
    check_efforts();
    check_rates();
    check_gains();
    check_occupancy();
    check_cells();
    return unit_result();
}
