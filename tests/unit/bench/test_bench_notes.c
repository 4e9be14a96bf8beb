/* SPDX-License-Identifier: MIT */
/* The sentences beside the columns of smoothimg-bench's tables, of rows with times that a test
 * cannot foresee, or that only a GPU has. */
#include "src/bench/core/suite.h"
#include "tests/unit/unit.h"

#include <string.h>

/* What a function has printed. */
struct printed {
    char text[4096];
    FILE *stream;
};

static FILE *start(struct printed *printed)
{
    memset(printed->text, 0, sizeof printed->text);
    printed->stream = fmemopen(printed->text, sizeof printed->text - 1, "w");
    NEED(printed->stream);
    return printed->stream;
}

/* Has it printed this? */
static void expect(struct printed *printed, const char *wanted, bool there, const char *what)
{
    fclose(printed->stream);
    CHECK((strstr(printed->text, wanted) != NULL) == there, "%s: wanted\n%sbut got\n%s", what,
          wanted, printed->text);
}

static void expect_of_group(const struct group *group, const char *wanted, bool there,
                            const char *what)
{
    const struct results results = {.against = NULL};
    struct printed printed;

    table_print_group(start(&printed), &results, group);
    expect(&printed, wanted, there, what);
}

/* A GPU's cache makes shares of more than 100 %, if there is a copy to compare with. */
static void check_cached(void)
{
    struct group group = {.cached_bytes = 2500000,
                          .row_count = 2,
                          .rows = {{.name = "copy", .copy = true, .place = ON_GPU, .median = 1},
                                   {.name = "fused", .place = ON_GPU, .median = 1}}};

    expect_of_group(&group,
                    "  GPU: image and result, 2.5 MB, fit into the GPU's cache, and the copy does\n"
                    "    not: larger images show the memory\n",
                    true, "in the cache");
    group.rows[0].place = ON_CPU;
    expect_of_group(&group, "cache", false, "without a copy on the GPU");
    group.rows[0].place = ON_GPU;
    group.cached_bytes = 0;
    expect_of_group(&group, "cache", false, "larger than the cache");
}

/* The arithmetic of a row, and its error if it may have one. */
static void check_arithmetic(void)
{
    const struct group group = {.row_count = 1,
                                .rows = {{.name = "row",
                                          .shows = "Look.",
                                          .median = 1e-3,
                                          .bytes = 1000,
                                          .flops = 2000000,
                                          .asked = 4000,
                                          .worst = 0.125}}};

    expect_of_group(
        &group,
        "    2.000 GFLOP/s, 2000 flop per useful byte, 500.0 per byte asked for. Largest\n"
        "    error: 12.5 % of the allowed bound. Look.\n",
        true, "arithmetic");
}

/* Above and below all tables: the rates and peaks that were measured, and no others. */
static void check_head_and_end(void)
{
    struct results results = {.machine.isa = "", .copy_rate = {2e9, 3e12}, .peak = {4e12, 5e11}};
    struct printed printed;

    table_print_head(start(&printed), &results);
    expect(&printed,
           "copy on the CPU: 2.000 GB/s, read and written, by one thread\n"
           "copy on the GPU: 3000 GB/s, read and written\n",
           true, "both copies");
    table_print_end(start(&printed), &results);
    expect(&printed,
           "\npeak of the GPU in single precision: 4000 GFLOP/s\n"
           "peak of the GPU in double precision: 500.0 GFLOP/s\n",
           true, "both peaks");
    results.copy_rate[ON_CPU] = results.peak[1] = 0;
    table_print_head(start(&printed), &results);
    expect(&printed, "copy on the CPU", false, "on the GPU");
    table_print_end(start(&printed), &results);
    expect(&printed, "double precision", false, "one peak");
}

int main(void)
{
    check_head_and_end();
    check_cached();
    check_arithmetic();
    return unit_result();
}
