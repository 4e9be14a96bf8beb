/* SPDX-License-Identifier: MIT */
/* smooth_cpu's estimate of colours that alpha weighs, in floats and in doubles; compiled together
 * with the loops of an instruction set. Lanes are pixels of a colour and its alpha. */
#include "kernels/smooth/cpu/weighted/loops.c"

#include "tests/bounds/attack/cpu/cpu.h"
#include "kernels/smooth/cpu/weighted/bound.h"

#include <math.h>

#define PIXELS 32 /* a colour and its alpha each */
#define N (2 * PIXELS)
#define OFFSET_BOUND 0x1p-32 /* of adding it to doubles: see smooth_weighted_bound() */

static const struct weighted_loops *loops;
static int64_t halo_x, halo_y;
static struct weighted_rows job_rows;
static alignas(64) double taps_x[ATTACK_MAX_HALO + 1], taps_y[ATTACK_MAX_HALO + 1];
static alignas(64) double line_memory[(2 * ATTACK_MAX_HALO + 1) * N];
static alignas(64) double sums[2 * ATTACK_MAX_HALO + 2][N];

static enum attack_service open_reals(const struct request *request, bool in_floats,
                                      struct attack_limits *limits)
{
    const double bound = smooth_weighted_bound(request), unit = in_floats ? 0x1p16 : 0x1p32;

    if (smooth_weighted_in_floats(request) != in_floats)
        return DECLINES;
    loops = in_floats ? &loops_floats : &loops_doubles;
    halo_x = request->halo_x;
    halo_y = request->halo_y;
    job_rows = (struct weighted_rows){.bound = bound, .maxval = request->maxval};
    loops->set_taps(request->weights_x + halo_x, halo_x, taps_x);
    loops->set_taps(request->weights_y + halo_y, halo_y, taps_y);
    limits->least = limits->from = 0;
    limits->most = 2 * bound;
    limits->to = (floor(2 * bound * unit) + 1) / unit; /* as make_cut() has it */
    return bound >= 0.5 ? REPAIRS_ALL : SERVES;
}

static enum attack_service open_floats(const struct request *request, struct attack_limits *limits)
{
    return open_reals(request, true, limits);
}

static enum attack_service open_doubles(const struct request *request, struct attack_limits *limits)
{
    return open_reals(request, false, limits);
}

/* Doubles before the offset is added: the rest of the bound. */
static enum attack_service open_sums(const struct request *request, struct attack_limits *limits)
{
    const enum attack_service service = open_doubles(request, limits);
    const double bound = job_rows.bound - OFFSET_BOUND;

    *limits = (struct attack_limits){0, 2 * bound, 0, 2 * bound};
    return bound < 1e-14 ? DECLINES : service; /* a double next to 1/2 shows no less */
}

/* Taps are PIXELS apart in each plane. */
static void sum_line(int64_t line, const uint16_t *samples)
{
    const int64_t plane = (2 * halo_x + 1) * PIXELS;

    loops->take(samples, 2, 2, line_memory, plane, plane);
    for (int c = 0; c < 2; c++)
        if (loops == &loops_floats)
            filter_line_floats((float *)line_memory + c * plane + halo_x * PIXELS,
                               (const float *)taps_x, halo_x, PIXELS,
                               (float *)sums[line] + c * PIXELS, PIXELS);
        else
            filter_line_doubles(line_memory + c * plane + halo_x * PIXELS, taps_x, halo_x, PIXELS,
                                sums[line] + c * PIXELS, PIXELS);
}

/* t of the colours: estimates in units of 1 / UNIT, above OFFSET. START: what a quotient is raised
 * by. */
#define ESTIMATE(NAME, REALS, REAL, UNIT, OFFSET, START)                                           \
    static void estimate_##NAME(double *t)                                                         \
    {                                                                                              \
        struct cut_##REALS cut = make_cut_##REALS(&job_rows);                                      \
        const int width = VECTOR_BYTES / sizeof(REAL);                                             \
        void *rows[2 * ATTACK_MAX_HALO + 2];                                                       \
                                                                                                   \
        cut.start = (START);                                                                       \
        for (int64_t i = 0; i < 2 * halo_y + 2; i++)                                               \
            rows[i] = sums[i];                                                                     \
        for (int64_t x = 0; x < PIXELS; x += width) {                                              \
            vector_##REALS both[2][MAX_PLANES], raised[2];                                         \
            truths_##REALS none;                                                                   \
                                                                                                   \
            sum_planes_##REALS(rows, (const REAL *)taps_y, halo_y, x, PIXELS, 2, both);            \
            none = divide_##REALS(both[0], 2, &cut, raised);                                       \
            for (int i = 0; i < width; i++)                                                        \
                t[2 * (x + i)] = none[i] ? NAN : ((double)raised[0][i] - (OFFSET)) / (UNIT);       \
        }                                                                                          \
    }
ESTIMATE(floats, floats, float, 0x1p16, 0, cut.start)
ESTIMATE(doubles, doubles, double, 1, 0x1p20, cut.start)
ESTIMATE(sums, doubles, double, 1, 0, (vector_doubles){0} + 0.5 + (job_rows.bound - OFFSET_BOUND))

const struct attack_path attack_weighted_floats = {
    "CPU alpha, floats", N, true, 0.12, 0.4, 0.02, open_floats, sum_line, estimate_floats, false};
const struct attack_path attack_weighted_doubles = {
    "CPU alpha, doubles", N, true, 0.3, 1.0, 1e-6, open_doubles, sum_line, estimate_doubles, false};
const struct attack_path attack_weighted_sums = {"CPU alpha, doubles, before the offset",
                                                 N,
                                                 true,
                                                 0.12,
                                                 0.4,
                                                 1e-6,
                                                 open_sums,
                                                 sum_line,
                                                 estimate_sums,
                                                 false};
