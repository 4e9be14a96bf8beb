/* SPDX-License-Identifier: MIT */
/* Any job axis by axis: one pass sums down the columns into scratch, in doubles, transposed; the
 * other sums these along the rows, by the same products (products.cuh), and rounds. Samples that
 * are left open go on a list, and are computed by the definition.
 *
 * The passes take one part of the image after another, so that the part's sums need little memory.
 * A part has all columns, unless these are too many: then the sums of a border are computed twice.
 */
#ifndef SMOOTHIMG_FUSED_LINES_LAUNCH_CUH
#define SMOOTHIMG_FUSED_LINES_LAUNCH_CUH

#include "kernels/smooth/floats/floats.h"
#include "kernels/smooth/fused/exact_launch.cuh"
#include "kernels/smooth/fused/launch.cuh"
#include "kernels/smooth/fused/lines/floats.cuh"
#include "kernels/smooth/fused/lines/integers.cuh"

#define LINES_PART_SUMS (1 << 24) /* of a plane: 128 MiB */

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

/* Samples before the first in reach in the unit of four in which it lies. */
static inline int skipped_of(const struct job *job, const struct view &src)
{
    const int64_t size = src.sample_bytes;
    const uintptr_t first = (uintptr_t)src.origin - (size_t)(job->halo_x * src.channels * size);

    return (int)(first % (uintptr_t)(4 * size) / (uintptr_t)size);
}

/* Whether a plane has another for the weights of samples that are there. */
static inline bool has_there(const struct job *job)
{
    return job->maxval == FLOAT_SAMPLES && job->skip_nan;
}

/* The planes of a part, laid out from `memory` on, which is aligned to 64 bytes. */
static inline lines_planes planes_of(const struct job *job, const struct view &src, void *memory)
{
    const int64_t lines = lines_for(job, src.width), pitch = to_lines_tiles(src.height);
    const int64_t numbers = lines * src.channels * pitch;
    double *const sums = static_cast<double *>(memory);
    double *const there = has_there(job) ? sums + numbers : NULL;
    double *const end = sums + (there ? 2 : 1) * numbers;

    return {sums,
            there,
            job->maxval == FLOAT_SAMPLES ? reinterpret_cast<lines_reach *>(end) : NULL,
            pitch,
            lines,
            blocks_for(lines * src.channels + 3, LINES_TILE),
            skipped_of(job, src)};
}

static inline size_t planes_bytes(const struct job *job, const lines_parts &parts)
{
    const struct view part = part_of(job->src, parts.columns, parts.rows, 0, 0);
    const lines_planes planes = planes_of(job, part, NULL);
    const int64_t numbers = planes.lines * part.channels * planes.pitch;

    return (size_t)((has_there(job) ? 2 : 1) * numbers) * sizeof *planes.sums +
           (size_t)(planes.tiles * planes.pitch / LINES_TILE) * sizeof *planes.reach;
}

/* Of both axes, to a multiple of 64. */
static inline size_t lines_taps_bytes(const struct job *job)
{
    const int count = count_of_taps((int)job->halo_y) + count_of_taps((int)job->halo_x);

    return ((size_t)count * sizeof(double) + 63) / 64 * 64;
}

#define LINES_PIECES_BYTES (LINES_FEW * LINES_PIECES * sizeof(long_share))

/* The sums of exact.cuh, or the pieces of windows, take the place of the planes. */
static inline size_t lines_scratch_bytes_for(const struct job *whole, int64_t part_sums)
{
    const struct job job = cut_idle_taps(whole);
    const size_t bytes = planes_bytes(&job, parts_of(&job, part_sums));

    return aligned_list_bytes(&job) + lines_taps_bytes(&job) +
           max(bytes, job.maxval == FLOAT_SAMPLES ? LINES_PIECES_BYTES
                                                  : exact_scratch_bytes(whole, part_sums));
}

/* What lies in scratch: the list, the taps, and a part's planes. */
struct lines_scratch {
    double *down, *along; /* taps */
    double *planes;
};

static inline lines_scratch scratch_of(const struct job *job)
{
    char *const taps = static_cast<char *>(job->scratch) + aligned_list_bytes(job);
    double *const down = reinterpret_cast<double *>(taps);

    return {down, down + count_of_taps((int)job->halo_y),
            reinterpret_cast<double *>(taps + lines_taps_bytes(job))};
}

