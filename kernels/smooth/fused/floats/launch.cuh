/* SPDX-License-Identifier: MIT */
/* Launches the kernel of floats. */
#ifndef SMOOTHIMG_FUSED_FLOATS_LAUNCH_CUH
#define SMOOTHIMG_FUSED_FLOATS_LAUNCH_CUH

#include "kernels/smooth/floats/floats.h"
#include "kernels/common/elements.cuh"
#include "kernels/smooth/fused/floats/direct.cuh"
#include "kernels/smooth/fused/floats/kernel.cuh"
#include "kernels/smooth/fused/floats/window.cuh"
#include "kernels/smooth/segments.cuh"

static inline size_t float_tile_bytes(const struct job *job)
{
    const size_t samples = (size_t)(FLOAT_TILE_Y + 2 * job->halo_y) * FLOAT_TILE_X;

    return (job->skip_nan ? 2 : 1) * samples * sizeof(double);
}

template <bool MEANS> static const char *launch_float_tiles_of(const struct job *job)
{
    const dim3 block(FLOAT_TILE_X, FLOAT_WARPS);
    const dim3 grid = grid_over(job->src.width * job->src.channels, job->src.height,
                                dim3(FLOAT_TILE_X, FLOAT_TILE_Y));

    LAUNCH((smooth_float_tiles<MEANS>), grid, block, float_tile_bytes(job), job->stream, job->src,
           job->dst, float_filter_of(job));
    return launched();
}

/* Whether a window of rows serves. */
static inline bool suits_float_window(const struct job *job)
{
    return !job->skip_nan && job->halo_x == job->halo_y && job->halo_x >= 1 &&
           job->halo_x <= FLOAT_WINDOW_HALO && job->src.channels <= 4 && job->src.channels != 2 &&
           aligned_view(&job->src, 16) && aligned_view(&job->dst, 16);
}

template <int HALO, int CHANNELS, bool BY_UNIT>
static const char *launch_float_window_by(const struct job *job)
{
    typedef float_strip<HALO, CHANNELS> strip;
    const unsigned threads = 32 * (WINDOW_WARPS + (BY_UNIT ? 1 : 0));
    const int64_t column_blocks =
        blocks_for(job->dst.width * CHANNELS, WINDOW_WARPS * strip::columns);
    const int rows = rows_of_segment(column_blocks, job->dst.height,
                                     (const void *)smooth_float_window<HALO, CHANNELS, BY_UNIT>,
                                     (int)threads, 0, HALO);

    LAUNCH((smooth_float_window<HALO, CHANNELS, BY_UNIT>),
           dim3((unsigned)column_blocks, (unsigned)blocks_for(job->dst.height, rows)),
           dim3(threads), 0, job->stream, job->src, job->dst, float_filter_of(job),
           smooth_floats_bound(job, false), rows);
    return launched();
}

template <int HALO, int CHANNELS> static const char *launch_float_window(const struct job *job)
{
    if constexpr (float_strip<HALO, CHANNELS>::by_unit)
        if (attribute_of_device(cudaDevAttrComputeCapabilityMajor) >= 9)
            return launch_float_window_by<HALO, CHANNELS, true>(job);
    return launch_float_window_by<HALO, CHANNELS, false>(job);
}

template <int CHANNELS> static const char *launch_float_window_of(const struct job *job)
{
    switch (job->halo_x) {
    case 1:
        return launch_float_window<1, CHANNELS>(job);
    case 2:
        return launch_float_window<2, CHANNELS>(job);
    case 3:
        return launch_float_window<3, CHANNELS>(job);
    default:
        return launch_float_window<4, CHANNELS>(job);
    }
}

static const char *smooth_by_float_window(const struct job *job)
{
    switch (job->src.channels) {
    case 1:
        return launch_float_window_of<1>(job);
    case 3:
        return launch_float_window_of<3>(job);
    default:
        return launch_float_window_of<4>(job);
    }
}

/* Larger halos leave the tile no room, and without weights there is nothing to sum: those are
 * summed directly. */
static inline bool float_tiles_serve(const struct job *whole)
{
    const struct job job = cut_idle_taps(whole);

    return job.halo_x <= FLOAT_HALO && float_tile_bytes(&job) <= MOST_SHARED_BYTES &&
           job.weights_x[job.halo_x] != 0 && job.weights_y[job.halo_y] != 0;
}

/* For jobs that float_tiles_serve(). */
static const char *launch_fused_floats(const struct job *whole)
{
    const struct job job = cut_idle_taps(whole);

    if (suits_float_window(&job))
        return smooth_by_float_window(&job);
    return job.skip_nan ? launch_float_tiles_of<true>(&job) : launch_float_tiles_of<false>(&job);
}

#endif
