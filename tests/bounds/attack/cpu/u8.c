/* SPDX-License-Identifier: MIT */
/* The paths (ways to estimate a result, attack.h) of the variant smooth_cpu for 8-bit samples. The
 * kernel's integer weights have one digit of 15 bits, or two at larger halos (u8/weights.h).
 * Includes the kernel's loops, to compile them for one instruction set. */
#include "kernels/smooth/cpu/u8/loops.c"

#include "tests/bounds/attack/cpu/cpu.h"

#define N U8_BLOCK

static struct smooth_u8_weights weights;
static uint8_t bytes[(2 * U8_MAX_HALO + 1) * N]; /* a line: [tap][window] */
/* Sums along the lines: [line][window]. The loops compute two rows of results together. The test
 * uses only the first row of results. Only the second row needs the last line. */
static float sums[2 * U8_MAX_HALO + 2][N];

static enum attack_service open_digits(const struct request *request, int digits,
                                       struct attack_limits *limits)
{
    if (smooth_u8_refuses(request))
        return DECLINES;
    smooth_u8_make(request, &weights);
    if (weights.digits != digits)
        return DECLINES;
    limits->least = 0;
    limits->most = 2 * weights.bound;
    limits->from = 0;
    /* The loops recompute samples whose estimate has a fractional part below this limit. */
    limits->to = (weights.unresolved_limit + 1.0) / (1 << FRACTION_BITS);
    return SERVES;
}

static enum attack_service open_one(const struct request *request, struct attack_limits *limits)
{
    return open_digits(request, 1, limits);
}

static enum attack_service open_two(const struct request *request, struct attack_limits *limits)
{
    return open_digits(request, 2, limits);
}

/* Passes the N windows to filter_bytes() as N channels. */
static void sum_line(int64_t line, const uint16_t *samples)
{
    const struct source_rows source = {.direct = {bytes}, .tail = N};

    for (int64_t i = 0; i < (2 * weights.halo_x + 1) * N; i++)
        bytes[i] = (uint8_t)samples[i];
    filter_bytes(&source, &weights, N, sums[line], N);
}

/* The loops widen each vector of words into two vectors of sums, 0 and 1. Returns the index of the
 * sample whose sum is in SIMD lane `lane` of vector `sum` of those that vector `number` of words
 * gives. */
static int64_t sample_of(int64_t number, int sum, int lane)
{
    return number / 2 * 2 * WORDS + bytes_place((int)(number % 2), (int)lane_place(sum, lane));
}

static void estimate(double *t)
{
    float *rows[2 * U8_MAX_HALO + 2];

    for (int64_t i = 0; i < 2 * weights.halo_y + 2; i++)
        rows[i] = sums[i];
    for (int64_t x = 0; x < N; x += PAIRS * WORDS) {
        floats out[2][2 * PAIRS];

        sum_rows(rows, weights.column, weights.halo_y, weights.start, x, out);
        for (int i = 0; i < 2 * PAIRS; i++)
            for (int lane = 0; lane < INTS; lane++)
                t[sample_of(x / WORDS + i / 2, i % 2, lane)] =
                    (double)out[0][i][lane] / (1 << FRACTION_BITS);
    }
}

const struct attack_path attack_u8_one = {
    "CPU u8, one digit", N, false, 0.5, 1, 0.003, open_one, sum_line, estimate, false};
const struct attack_path attack_u8_two = {
    "CPU u8, two digits", N, false, 0.38, 0.75, 0.001, open_two, sum_line, estimate, false};