/* Of a term: 2 halo_x + 2 halo_y + 4, and 8 to spare (floats/filter.cuh). */
static inline int64_t lines_roundings(const struct job *job)
{
    return 2 * (job->halo_x + job->halo_y) + 12;
}

/* What the passes over a part are launched with. */
struct lines_part {
    source src;
    struct view dst;
    lines_planes planes;
    lines_taps down, along;
    lines_list list;
    unsigned blocks_down, blocks_along; /* blocks_along: of a channel */

    static size_t shared_bytes(const lines_taps &taps)
    {
        return (size_t)count_of_taps(taps.halo) * sizeof(double);
    }
};

static const dim3 lines_block(32 * LINES_WARPS);

/* (x, y): the part's first pixel. */
static lines_part lines_part_at(const struct job *job, const lines_parts &parts, int64_t x,
                                int64_t y)
{
    const lines_scratch scratch = scratch_of(job);
    const source src = part_of(source_of(job), parts.columns, parts.rows, x, y);
    const lines_planes planes = planes_of(job, src, scratch.planes);
    const int64_t outputs = (int64_t)LINES_TILE * LINES_WARPS; /* of a block */
    const int64_t blocks = planes.tiles * blocks_for(planes.pitch, outputs);

    return {src,
            part_of(job->dst, parts.columns, parts.rows, x, y),
            planes,
            {scratch.down, (int)job->halo_y},
            {scratch.along, (int)job->halo_x},
            {list_of(job), list_capacity(job), x, y},
            (unsigned)blocks,
            (unsigned)(planes.pitch / LINES_TILE * blocks_for(src.width, outputs))};
}

template <bool MEANS> static void launch_floats(const struct job *job, const lines_part &part)
{
    const double down = weights_down(job).sum();
    const float_rounding rounding = {bound_of_doubles(lines_roundings(job), MEANS),
                                     down * weights_along(job).sum(), down};

    LAUNCH_NEXT(sum_floats_down<MEANS>, dim3(part.blocks_down), lines_block,
                lines_part::shared_bytes(part.down), job->stream, part.src, part.down,
                (int)job->halo_x, part.planes, rounding);
    LAUNCH_NEXT(sum_floats_along<MEANS>, dim3(part.blocks_along * (unsigned)part.src.channels),
                lines_block, lines_part::shared_bytes(part.along), job->stream, part.dst,
                part.along, part.planes, rounding, part.list);
}

/* Two roundings more, when the offset is added; it has no more bits than a total. */
static inline integer_rounding integer_rounding_of(const struct job *job)
{
    const double whole = weights_down(job).sum() * weights_along(job).sum();
    const double most = job->maxval * fmax(whole, 1);
    integer_rounding rounding = {1048576.5, 0, job->maxval};

    begin(bound_of_doubles(lines_roundings(job), job->weighted) * most + ldexp(1, -32), &rounding,
          static_cast<const totals_in_doubles *>(nullptr));
    return rounding;
}

template <typename Sample>
static void launch_integers(const struct job *job, const lines_part &part)
{
    LAUNCH_NEXT((sum_integers_down<lines_samples<Sample>, read_integers>), dim3(part.blocks_down),
                lines_block, lines_part::shared_bytes(part.down), job->stream, part.src, part.down,
                (int)job->halo_x, part.planes);
    LAUNCH_NEXT(sum_integers_along<Sample>, dim3(part.blocks_along * (unsigned)part.src.channels),
                lines_block, lines_part::shared_bytes(part.along), job->stream, part.dst,
                part.along, part.planes, integer_rounding_of(job), part.list);
}

template <typename Sample> static void launch_means(const struct job *job, const lines_part &part)
{
    LAUNCH_NEXT((sum_integers_down<lines_weighted_samples<Sample>, read_weighted>),
                dim3(part.blocks_down), lines_block, lines_part::shared_bytes(part.down),
                job->stream, part.src, part.down, (int)job->halo_x, part.planes);
    LAUNCH_NEXT(sum_means_along<Sample>, dim3(part.blocks_along), lines_block,
                lines_part::shared_bytes(part.along), job->stream, part.src, part.dst, part.along,
                part.planes, integer_rounding_of(job), part.list);
}

