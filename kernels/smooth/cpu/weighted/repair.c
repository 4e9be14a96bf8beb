/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/cpu/weighted/repair.h"

#include "kernels/common/isa.h"
#include "kernels/common/numbers.h"
#include "kernels/common/sample.h"
#include "kernels/smooth/cpu/ring.h"
#include "kernels/smooth/cpu/weighted/bound.h"
#include "kernels/smooth/cpu/weighted/exact.h"

/* taps_x of struct weighted_window. */
static int64_t columns(const struct job *job)
{
    return round_up(2 * job->halo_x + 1, 8);
}

struct weighted_repair weighted_repair_make(const struct job *job, bool in_floats,
                                            uintptr_t *memory)
{
    const int32_t channels = job->src.channels;
    struct weighted_repair repair = {
        .job = job,
        .in_doubles = in_floats && (channels == 2 || channels == 4),
        .bound = smooth_weighted_window_bound(job),
        .taps_x = ring_carve(memory, columns(job) * (int64_t)sizeof(double)),
        .taps_y = ring_carve(memory, (job->halo_y + 1) * (int64_t)sizeof(double)),
    };

    repair.window = (struct weighted_window){
        .stride = job->src.stride_bytes,
        .channels = channels,
        .halo_x = job->halo_x,
        .halo_y = job->halo_y,
        .taps_x = repair.taps_x,
        .taps_y = repair.taps_y,
    };
    return repair;
}

void weighted_repair_set_taps(const struct weighted_repair *repair)
{
    const struct job *job = repair->job;

    for (int64_t i = 0; i < columns(job); i++)
        repair->taps_x[i] = i <= 2 * job->halo_x ? (double)job->weights_x[i] * 0x1p-46 : 0;
    for (int64_t k = 0; k <= job->halo_y; k++)
        repair->taps_y[k] = (double)job->weights_y[job->halo_y + k] * 0x1p-46;
}

/* The result before it is cut to a whole number, in doubles; 0 where alpha is 0 all over the
 * window. */
static double raised_sample(const struct weighted_repair *repair, int64_t y, int64_t x)
{
    const struct job *job = repair->job;
    const int32_t channels = job->src.channels, channel = (int32_t)(x % channels);
    struct weighted_window window = repair->window;
    double sums[4];

    window.first = sample_address(&job->src, y - job->halo_y, x / channels - job->halo_x, 0);
    isa_of(job)->weighted->sum_window(&window, sums);

    const double alpha = channel == channels - 1 ? 1 : sums[channels - 1];

    return alpha > 0 ? sums[channel] / alpha + 0.5 : 0;
}

uint32_t weighted_repair_sample(const struct weighted_repair *repair, int64_t y, int64_t x)
{
    const struct job *job = repair->job;

    if (repair->in_doubles) {
        const double raised = raised_sample(repair, y, x);
        const double rest = raised - (double)(uint32_t)raised; /* never negative */

        if (rest > repair->bound && rest < 1 - repair->bound)
            return raised < job->maxval ? (uint32_t)raised : job->maxval;
    }
    return smooth_weighted_sample(job, y, x);
}
