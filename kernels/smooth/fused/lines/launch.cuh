/* SPDX-License-Identifier: MIT */
/* Any piece axis by axis: one pass sums down the columns into scratch, in doubles, transposed; the
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
static inline int64_t lines_for(const struct request *request, int64_t columns)
{
    return to_lines_tiles(columns) +
           (int64_t)(steps_for((int)request->halo_x, LINES_TILE) * LINES_STEP - LINES_TILE);
}

static inline lines_parts parts_of(const struct request *request, int64_t part_sums)
{
    const int64_t least = (int64_t)LINES_TILE * LINES_WARPS, channels = request->src.channels;
    const int64_t widest = max(part_sums / (least * channels), 16 * request->halo_x);
    const int64_t columns = min(request->src.width, to_lines_tiles(max(widest, least)));
    const int64_t rows = part_sums / (lines_for(request, columns) * channels) / least * least;

    return {columns, to_lines_tiles(min(max(rows, least), request->src.height))};
}

/* Samples before the first in reach in the unit of four in which it lies. */
static inline int skipped_of(const struct request *request, const struct view &src)
{
    const int64_t size = src.sample_bytes;
    const uintptr_t first = (uintptr_t)src.origin - (size_t)(request->halo_x * src.channels * size);

    return (int)(first % (uintptr_t)(4 * size) / (uintptr_t)size);
}

/* Whether a plane has another for the weights of samples that are there. */
static inline bool has_there(const struct request *request)
{
    return request->maxval == FLOAT_SAMPLES && request->skip_nan;
}

/* The planes of a part, laid out from `memory` on, which is aligned to 64 bytes. */
static inline lines_planes planes_of(const struct request *request, const struct view &src,
                                     void *memory)
{
    const int64_t lines = lines_for(request, src.width), pitch = to_lines_tiles(src.height);
    const int64_t numbers = lines * src.channels * pitch;
    double *const sums = static_cast<double *>(memory);
    double *const there = has_there(request) ? sums + numbers : NULL;
    double *const end = sums + (there ? 2 : 1) * numbers;

    return {sums,
            there,
            request->maxval == FLOAT_SAMPLES ? reinterpret_cast<lines_reach *>(end) : NULL,
            pitch,
            lines,
            blocks_for(lines * src.channels + 3, LINES_TILE),
            skipped_of(request, src)};
}

static inline size_t planes_bytes(const struct request *request, const lines_parts &parts)
{
    const struct view part = part_of(request->src, parts.columns, parts.rows, 0, 0);
    const lines_planes planes = planes_of(request, part, NULL);
    const int64_t numbers = planes.lines * part.channels * planes.pitch;

    return (size_t)((has_there(request) ? 2 : 1) * numbers) * sizeof *planes.sums +
           (size_t)(planes.tiles * planes.pitch / LINES_TILE) * sizeof *planes.reach;
}

/* Of both axes, to a multiple of 64. */
static inline size_t lines_taps_bytes(const struct request *request)
{
    const int count = count_of_taps((int)request->halo_y) + count_of_taps((int)request->halo_x);

    return ((size_t)count * sizeof(double) + 63) / 64 * 64;
}

#define LINES_PIECES_BYTES (LINES_FEW * LINES_PIECES * sizeof(long_share))

/* The sums of exact.cuh, or the pieces of windows, take the place of the planes. */
static inline size_t lines_scratch_bytes_for(const struct request *whole, int64_t part_sums)
{
    const struct request request = cut_idle_taps(whole);
    const size_t bytes = planes_bytes(&request, parts_of(&request, part_sums));

    return aligned_list_bytes(&request) + lines_taps_bytes(&request) +
           max(bytes, request.maxval == FLOAT_SAMPLES ? LINES_PIECES_BYTES
                                                      : exact_scratch_bytes(whole, part_sums));
}

/* What lies in scratch: the list, the taps, and a part's planes. */
struct lines_scratch {
    double *down, *along; /* taps */
    double *planes;
};

