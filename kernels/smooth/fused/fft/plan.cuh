/* SPDX-License-Identifier: MIT */
/* Whether transforms serve a job, of which length, and how an image is cut. */
#ifndef SMOOTHIMG_FUSED_FFT_PLAN_CUH
#define SMOOTHIMG_FUSED_FFT_PLAN_CUH

#include "kernels/smooth/fused/fft/filter.cuh"
#include "kernels/smooth/fused/launch.cuh"

#ifndef FFT_PART_PAIRS           /* a test sets it */
#define FFT_PART_PAIRS (1 << 24) /* of sums: 256 MiB */
#endif
#define FFT_PART_SIDE (1 << 20) /* rows or columns at most, whatever they are few of */

/* How an image is cut into parts, and these into segments. */
struct fft_plan {
    int length;
    int64_t columns, rows; /* of a part: whole segments, or the image's */
};

/* Segments along an axis of `pixels`. 0: most of each would be halo. */
static inline int64_t segments_of(int64_t pixels, int64_t halo, int length)
{
    const int64_t inner = length - 2 * halo;

    return inner >= length / 2 ? blocks_for(pixels, inner) : 0;
}

/* Both axes of a channel, in clocks of a multiprocessor, measured on an H200: about three for each
 * number, less where the last pass is shorter. Infinite: no transform serves. */
static inline double fft_clocks(const struct job *job, int length)
{
    const int64_t width = job->src.width, height = job->src.height;
    const int64_t along = segments_of(width, job->halo_x, length);
    const int64_t down = segments_of(height, job->halo_y, length);
    const double transforms =
        (double)along * (double)(height + 2 * job->halo_y) / 2 + (double)down * (double)width / 2;

    return along && down ? transforms * length * (length == 1024 ? 2.5 : 3) : INFINITY;
}

/* The same for exact.cuh, by half of its multipliers' rate (NOTES.md), which is what was measured:
 * 3 units of 64 lanes for each tap along a row, 5.5 for each pair down a column, and what each sum
 * costs besides. */
static inline double exact_clocks(const struct job *job)
{
    const double width = (double)job->src.width, height = (double)job->src.height;
    const double along = 3 * (2 * (double)job->halo_x + 1);
    const double down = 2.75 * (2 * (double)job->halo_y + 1);

    return width * ((height + 2 * (double)job->halo_y) * along + height * (down + 100)) / 32;
}

/* The length of transforms that is cheaper. */
static inline int fft_length(const struct job *job)
{
    return fft_clocks(job, 1024) < fft_clocks(job, 4096) ? 1024 : 4096;
}

/* So many whole segments of the given size as there is room for; at least one. */
static inline int64_t whole_segments(int64_t room, int64_t inner)
{
    return max(min(room, (int64_t)FFT_PART_SIDE) / inner, (int64_t)1) * inner;
}

/* So many columns as fit into a part with all rows; then so many rows. */
static inline fft_plan plan_fft(const struct job *job)
{
    const int length = fft_length(job);
    const int64_t pairs_of_column = (job->src.height / 2 + job->halo_y + 1) * job->src.channels;
    const int64_t columns = min(
        whole_segments(FFT_PART_PAIRS / pairs_of_column, length - 2 * job->halo_x), job->src.width);
    const int64_t pairs = FFT_PART_PAIRS / (columns * job->src.channels) - job->halo_y;

    return {length, columns,
            min(whole_segments(2 * pairs, length - 2 * job->halo_y), job->src.height)};
}

/* To start the kernels, whose number is the same for any image, and to wait for the last blocks,
 * takes as long as so many clocks: 35 us. */
#define FFT_START_CLOCKS 70000

/* Whether the transforms are faster than the integers. */
static inline bool is_quick_by_fft(const struct job *job)
{
    const int channels = job->src.channels;
    const double start =
        (double)attribute_of_device(cudaDevAttrMultiProcessorCount) * FFT_START_CLOCKS;

    return has_quick_doubles() &&
           fft_clocks(job, fft_length(job)) * channels + start < exact_clocks(job) * channels;
}

/* For integers without a weight. */
static inline bool fft_serves(const struct job *job)
{
    return job->src.channels <= 64 &&
           (size_t)attribute_of_device(cudaDevAttrMaxSharedMemoryPerBlockOptin) >=
               fft_shape<4096>::shared_bytes &&
           fft_bound_of(job, fft_length(job)) < 1e-3;
}

#endif
