/* SPDX-License-Identifier: MIT */
/* smooth_cpu's estimate of colours that alpha weighs, in floats and in doubles, by the loops of
 * one instruction set. Lanes are pixels of a colour and its alpha. */
#include "tests/bounds/attack/attack_cpu.h"
#include "kernels/common/isa.h"
#include "kernels/smooth/cpu/weighted/bound.h"
#include "kernels/smooth/cpu/weighted/loops.h"

#include <math.h>

#define N WEIGHTED_BLOCK

static const struct weighted_loops *loops;
static int64_t halo_x, halo_y;
static int32_t sample_bytes;
static double start;
static alignas(64) double taps_x[ATTACK_MAX_HALO + 1], taps_y[ATTACK_MAX_HALO + 1];
static alignas(64) double line_memory[(2 * ATTACK_MAX_HALO + 1) * N];
static alignas(64) double sums[2 * ATTACK_MAX_HALO + 2][N];

static enum attack_service open_reals(const struct job *job, bool floats,
                                      struct attack_limits *limits)
{
    const double bound = smooth_weighted_bound(job);

    if (smooth_weighted_in_floats(job) != floats)
        return DECLINES;
    loops = floats ? isa_find(TEXT(ISA))->weighted->floats : isa_find(TEXT(ISA))->weighted->doubles;
    halo_x = job->halo_x;
    halo_y = job->halo_y;
    sample_bytes = job->src.sample_bytes;
    start = 0.5 + bound;
    loops->set_taps(job->weights_x + halo_x, halo_x, taps_x);
    loops->set_taps(job->weights_y + halo_y, halo_y, taps_y);
    limits->least = limits->from = 0;
    limits->most = 2 * bound;
    limits->to = floats ? (float)(2 * bound) : 2 * bound; /* as divide() compares */
    return bound >= 0.5 ? REPAIRS_ALL : SERVES;
}

static enum attack_service open_floats(const struct job *job, struct attack_limits *limits)
{
    return open_reals(job, true, limits);
}

static enum attack_service open_doubles(const struct job *job, struct attack_limits *limits)
{
    return open_reals(job, false, limits);
}

static void sum_line(int64_t line, const uint16_t *samples)
{
    loops->take(samples, 2, 2, line_memory, (2 * halo_x + 1) * N);
    loops->filter_line((char *)line_memory + halo_x * N * loops->bytes, taps_x, halo_x, N,
                       sums[line], N);
}

/* As divide() does: a division and an addition, each rounded once. */
static double quotient(const void *totals, int lane)
{
    if (loops->bytes == sizeof(float)) {
        const float *pixel = (const float *)totals + lane;
        const float mean = pixel[0] / pixel[1];

        return pixel[1] > 0 ? mean + (float)start : NAN;
    }
    const double *pixel = (const double *)totals + lane;

    return pixel[1] > 0 ? pixel[0] / pixel[1] + start : NAN;
}

static void estimate(double *t)
{
    static alignas(64) double totals[2][N];
    void *rows[2 * ATTACK_MAX_HALO + 2];

    for (int64_t i = 0; i < 2 * halo_y + 2; i++)
        rows[i] = sums[i];
    loops->filter_rows(rows, taps_y, halo_y, (void *const[]){totals[0], totals[1]}, N);
    for (int lane = 0; lane < N; lane += 2)
        t[lane] = quotient(totals[0], lane);
}

const struct attack_path attack_weighted_floats = {
    "CPU alpha, floats", N, true, 0.12, 0.4, 0.02, open_floats, sum_line, estimate, false};
const struct attack_path attack_weighted_doubles = {
    "CPU alpha, doubles", N, true, 0.12, 0.4, 1e-6, open_doubles, sum_line, estimate, false};
