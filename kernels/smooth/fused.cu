/* SPDX-License-Identifier: MIT */
/* clang-format off */
/* Idea:         the Gaussian is a product of two one-dimensional filters: sum along one axis, then
 *               along the other, in one kernel, so that the sums stay on the chip. A block reads
 *               its tile and the border around it, which its neighbours read too. Fast inexact
 *               arithmetic is enough where its error bound proves the rounding; the other samples,
 *               called unresolved, are computed again, if need be in integers, as
 *               smooth/reference.c does.
 *               The arithmetic depends on the GPU and the halo: bytes on tensor cores (int8/), or
 *               doubles in registers (window.cuh).
 *
 *               Where all of these refuse, or take longer, an image is filtered as an array
 *               (arrays/device/). That engine computes in doubles, and takes any sample type, any
 *               halo, alpha and NaN.
 *
 * Fixes:        the variant separable writes 64-bit sums to global memory, and computes products of
 *               128 bits for every sample. Here the sums stay on the chip, and only unresolved
 *               samples need such products.
 *
 * Still slow:   doubles at great halos: the time for a sample grows with the halo. */
/* clang-format on */
#include "kernels/common/engine.h"
#include "kernels/smooth/arrays/device/engine.h"
#include "kernels/smooth/floats/floats.h"
#include "kernels/smooth/fused/int8/launch.cuh"
#include "kernels/smooth/fused/seconds.cuh"
#include "kernels/smooth/fused/window_launch.cuh"

static double arrays_seconds(const struct request *request)
{
    return seconds_of(
        request, request->weighted || request->skip_nan ? arrays_weighed_cost : arrays_cost, true);
}

/* clang-format off */
static const struct engine fused_engines[] = {
    {.name = "fused:window",
     .description = "doubles, with the window's rows in registers",
     .refuses = window_refuses,
     .seconds = seconds_by<window_costs, true>,
     .run = window_run,
     .stack = MOST_BLOCKS_DOWN},
    {.name = "fused:int8",
     .description = "bytes on tensor cores",
     .refuses = int8_refuses,
     .seconds = seconds_by<int8_costs, false>,
     .make = int8_make,
     .state_bytes = sizeof(int8_filter),
     .run = int8_run,
     .stack = MOST_BLOCKS_DOWN},
    {.name = "fused:arrays",
     .description = "any samples, by doubles",
     .seconds = arrays_seconds,
     .make = array_device_make,
     .state_bytes = sizeof(struct device_state),
     .scratch_bytes = array_device_scratch_bytes,
     .run = array_device_run,
     .stack = INT64_MAX},
};
/* clang-format on */

DEFINE_VARIANT(smooth_fused) = {
    .op = OP_SMOOTH,
    .name = "fused",
    .backend = ON_GPU,
    .description = "separable, by the quickest of its engines",
    .engines = fused_engines,
    .count = sizeof fused_engines / sizeof *fused_engines,
};
