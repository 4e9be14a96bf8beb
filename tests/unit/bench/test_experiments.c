/* SPDX-License-Identifier: MIT */
/* Tests what the benchmarks of kernels/memory and their tests rely on: the input data, the
 * comparison of results, and the reference of smoothing. */
#include "kernels/memory/experiments.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 1000

/* The two inputs must differ: if they were equal, a kernel could read the wrong one unnoticed. */
static void check_data(void)
{
    static int32_t first[COUNT], second[COUNT];
    const struct array_spec want = {.type = ELEMENT_I32, .count = COUNT, .low = -3, .high = 4};
    int alike = 0, seen = 0;

    array_fill(&want, 0, &(struct array){first, COUNT, ELEMENT_I32});
    array_fill(&want, 1, &(struct array){second, COUNT, ELEMENT_I32});
    for (int i = 0; i < COUNT; i++) {
        CHECK(first[i] >= -3 && first[i] <= 4, "%d", (int)first[i]);
        seen |= 1 << (first[i] + 3);
        alike += first[i] == second[i];
    }
    CHECK(alike < COUNT / 4, "%d of %d are alike", alike, COUNT);
    CHECK(seen == 0xff, "of eight numbers: %x", (unsigned)seen);
}

static void no_shape(const struct experiment *row, const struct problem_size *size,
                     struct array_specs *shape)
{
    (void)row, (void)size, (void)shape;
}

/* The comparison of 64-bit sums must not convert them to doubles, in which 2^53 + 1 becomes
 * 2^53. */
static void check_large_sums(void)
{
    int64_t wanted = ((int64_t)1 << 53) + 1, got = (int64_t)1 << 53;
    const struct experiment row = {.group = "sums", .shape = no_shape};
    const struct experiment_job job = {
        .row = &row, .size = {.width = 1, .height = 1}, .out = {&got, 1, ELEMENT_I64}};
    const struct array array = {&wanted, 1, ELEMENT_I64};

    CHECK(experiment_judge(&job, &array).wrong == 1, "the last bit");
    got = wanted;
    CHECK(experiment_judge(&job, &array).wrong == 0, "the same");
}

static const struct experiment *row_of(const char *group)
{
    int i = 0;

    while (experiment_at(i) && strcmp(experiment_at(i)->group, group) != 0)
        i++;
    NEED(experiment_at(i));
    return experiment_at(i);
}

/* Smooths an image in which one pixel is 100 and all others are 0, with a halo of 3. At distance d
 * from that pixel the result is 100 * exp(-d^2 / s) / (s * pi), where s = 2/9 halo^2 = 2. */
static void check_smoothing(void)
{
    static uint8_t in[7 * 9];
    static double out[7 * 9];
    const struct experiment *row = row_of("smoothing");
    struct experiment_job job = {.row = row,
                                 .size = {.width = 1, .height = 3, .halo = 3},
                                 .in = {{in, 7 * 9, ELEMENT_U8}},
                                 .out = {out, 7 * 9, ELEMENT_F64}};

    in[4 * 7 + 3] = 100;
    row->reference(&job);
    for (int y = 3; y < 6; y++) {
        const double wanted = 100 * exp(-(y - 4) * (y - 4) / 2.) / (2 * 3.14159265358979323846);

        CHECK(fabs(out[y * 7 + 3] - wanted) < 1e-9, "row %d: %.12g, not %.12g", y, out[y * 7 + 3],
              wanted);
    }
}

/* Sums in floats are exact if the image has at most 2^20 samples along each side. Experiments that
 * sum in floats refuse larger images. */
static void check_refused_sums(void)
{
    const struct problem_size most = {.width = 1 << 20, .height = 1 << 20},
                              wide = {.width = (1 << 20) + 1, .height = 1},
                              high = {.width = 1, .height = (1 << 20) + 1};
    int rows = 0;

    for (int i = 0; experiment_at(i); i++) {
        const struct experiment *row = experiment_at(i);

        if (strcmp(row->group, "sums") == 0 && row->refuses) {
            CHECK(!row->refuses(row, &most), "%s", row->row);
            CHECK(row->refuses(row, &wide), "%s, wide", row->row);
            CHECK(row->refuses(row, &high), "%s, high", row->row);
            rows++;
        }
    }
    CHECK(rows == 2, "%d rows", rows);
}

int main(void)
{
    check_data();
    check_refused_sums();
    check_large_sums();
    check_smoothing();
    return unit_result();
}