/* Before the others. One block. */
static __global__ void begin_lines(const __grid_constant__ two_axes filter, double *down,
                                   double *along, unresolved_list *list)
{
    let_next_kernel_come();
    make_taps(down, filter.y());
    make_taps(along, filter.x());
    if (threadIdx.x == 0)
        list->count = 0;
}

/* Both passes over all parts, each by launch_part. */
static void launch_passes(const struct job *job, int64_t part_sums,
                          void (*launch_part)(const struct job *, const lines_part &))
{
    const lines_parts parts = parts_of(job, part_sums);
    const lines_scratch scratch = scratch_of(job);

    LAUNCH(begin_lines, 1, 1024, 0, job->stream, filter_of<two_axes>(job), scratch.down,
           scratch.along, list_of(job));
    for (int64_t y = 0; y < job->src.height; y += parts.rows)
        for (int64_t x = 0; x < job->src.width; x += parts.columns)
            launch_part(job, lines_part_at(job, parts, x, y));
}

template <bool MEANS>
static const char *launch_lines_of_floats(const struct job *job, int64_t part_sums)
{
    const lines_scratch scratch = scratch_of(job);
    const lines_taps down = {scratch.down, (int)job->halo_y};
    const lines_taps along = {scratch.along, (int)job->halo_x};
    const dim3 blocks((unsigned)(2 * attribute_of_device(cudaDevAttrMultiProcessorCount)));
    const dim3 threads(LINES_REPAIR_THREADS);
    long_share *const pieces = max(job->halo_x, job->halo_y) > LINES_PIECE_HALO
                                   ? reinterpret_cast<long_share *>(scratch.planes)
                                   : NULL;

    launch_passes(job, part_sums, launch_floats<MEANS>);
    if (pieces)
        LAUNCH_NEXT(sum_pieces<MEANS>, blocks, threads, 0, job->stream, source_of(job), down, along,
                    list_of(job), pieces);
    LAUNCH_NEXT(repair_floats<MEANS>, blocks, threads, 0, job->stream, source_of(job), job->dst,
                down, along, list_of(job), list_capacity(job), pieces);
    return launched();
}

/* If the list overflows, exact.cuh computes the image. */
template <typename Sample, bool WEIGHTED>
static const char *launch_lines_of_integers(const struct job *whole, const struct job *job,
                                            int64_t part_sums)
{
    launch_passes(job, part_sums, WEIGHTED ? launch_means<Sample> : launch_integers<Sample>);
    LAUNCH_NEXT((repair_by_blocks<Sample, WEIGHTED>), dim3(1024), dim3(REPAIR_THREADS), 0,
                job->stream, source_of(job), job->dst, filter_of<two_axes>(job), list_of(job),
                list_capacity(job));
    return launch_exact(whole,
                        {scratch_of(job).planes, part_sums, {list_of(job), list_capacity(job)}});
}

/* The clocks of all multiprocessors, as measured on an H100: to start the kernels and to
 * wait for the last block, the sums of which take longer the more taps there are; then what a
 * sample costs, and each of its taps. */
static inline double lines_clocks(const struct job *job, double processors)
{
    const double taps = (double)(job->halo_x + job->halo_y);
    const double samples =
        (double)job->src.width * (double)job->src.height * (double)job->src.channels;

    return processors * (30000 + 85 * taps) + samples * (1.9 + 0.0205 * taps);
}

/* Whether the definition's integers are faster than products, one axis after the other. */
static inline bool is_quick_in_integers(const struct job *job)
{
    const double processors = attribute_of_device(cudaDevAttrMultiProcessorCount);

    return exact_clocks(job, processors) < lines_clocks(job, processors);
}

/* The job has scratch for parts of so many sums. */
static inline const char *launch_lines(const struct job *whole, int64_t part_sums)
{
    const struct job job = cut_idle_taps(whole);

    if (job.maxval == FLOAT_SAMPLES)
        return job.skip_nan ? launch_lines_of_floats<true>(&job, part_sums)
                            : launch_lines_of_floats<false>(&job, part_sums);
    if (job.src.sample_bytes == 1)
        return job.weighted ? launch_lines_of_integers<uint8_t, true>(whole, &job, part_sums)
                            : launch_lines_of_integers<uint8_t, false>(whole, &job, part_sums);
    return job.weighted ? launch_lines_of_integers<uint16_t, true>(whole, &job, part_sums)
                        : launch_lines_of_integers<uint16_t, false>(whole, &job, part_sums);
}

#endif
