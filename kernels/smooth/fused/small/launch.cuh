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

/* Whether this kernel, which computes whole tiles, is faster than the launches of the others, which
 * take one image each. Microseconds are those of an H200, of the others those of fused_window and
 * fused_int8: kernels/NOTES.md. */
static inline bool is_quick_by_small(const struct job *job)
{
    const double images = (double)images_of(job);
    const double samples =
        (double)(small_tiles(job) * SMALL_ROWS * small_columns(job->src.channels));
    const double others = (job->halo == 1 ? 8 : 10 + 0.35 * (double)job->halo) + samples * 1e-6;

    return 3.5 + images * samples * (6.5e-6 + 0.18e-6 * small_products(job)) < images * others;
}

/* For integers without a weight. */
static inline bool small_serves(const struct job *job)
{
    return job->src.channels <= SMALL_MAX_CHANNELS && job->halo <= SMALL_MAX_HALO &&
           small_reach((int)job->halo_x, job->src.channels) <= SMALL_MAX_REACH;
}

static inline bool small_pays(const struct job *job)
{
    return small_serves(job) && is_quick_by_small(job) && has_quick_doubles();
}

/* Images first..first+count-1. */
template <typename Sample>
static void launch_small_images(const struct job *job, const small_filter &filter, int64_t first,
                                int64_t count)
{
    const int wide =
        small_columns(job->src.channels) + 2 * small_reach((int)job->halo_x, job->src.channels);
    small_stack stack = {source_of(job), job->dst, job->src_apart, job->dst_apart,
                         (int)small_tiles_x(job)};

    stack.src.origin = static_cast<char *>(stack.src.origin) + first * stack.src_apart;
    stack.dst.origin = static_cast<char *>(stack.dst.origin) + first * stack.dst_apart;
    LAUNCH(fused_small<Sample>, dim3((unsigned)small_tiles(job), (unsigned)count),
           dim3((unsigned)(blocks_for(wide, 32) * 32), SMALL_ROWS / SMALL_RUN),
           SMALL_ROWS * small_slot(wide) * sizeof(double), job->stream, stack, filter);
}

template <typename Sample> static const char *launch_small(const struct job *job)
{
    const small_filter filter = make_small_filter(job);
    const int64_t images = images_of(job), most = most_blocks_down();

    for (int64_t first = 0; first < images; first += most)
        launch_small_images<Sample>(job, filter, first, min(images - first, most));
    return launched();
}

#endif
