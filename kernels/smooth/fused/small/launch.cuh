/* SPDX-License-Identifier: MIT */
/* Launching fused_small, and when. */
#ifndef SMOOTHIMG_FUSED_SMALL_LAUNCH_CUH
#define SMOOTHIMG_FUSED_SMALL_LAUNCH_CUH

#include "kernels/smooth/fused/launch.cuh"
#include "kernels/smooth/fused/small/kernel.cuh"

/* Products for a sample: whole chunks down the columns, also of those left and right of a tile, and
 * along the rows. */
static inline double small_products(const struct job *job)
{
    const int columns = small_columns(job->src.channels);
    const int wide = columns + 2 * small_reach((int)job->halo_x, job->src.channels);
    const int64_t down = blocks_for(2 * job->halo_y + SMALL_RUN, SMALL_CHUNK) * SMALL_CHUNK;
    const int64_t along = blocks_for(2 * job->halo_x + SMALL_RUN, SMALL_CHUNK) * SMALL_CHUNK;

    return (double)(down * wide) / columns + (double)along;
}

/* Whether this kernel is faster than the launches of the others. Microseconds are those of an H200,
 * of the others those of fused_window and fused_int8: kernels/NOTES.md. */
static inline bool prefers_small(const struct job *job)
{
    const double samples = (double)job->src.width * (double)job->src.height * job->src.channels;
    const double others = (job->halo == 1 ? 8 : 10 + 0.35 * (double)job->halo) + samples * 1e-6;

    return !job->large && !job->weighted && job->src.channels <= SMALL_MAX_CHANNELS &&
           job->halo <= SMALL_MAX_HALO &&
           small_reach((int)job->halo_x, job->src.channels) <= SMALL_MAX_REACH &&
           3.5 + samples * (6.5e-6 + 0.18e-6 * small_products(job)) < others && has_quick_doubles();
}

template <typename Sample> static const char *launch_small(const struct job *job)
{
    const int columns = small_columns(job->src.channels);
    const int wide = columns + 2 * small_reach((int)job->halo_x, job->src.channels);
    const int tiles_x = (int)blocks_for(job->dst.width * job->dst.channels, columns);
    const int64_t tiles = tiles_x * blocks_for(job->dst.height, SMALL_ROWS);

    LAUNCH((fused_small<Sample>), dim3((unsigned)tiles),
           dim3((unsigned)(blocks_for(wide, 32) * 32), SMALL_ROWS / SMALL_RUN),
           SMALL_ROWS * small_slot(wide) * sizeof(double), job->stream, job->src, job->dst,
           make_small_filter(job), tiles_x);
    return launched();
}

#endif
