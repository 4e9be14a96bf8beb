/* SPDX-License-Identifier: MIT */
/* The engine cpu:u8, an implementation of the variant smooth_cpu, estimates samples in integers and
 * floats. If the estimate does not decide how a sample is rounded, the engine computes the sample
 * again in doubles. This path (attack.h) tests the error bound of these doubles. */
#include "tests/bounds/attack/cpu/cpu.h"
#include "kernels/common/isa.h"
#include "kernels/smooth/cpu/u8/loops.h"

#define N 8
#define TAPS (2 * U8_MAX_HALO + 1)

static struct smooth_u8_weights weights;
static uint8_t windows[N][TAPS][TAPS]; /* [window][line][tap] */

static enum attack_service open_job(const struct request *request, struct attack_limits *limits)
{
    if (smooth_u8_refuses(request))
        return DECLINES;
    smooth_u8_make(request, &weights);
    limits->least = limits->from = -weights.repair_bound;
    limits->most = limits->to = weights.repair_bound;
    return SERVES;
}

static void sum_line(int64_t line, const uint16_t *samples)
{
    for (int64_t tap = 0; tap <= 2 * weights.halo_x; tap++)
        for (int lane = 0; lane < N; lane++)
            windows[lane][line][tap] = (uint8_t)samples[tap * N + lane];
}

static void estimate(double *t)
{
    const struct smooth_u8_loops *loops = isa_find(TEXT(ISA))->smooth_u8;

    for (int lane = 0; lane < N; lane++)
        t[lane] = loops->filter_sample(windows[lane][0], TAPS, &weights) + 0.5;
}

const struct attack_path attack_u8_repair = {
    "CPU u8, repair in doubles", N, false, 0.24, 0.47, 1e-10, open_job, sum_line, estimate, false};
