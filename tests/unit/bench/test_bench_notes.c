/* SPDX-License-Identifier: MIT */
/* The sentences beside the columns of smoothimg-bench's tables, of rows with times that a test
 * cannot foresee, or that only a GPU has. */
#include "src/bench/memory/suite.h"
#include "src/bench/variants/suite.h"
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

static void expect(struct printed *printed, const char *wanted, const char *what)
{
    fclose(printed->stream);
    CHECK(strcmp(printed->text, wanted) == 0, "%s: wanted\n%sbut got\n%s", what, wanted,
          printed->text);
}

static void expect_group_note(const struct group *group, const char *wanted, const char *what)
{
    struct printed printed;

    variants_print_group_note(start(&printed), group);
    expect(&printed, wanted, what);
}

/* A GPU's cache makes shares of more than 100 %, if there is a copy to compare with. */
static void check_cached(void)
{
    struct group group = {.cached_bytes = 2500000,
                          .row_count = 2,
                          .rows = {{.name = "copy", .copy = true, .place = ON_GPU, .median = 1},
                                   {.name = "fused", .place = ON_GPU, .median = 1}}};

    expect_group_note(
        &group,
        "  GPU: image and result, 2.5 MB, fit into the GPU's cache, and the copy does\n"
        "    not: larger images show the memory\n",
        "in the cache");
    group.rows[0].place = ON_CPU;
    expect_group_note(&group, "", "without a copy on the GPU");
    group.rows[0].place = ON_GPU;
    group.cached_bytes = 0;
    expect_group_note(&group, "", "larger than the cache");
}

static void expect_row_note(const struct row *row, const char *wanted, const char *what)
{
    struct printed printed;

    memory_print_row_note(start(&printed), row);
    expect(&printed, wanted, what);
}

/* The arithmetic of a row, and its error if it may have one. */
static void check_arithmetic(void)
{
    const struct row row = {.name = "row",
                            .shows = "Look.",
                            .median = 1e-3,
                            .bytes = 1000,
                            .flops = 2000000,
                            .asked = 4000,
                            .worst = 0.125};

    expect_row_note(
        &row,
        "    2.000 GFLOP/s, 2000 flop per useful byte, 500.0 per byte asked for. Largest\n"
        "    error: 12.5 % of the allowed bound. Look.\n",
        "arithmetic");
}

/* Above and below all tables: the rates and peaks that were measured, and no others. */
static void check_head_and_end(void)
{
    struct results results = {.copy_rate = {2e9, 3e12}, .peak = {4e12, 5e11}};
    struct printed printed;

    memory_print_head(start(&printed), &results);
    expect(&printed,
           "copy on the CPU: 2.000 GB/s, read and written, by one thread\n"
           "copy on the GPU: 3000 GB/s, read and written\n",
           "both copies");
    memory_print_end(start(&printed), &results);
    expect(&printed,
           "\npeak of the GPU in single precision: 4000 GFLOP/s\n"
           "peak of the GPU in double precision: 500.0 GFLOP/s\n",
           "both peaks");
    results.copy_rate[ON_CPU] = results.peak[1] = 0;
    memory_print_head(start(&printed), &results);
    expect(&printed, "copy on the GPU: 3000 GB/s, read and written\n", "on the GPU");
    memory_print_end(start(&printed), &results);
    expect(&printed, "\npeak of the GPU in single precision: 4000 GFLOP/s\n", "one peak");
}

int main(void)
{
    check_head_and_end();
    check_cached();
    check_arithmetic();
    return unit_result();
}
