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

/* Tiles of an image: in a row of them, and all. */
static inline int64_t small_tiles_x(const struct job *job)
{
    return blocks_for(job->dst.width * job->dst.channels, small_columns(job->src.channels));
}

static inline int64_t small_tiles(const struct job *job)
{
    return small_tiles_x(job) * blocks_for(job->dst.height, SMALL_ROWS);
}

static inline int64_t images_of(const struct job *job)
{
    return max(job->images, (int64_t)1);
}

/* Whether this kernel, which computes whole tiles, is faster than the launches of the others.
 * Microseconds are those of an H200, of the others those of fused_window and fused_int8:
 * kernels/NOTES.md. The others take a sheet (kernels/border/sheet.h) where images have no border or
 * are several, at the price of a copy to it, and of one from it for several: each a launch, and the
 * time of the memory. */
static inline bool is_quick_by_small(const struct job *job)
{
    const int64_t images = images_of(job);
    const double samples =
        (double)(images * small_tiles(job) * SMALL_ROWS * small_columns(job->src.channels));
    const double copy = 2.3 + samples * job->src.sample_bytes * 0.5e-6;
    const double others = (job->halo == 1 ? 8 : 10 + 0.35 * (double)job->halo) + samples * 1e-6 +
                          (images > 1 ? 2 : !source_has_all(job)) * copy;

    return 3.5 + samples * (6.5e-6 + 0.18e-6 * small_products(job)) < others;
}

/* For integers without a weight. */
static inline bool small_serves(const struct job *job)
{
    return job->src.channels <= SMALL_MAX_CHANNELS && job->halo <= SMALL_MAX_HALO &&
           small_reach((int)job->halo_x, job->src.channels) <= SMALL_MAX_REACH &&
           images_of(job) <= most_blocks_down();
}

static inline bool small_pays(const struct job *job)
{
    return small_serves(job) && is_quick_by_small(job) && has_quick_doubles();
}

template <typename Sample, bool BARE> static const char *launch_small_kernel(const struct job *job)
{
    const int wide =
        small_columns(job->src.channels) + 2 * small_reach((int)job->halo_x, job->src.channels);
    const small_stack stack = {job->src,
                               job->dst,
                               job->src_apart,
                               job->dst_apart,
                               (int)small_tiles_x(job),
                               (enum edge)job->edge};

    LAUNCH((fused_small<Sample, BARE>), dim3((unsigned)small_tiles(job), (unsigned)images_of(job)),
           dim3((unsigned)(blocks_for(wide, 32) * 32), SMALL_ROWS / SMALL_RUN),
           SMALL_ROWS * small_slot(wide) * sizeof(double), job->stream, stack,
           make_small_filter(job));
    return launched();
}

template <typename Sample> static const char *launch_small(const struct job *job)
{
    return source_has_all(job) ? launch_small_kernel<Sample, false>(job)
                               : launch_small_kernel<Sample, true>(job);
}

#endif
