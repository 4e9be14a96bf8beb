/* SPDX-License-Identifier: MIT */
/* Launches the kernel of floats. */
#ifndef SMOOTHIMG_FUSED_FLOATS_LAUNCH_CUH
#define SMOOTHIMG_FUSED_FLOATS_LAUNCH_CUH

#include "kernels/smooth/floats.h"
#include "kernels/smooth/fused/floats/kernel.cuh"
#include "kernels/smooth/shared_floats.cuh"

static inline size_t float_tile_bytes(const struct job *job)
{
    const size_t samples = (size_t)(FLOAT_TILE_Y + 2 * job->halo_y) * FLOAT_TILE_X;

    return (job->skip_nan ? 2 : 1) * samples * sizeof(double);
}

/* Sets the weights of one axis in doubles; returns their sum. */
static inline double set_taps(double *taps, const uint64_t *weights, int64_t halo)
{
    double sum = 0;

    for (int64_t k = 0; k <= halo; k++)
        taps[k] = (double)weights[halo + k] * 0x1p-46;
    for (int64_t k = 0; k <= halo; k++)
        sum += k > 0 ? 2 * taps[k] : taps[k];
    return sum;
}

template <bool MEANS> static const char *launch_float_tiles_of(const struct job *job)
{
    const dim3 block(FLOAT_TILE_X, FLOAT_WARPS);
    const dim3 grid = grid_over(job->src.width * job->src.channels, job->src.height,
                                dim3(FLOAT_TILE_X, FLOAT_TILE_Y));
    float_filter filter;

    memset(&filter, 0, sizeof filter);
    filter.exact = two_axes_of<FLOAT_HALO>(job);
    filter.whole = set_taps(filter.along, job->weights_x, job->halo_x) *
                   set_taps(filter.down, job->weights_y, job->halo_y);
    LAUNCH((smooth_float_tiles<MEANS>), grid, block, float_tile_bytes(job), job->stream, job->src,
           job->dst, filter);
    return launched();
}

/* Larger halos leave the tile no room, and without weights there is nothing to sum: those go to the
 * kernel of `shared`. */
static const char *launch_fused_floats(const struct job *whole)
{
    const struct job job = cut_idle_taps(whole);

    if (job.halo_x > FLOAT_HALO || float_tile_bytes(&job) > MOST_SHARED_BYTES ||
        job.weights_x[job.halo_x] == 0 || job.weights_y[job.halo_y] == 0)
        return launch_shared_floats(whole);
    return job.skip_nan ? launch_float_tiles_of<true>(&job) : launch_float_tiles_of<false>(&job);
}

#endif
