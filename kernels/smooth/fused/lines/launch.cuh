/* SPDX-License-Identifier: MIT */
/* Launches the kernels of lines for one part of the image after another, so that the part's sums
 * need little memory. A part has all columns, unless these are too many: then the sums of a border
 * are computed twice. */
#ifndef SMOOTHIMG_FUSED_LINES_LAUNCH_CUH
#define SMOOTHIMG_FUSED_LINES_LAUNCH_CUH

#include "kernels/smooth/floats/floats.h"
#include "kernels/smooth/fused/exact_launch.cuh"
#include "kernels/smooth/fused/launch.cuh"
#include "kernels/smooth/fused/lines/floats.cuh"

#define LINES_PART_SUMS (1 << 24) /* of a plane: 128 MiB */
#define LINES_FEW_SUMS (1 << 20)  /* in the scratch of an engine that seldom needs it */

/* How an image is cut. */
struct lines_parts {
    int64_t columns, rows; /* pixels of a part; rows: a multiple of LINES_TILE */
};

static inline int64_t to_lines_tiles(int64_t count)
{
    return blocks_for(count, LINES_TILE) * LINES_TILE;
}

/* Lines of a plane for a part of so many columns: what the last tile reads. */
static inline int64_t lines_for(const struct job *job, int64_t columns)
{
    return to_lines_tiles(columns) +
           (int64_t)(steps_for((int)job->halo_x, LINES_TILE) * LINES_STEP - LINES_TILE);
}

static inline lines_parts parts_of(const struct job *job, int64_t part_sums)
{
    const int64_t least = (int64_t)LINES_TILE * LINES_WARPS, channels = job->src.channels;
    const int64_t widest = max(part_sums / (least * channels), 16 * job->halo_x);
    const int64_t columns = min(job->src.width, to_lines_tiles(max(widest, least)));
    const int64_t rows = part_sums / (lines_for(job, columns) * channels) / least * least;

    return {columns, to_lines_tiles(min(max(rows, least), job->src.height))};
}

/* Samples before the border's first in the unit of 16 bytes in which it lies. */
static inline int skipped_of(const struct job *job)
{
    const uintptr_t first =
        (uintptr_t)job->src.origin - (size_t)(job->halo_x * job->src.channels) * sizeof(uint32_t);

    return (int)(first % 16 / sizeof(uint32_t));
}

/* The planes of a part, laid out from `memory` on, which is aligned to 64 bytes; bytes: of all. */
static inline lines_planes planes_of(const struct job *job, int64_t columns, int64_t rows,
                                     void *memory, size_t *bytes)
{
    const int64_t lines = lines_for(job, columns), channels = job->src.channels;
    const int64_t pitch = to_lines_tiles(rows), numbers = lines * channels * pitch;
    const int64_t tiles = blocks_for(lines * channels + 3, LINES_TILE);
    double *sums = static_cast<double *>(memory);
    double *there = job->skip_nan ? sums + numbers : NULL;
    lines_reach *reach = reinterpret_cast<lines_reach *>(sums + (there ? 2 : 1) * numbers);

    *bytes = (size_t)((there ? 2 : 1) * numbers) * sizeof *sums +
             (size_t)(tiles * pitch / LINES_TILE) * sizeof *reach;
    return {sums, there, reach, pitch, lines, tiles, skipped_of(job)};
}

/* Of both axes, to a multiple of 64. */
static inline size_t lines_taps_bytes(const struct job *job)
{
    const int count = count_of_taps((int)job->halo_y) + count_of_taps((int)job->halo_x);

    return ((size_t)count * sizeof(double) + 63) / 64 * 64;
}

static size_t lines_scratch_bytes_for(const struct job *whole, int64_t part_sums)
{
    const struct job job = cut_idle_taps(whole);
    const lines_parts parts = parts_of(&job, part_sums);
    size_t bytes;

    planes_of(&job, parts.columns, parts.rows, NULL, &bytes);
    return aligned_list_bytes(&job) + lines_taps_bytes(&job) + bytes;
}

