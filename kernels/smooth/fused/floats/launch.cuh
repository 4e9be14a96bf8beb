/* SPDX-License-Identifier: MIT */
/* Launches the window of floats. */
#ifndef SMOOTHIMG_FUSED_FLOATS_LAUNCH_CUH
#define SMOOTHIMG_FUSED_FLOATS_LAUNCH_CUH

#include "kernels/smooth/floats/floats.h"
#include "kernels/smooth/fused/floats/window.cuh"
#include "kernels/smooth/segments.cuh"

/* Whether the window serves, wherever the image lies. */
static inline bool suits_float_window(const struct job *whole)
{
    const struct job job = cut_idle_taps(whole);

    return !job.skip_nan && job.halo_x == job.halo_y && job.halo_x >= 1 &&
           job.halo_x <= FLOAT_WINDOW_HALO && job.src.channels <= 4 && job.src.channels != 2 &&
           job.weights_x[job.halo_x] != 0 && job.weights_y[job.halo_y] != 0;
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
           dim3(threads), 0, job->stream, source_of(job), job->dst, float_filter_of(job),
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

/* For jobs that suits_float_window(), of rows that begin where units of 16 bytes do. */
static const char *launch_float_windows(const struct job *whole)
{
    const struct job job = cut_idle_taps(whole);

    return with_constant<1, 4>(job.halo_x, [&]<int HALO>() {
        return job.src.channels == 1   ? launch_float_window<HALO, 1>(&job)
               : job.src.channels == 3 ? launch_float_window<HALO, 3>(&job)
                                       : launch_float_window<HALO, 4>(&job);
    });
}

#endif