static inline lines_scratch scratch_of(const struct piece *piece)
{
    char *const taps = static_cast<char *>(piece->scratch) + aligned_list_bytes(piece->request);
    double *const down = reinterpret_cast<double *>(taps);

    return {down, down + count_of_taps((int)piece->request->halo_y),
            reinterpret_cast<double *>(taps + lines_taps_bytes(piece->request))};
}

/* Of a term: 2 halo_x + 2 halo_y + 4, and 8 to spare (floats/filter.cuh). */
static inline int64_t lines_roundings(const struct request *request)
{
    return 2 * (request->halo_x + request->halo_y) + 12;
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
static lines_part lines_part_at(const struct piece *piece, const lines_parts &parts, int64_t x,
                                int64_t y)
{
    const lines_scratch scratch = scratch_of(piece);
    const source src = part_of(source_of(piece), parts.columns, parts.rows, x, y);
    const lines_planes planes = planes_of(piece->request, src, scratch.planes);
    const int64_t outputs = (int64_t)LINES_TILE * LINES_WARPS; /* of a block */
    const int64_t blocks = planes.tiles * blocks_for(planes.pitch, outputs);

    return {src,
            part_of(piece->dst, parts.columns, parts.rows, x, y),
            planes,
            {scratch.down, (int)piece->request->halo_y},
            {scratch.along, (int)piece->request->halo_x},
            {list_of(piece), list_capacity(piece->request), x, y},
            (unsigned)blocks,
            (unsigned)(planes.pitch / LINES_TILE * blocks_for(src.width, outputs))};
}

template <bool MEANS> static void launch_floats(const struct piece *piece, const lines_part &part)
{
    const double down = weights_down(piece->request).sum();
    const float_rounding rounding = {bound_of_doubles(lines_roundings(piece->request), MEANS),
                                     down * weights_along(piece->request).sum(), down};

    LAUNCH_NEXT(sum_floats_down<MEANS>, dim3(part.blocks_down), lines_block,
                lines_part::shared_bytes(part.down), piece->stream, part.src, part.down,
                (int)piece->request->halo_x, part.planes, rounding);
    LAUNCH_NEXT(sum_floats_along<MEANS>, dim3(part.blocks_along * (unsigned)part.src.channels),
                lines_block, lines_part::shared_bytes(part.along), piece->stream, part.dst,
                part.along, part.planes, rounding, part.list);
}

/* Two roundings more, when the offset is added; it has no more bits than a total. */
static inline integer_rounding integer_rounding_of(const struct piece *piece)
{
    const double whole = weights_down(piece->request).sum() * weights_along(piece->request).sum();
    const double most = piece->request->maxval * fmax(whole, 1);
    integer_rounding rounding = {1048576.5, 0, piece->request->maxval};

    begin(bound_of_doubles(lines_roundings(piece->request), piece->request->weighted) * most +
              ldexp(1, -32),
          &rounding, static_cast<const totals_in_doubles *>(nullptr));
    return rounding;
}

template <typename Sample>
static void launch_integers(const struct piece *piece, const lines_part &part)
{
    LAUNCH_NEXT((sum_integers_down<lines_samples<Sample>, read_integers>), dim3(part.blocks_down),
                lines_block, lines_part::shared_bytes(part.down), piece->stream, part.src,
                part.down, (int)piece->request->halo_x, part.planes);
    LAUNCH_NEXT(sum_integers_along<Sample>, dim3(part.blocks_along * (unsigned)part.src.channels),
                lines_block, lines_part::shared_bytes(part.along), piece->stream, part.dst,
                part.along, part.planes, integer_rounding_of(piece), part.list);
}

template <typename Sample>
static void launch_means(const struct piece *piece, const lines_part &part)
{
    LAUNCH_NEXT((sum_integers_down<lines_weighted_samples<Sample>, read_weighted>),
                dim3(part.blocks_down), lines_block, lines_part::shared_bytes(part.down),
                piece->stream, part.src, part.down, (int)piece->request->halo_x, part.planes);
    LAUNCH_NEXT(sum_means_along<Sample>, dim3(part.blocks_along), lines_block,
                lines_part::shared_bytes(part.along), piece->stream, part.src, part.dst, part.along,
                part.planes, integer_rounding_of(piece), part.list);
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
static void launch_passes(const struct piece *piece, int64_t part_sums,
                          void (*launch_part)(const struct piece *, const lines_part &))
{
    const lines_parts parts = parts_of(piece->request, part_sums);
    const lines_scratch scratch = scratch_of(piece);

    LAUNCH(begin_lines, 1, 1024, 0, piece->stream, filter_of<two_axes>(piece->request),
           scratch.down, scratch.along, list_of(piece));
    for (int64_t y = 0; y < piece->src.height; y += parts.rows)
        for (int64_t x = 0; x < piece->src.width; x += parts.columns)
            launch_part(piece, lines_part_at(piece, parts, x, y));
}

template <bool MEANS>
static const char *launch_lines_of_floats(const struct piece *piece, int64_t part_sums)
{
    const lines_scratch scratch = scratch_of(piece);
    const lines_taps down = {scratch.down, (int)piece->request->halo_y};
    const lines_taps along = {scratch.along, (int)piece->request->halo_x};
    const dim3 blocks((unsigned)(2 * attribute_of_device(cudaDevAttrMultiProcessorCount)));
    const dim3 threads(LINES_REPAIR_THREADS);
    long_share *const pieces =
        max(piece->request->halo_x, piece->request->halo_y) > LINES_PIECE_HALO
            ? reinterpret_cast<long_share *>(scratch.planes)
            : NULL;

    launch_passes(piece, part_sums, launch_floats<MEANS>);
    if (pieces)
        LAUNCH_NEXT(sum_pieces<MEANS>, blocks, threads, 0, piece->stream, source_of(piece), down,
                    along, list_of(piece), pieces);
    LAUNCH_NEXT(repair_floats<MEANS>, blocks, threads, 0, piece->stream, source_of(piece),
                piece->dst, down, along, list_of(piece), list_capacity(piece->request), pieces);
    return launched();
}

/* If the list overflows, exact.cuh computes the image. */
template <typename Sample, bool WEIGHTED>
static const char *launch_lines_of_integers(const struct piece *whole, const struct piece *piece,
                                            int64_t part_sums)
{
    launch_passes(piece, part_sums, WEIGHTED ? launch_means<Sample> : launch_integers<Sample>);
    LAUNCH_NEXT((repair_by_blocks<Sample, WEIGHTED>), dim3(1024), dim3(REPAIR_THREADS), 0,
                piece->stream, source_of(piece), piece->dst, filter_of<two_axes>(piece->request),
                list_of(piece), list_capacity(piece->request));
    return launch_exact(
        whole,
        {scratch_of(piece).planes, part_sums, {list_of(piece), list_capacity(piece->request)}});
}

/* The piece has scratch for parts of so many sums. */
static inline const char *launch_lines(const struct piece *whole, int64_t part_sums)
{
    const struct request request = cut_idle_taps(whole->request);
    struct piece piece = *whole;

    piece.request = &request;
    if (piece.request->maxval == FLOAT_SAMPLES)
        return piece.request->skip_nan ? launch_lines_of_floats<true>(&piece, part_sums)
                                       : launch_lines_of_floats<false>(&piece, part_sums);
    if (piece.src.sample_bytes == 1)
        return piece.request->weighted
                   ? launch_lines_of_integers<uint8_t, true>(whole, &piece, part_sums)
                   : launch_lines_of_integers<uint8_t, false>(whole, &piece, part_sums);
    return piece.request->weighted
               ? launch_lines_of_integers<uint16_t, true>(whole, &piece, part_sums)
               : launch_lines_of_integers<uint16_t, false>(whole, &piece, part_sums);
}

#endif