static inline lines_rounding rounding_of(const struct job *job)
{
    const double roundings = 2 * (double)(job->halo_x + job->halo_y) + 12;
    const double down = weights_down(job).sum();

    return {1.05 * 0x1p-53 * (job->skip_nan ? 2 * roundings + 1 : roundings),
            down * weights_along(job).sum(), down};
}

static inline size_t lines_shared_bytes(int64_t halo)
{
    return (size_t)count_of_taps((int)halo) * sizeof(double);
}

/* What lies in scratch: the list, the taps, and from `planes` on a part's planes. */
struct lines_scratch {
    lines_taps down, along;
    double *planes;
};

static inline lines_scratch scratch_of(const struct job *job)
{
    char *const memory = static_cast<char *>(job->scratch) + aligned_list_bytes(job);
    double *const down = reinterpret_cast<double *>(memory);
    const int halo_x = (int)job->halo_x, halo_y = (int)job->halo_y;

    return {{down, halo_y},
            {down + count_of_taps(halo_y), halo_x},
            reinterpret_cast<double *>(memory + lines_taps_bytes(job))};
}

/* The part whose first pixel is (x, y). */
template <bool MEANS>
static void launch_lines_part(const struct job *job, const lines_parts &parts, int64_t x, int64_t y)
{
    const lines_scratch scratch = scratch_of(job);
    const struct view src = part_of(job->src, parts.columns, parts.rows, x, y);
    const struct view dst = part_of(job->dst, parts.columns, parts.rows, x, y);
    struct job part = *job;
    size_t unused;

    part.src = src;
    const lines_planes planes = planes_of(&part, src.width, src.height, scratch.planes, &unused);
    const int64_t outputs = (int64_t)LINES_TILE * LINES_WARPS; /* of a block */
    const int64_t rows = planes.pitch / LINES_TILE, across = blocks_for(dst.width, outputs);
    const dim3 block(32 * LINES_WARPS);

    LAUNCH_NEXT((lines_down<MEANS>),
                dim3((unsigned)(planes.tiles * blocks_for(planes.pitch, outputs))), block,
                lines_shared_bytes(job->halo_y), job->stream, src, scratch.down, (int)job->halo_x,
                planes, rounding_of(job));
    LAUNCH_NEXT((lines_along<MEANS>), dim3((unsigned)(rows * across * dst.channels)), block,
                lines_shared_bytes(job->halo_x), job->stream, dst, scratch.along, planes,
                rounding_of(job), x, y, list_of(job), list_capacity(job));
}

template <bool MEANS> static const char *launch_lines_of(const struct job *job, int64_t part_sums)
{
    const lines_parts parts = parts_of(job, part_sums);
    const lines_scratch scratch = scratch_of(job);
    const int processors = attribute_of_device(cudaDevAttrMultiProcessorCount);

    LAUNCH(begin_lines, 1, 1024, 0, job->stream, filter_of<two_axes>(job),
           const_cast<double *>(scratch.down.first), const_cast<double *>(scratch.along.first),
           list_of(job));
    for (int64_t y = 0; y < job->src.height; y += parts.rows)
        for (int64_t x = 0; x < job->src.width; x += parts.columns)
            launch_lines_part<MEANS>(job, parts, x, y);
    LAUNCH_NEXT(repair_floats<MEANS>, dim3((unsigned)(2 * processors)), dim3(LINES_REPAIR_THREADS),
                0, job->stream, job->src, job->dst, scratch.down, scratch.along, list_of(job),
                list_capacity(job));
    return launched();
}

/* The job has scratch for parts of so many sums. */
static const char *launch_lines(const struct job *whole, int64_t part_sums)
{
    const struct job job = cut_idle_taps(whole);

    return job.skip_nan ? launch_lines_of<true>(&job, part_sums)
                        : launch_lines_of<false>(&job, part_sums);
}

#endif
