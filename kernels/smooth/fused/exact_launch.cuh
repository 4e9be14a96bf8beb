/* SPDX-License-Identifier: MIT */
/* Launches exact.cuh for one part of the image after another, so that the part's row sums stay in
 * the L2 cache. Neighbouring parts both compute the 2 halo_y rows of sums that they share. */
#ifndef SMOOTHIMG_FUSED_EXACT_LAUNCH_CUH
#define SMOOTHIMG_FUSED_EXACT_LAUNCH_CUH

#include "kernels/common/axes.h"
#include "kernels/smooth/fused/exact.cuh"

#define PART_SUMS (1 << 22) /* in all planes of a part: 32 MiB, and enough to fill a GPU */
#define MAX_PART_ROWS (1 << 18)

/* How an image is cut into parts. */
struct exact_plan {
    int64_t columns, rows; /* pixels of a part */
    int planes;
};

/* How the kernels are launched. */
struct exact_run {
    void *memory; /* exact_scratch_bytes() */
    int64_t part_sums;
    if_overflowed when;
};

/* Chooses so many rows that at most an eighth of a part's sums are computed twice. */
static inline exact_plan plan_exact(const struct request *request, int64_t part_sums)
{
    const int64_t width = request->src.width, halo = request->halo_y;
    const int planes = request->weighted
                           ? 1 + (request->src.channels - 1) * request->src.sample_bytes
                           : request->src.channels;
    int64_t rows = max((int64_t)1024, 16 * halo);
    int64_t columns = max(part_sums / (rows * planes) / TILE_X, (int64_t)1) * TILE_X;

    if (columns >= width) {
        columns = width;
        rows = max(rows, part_sums / (width * planes));
    }
    return {columns, min(min(rows, (int64_t)MAX_PART_ROWS), request->src.height), planes};
}

/* The row sums of a part, laid out in `memory`. */
static inline row_sums sums_of_part(int64_t columns, int64_t rows, int planes, int64_t halo_y,
                                    void *memory)
{
    return {static_cast<uint64_t *>(memory), (columns + 3) / 4 * 4, planes,
            (int)(blocks_for(rows, OUTPUTS) * OUTPUTS + 2 * halo_y)};
}

static inline size_t exact_scratch_bytes(const struct request *request, int64_t part_sums)
{
    const exact_plan plan = plan_exact(request, part_sums);
    const row_sums sums = sums_of_part(plan.columns, plan.rows, plan.planes, request->halo_y, NULL);

    return (size_t)(sums.rows * sums.planes * sums.pitch) * sizeof *sums.first;
}

/* Up to so many columns and rows of a view, from pixel (x, y) on. */
static inline struct view part_of(const struct view &whole, int64_t columns, int64_t rows,
                                  int64_t x, int64_t y)
{
    struct view part = whole;

    part.origin = static_cast<char *>(whole.origin) + y * whole.stride_bytes +
                  x * whole.channels * whole.sample_bytes;
    part.width = min(columns, whole.width - x);
    part.height = min(rows, whole.height - y);
    return part;
}

/* The same of a source: the rest is beside them. */
static inline source part_of(const source &whole, int64_t columns, int64_t rows, int64_t x,
                             int64_t y)
{
    const view part = part_of(static_cast<const view &>(whole), columns, rows, x, y);
    const struct beside &beside = whole.beside;

    return {part,
            {beside.left + x, beside.right + whole.width - x - part.width, beside.above + y,
             beside.below + whole.height - y - part.height},
            whole.edge};
}

/* Blocks down the grid. Those of kernels that are seldom needed are few: 100,000 of them that
 * return at once take 0.3 ms. */
static inline unsigned blocks_of_run(const exact_run &how, int64_t needed, int64_t across)
{
    const int64_t most = how.when.list ? max(1024 / across, (int64_t)1) : most_blocks_down();

    return (unsigned)min(needed, most);
}

template <typename T, bool WEIGHTED, bool PAIRS>
static void launch_part(const struct piece *piece, const exact_plan &plan, const two_axes &filter,
                        const exact_run &how, int64_t x, int64_t y)
{
    const source src = part_of(source_of(piece), plan.columns, plan.rows, x, y);
    const struct view dst = part_of(piece->dst, plan.columns, plan.rows, x, y);
    const row_sums sums =
        sums_of_part(dst.width, dst.height, plan.planes, piece->request->halo_y, how.memory);
    const tile_size size = tile_size_of(piece);
    const int tile_rows = min(size.rows, BLOCK_Y);
    const unsigned planes = blocks_down(plan.planes);
    const int64_t tiles = blocks_for(src.width, TILE_X), across = blocks_for(dst.width, BLOCK_X);
    const dim3 block(BLOCK_X, BLOCK_Y);

    LAUNCH(
        (exact_rows<T, WEIGHTED>),
        dim3((unsigned)tiles, blocks_of_run(how, blocks_for(sums.rows, tile_rows), tiles), planes),
        block, (size_t)(tile_rows * size.row_bytes), piece->stream, src, filter.along,
        filter.down.halo, sums, tile_rows, how.when);
    LAUNCH((exact_columns<T, WEIGHTED, PAIRS>),
           dim3((unsigned)across,
                blocks_of_run(how, blocks_for(dst.height, BLOCK_Y * OUTPUTS), across),
                WEIGHTED ? 1 : planes),
           block, 0, piece->stream, src, dst, filter.down, sums, how.when);
}

template <typename T, bool WEIGHTED, bool PAIRS>
static const char *launch_parts(const struct piece *piece, const exact_run &how)
{
    const exact_plan plan = plan_exact(piece->request, how.part_sums);
    const two_axes filter = filter_of<two_axes>(piece->request);

    for (int64_t y = 0; y < piece->src.height; y += plan.rows)
        for (int64_t x = 0; x < piece->src.width; x += plan.columns)
            launch_part<T, WEIGHTED, PAIRS>(piece, plan, filter, how, x, y);
    return launched();
}

template <typename T, bool WEIGHTED>
static const char *launch_for_weights(const struct piece *piece, const exact_run &how)
{
    return axes_are_equal(piece->request) || pairs_fit(piece)
               ? launch_parts<T, WEIGHTED, true>(piece, how)
               : launch_parts<T, WEIGHTED, false>(piece, how);
}

/* Enqueues all parts. Returns NULL, or the failure. */
static inline const char *launch_exact(const struct piece *piece, const exact_run &how)
{
    if (piece->src.sample_bytes == 1)
        return piece->request->weighted ? launch_for_weights<uint8_t, true>(piece, how)
                                        : launch_for_weights<uint8_t, false>(piece, how);
    return piece->request->weighted ? launch_for_weights<uint16_t, true>(piece, how)
                                    : launch_for_weights<uint16_t, false>(piece, how);
}

#endif
