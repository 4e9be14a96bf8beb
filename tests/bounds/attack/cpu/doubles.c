/* SPDX-License-Identifier: MIT */
/* smooth_cpu's estimate in doubles; compiled together with the loops of an instruction
 * set. */
#include "kernels/smooth/cpu/doubles/loops.c"

#include "tests/bounds/attack/cpu/cpu.h"
#include "kernels/smooth/cpu/doubles/doubles.h"

#define N (2 * DOUBLES_BLOCK)

static int64_t halo_x, halo_y;
static double bound, taps_x[ATTACK_MAX_HALO + 1], taps_y[ATTACK_MAX_HALO + 1];
static double line_memory[(2 * ATTACK_MAX_HALO + 1) * N];
static double sums[2 * ATTACK_MAX_HALO + 2][N];

static enum attack_service open_job(const struct request *request, struct attack_limits *limits)
{
    static alignas(64) char scratch[1 << 20];
    uintptr_t memory = (uintptr_t)scratch;
    const struct piece piece = {.request = request, .src = request->src, .beside = request->beside};
    struct smooth_doubles doubles;

    ring_lay_out(&doubles.ring, &smooth_doubles, request, &piece, DOUBLES_BLOCK, &memory);
    NEED(memory - (uintptr_t)scratch <= sizeof scratch);
    smooth_doubles.begin(&doubles.ring);
    halo_x = request->halo_x;
    halo_y = request->halo_y;
    bound = doubles.bound;
    memcpy(taps_x, doubles.taps_x, (size_t)(halo_x + 1) * sizeof *taps_x);
    memcpy(taps_y, doubles.taps_y, (size_t)(halo_y + 1) * sizeof *taps_y);
    *limits = (struct attack_limits){0, 2 * bound, 0, 2 * bound};
    return bound >= 0.5 ? REPAIRS_ALL : SERVES;
}

static void sum_line(int64_t line, const uint16_t *samples)
{
    widen_u16(samples, line_memory, (2 * halo_x + 1) * N);
    filter_line(line_memory + halo_x * N, taps_x, halo_x, N, sums[line], N);
}

static void estimate(double *t)
{
    double *rows[2 * ATTACK_MAX_HALO + 2];

    for (int64_t i = 0; i < 2 * halo_y + 2; i++)
        rows[i] = sums[i];
    for (int64_t x = 0; x < N; x += COLUMN_VECTORS * WIDTH) {
        vector out[2][COLUMN_VECTORS];

        sum_rows(rows, taps_y, halo_y, 0.5 + bound, x, out);
        memcpy(t + x, out[0], sizeof out[0]);
    }
}

const struct attack_path attack_doubles = {"CPU doubles", N,        false,    0.15,     0.36,
                                           1e-6,          open_job, sum_line, estimate, false};
