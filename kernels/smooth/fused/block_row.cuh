/* SPDX-License-Identifier: MIT */
/* Divides the row that a thread block or a warp reads into aligned units of 16 bytes, which are
 * copied into shared memory, and the single samples of units that reach beyond the left or right
 * end of the image. These samples are gathered: each is loaded from the index that the edge rule
 * names, or is 0. Most blocks gather nothing, and their kernels copy the units; this file loads
 * rows for blocks at an end of the image only.
 *
 * A place is the index of a sample in the block's row in shared memory. */
#ifndef SMOOTHIMG_FUSED_BLOCK_ROW_CUH
#define SMOOTHIMG_FUSED_BLOCK_ROW_CUH

#include "kernels/common/elements.cuh"
#include "kernels/smooth/source.cuh"

#define UNIT 16 /* bytes that are copied at a time */
#define OUT_OF_UNITS "rows do not begin at multiples of 16 bytes"

/* True if all images of a stack (a request for several images of one shape) have the alignment of
 * the first image. */
static inline bool lie_alike(const struct request *request)
{
    return request->images <= 1 ||
           (request->src_apart % UNIT == 0 && request->dst_apart % UNIT == 0);
}

/* True if all rows of the source and of the destination begin at a multiple of UNIT bytes. */
static inline bool lies_in_units(const struct request *request)
{
    return lie_alike(request) && aligned_view(&request->src, UNIT) &&
           aligned_view(&request->dst, UNIT);
}

/* The samples of a row that a block needs, and how they are loaded. The row in shared memory begins
 * with a whole unit; a place is the index of a sample in that row. */
struct block_row {
    int64_t first;     /* index, in the image's row, of the sample at place 0 */
    int units, end;    /* units with index `units`..`end` - 1 are copied */
    int begin, before; /* `before` samples from place `begin` on are gathered */
    int gathered;      /* number of samples to gather: `before`, plus those from unit `end` on */
};

/* Describes a row of which the block needs the samples at places needed_begin..needed_end - 1;
 * needed_begin is not negative. PER_UNIT: samples in a unit. */
template <int PER_UNIT>
__device__ __forceinline__ block_row block_row_of(const source &src, int64_t first,
                                                  int needed_begin, int needed_end)
{
    /* The place of the first existing sample, and the place after the last one. */
    const int64_t from = -src.beside.left * src.channels - first;
    const int64_t to = (src.width + src.beside.right) * src.channels - first;
    const int whole = (needed_end + PER_UNIT - 1) / PER_UNIT;
    block_row row = {first, needed_begin / PER_UNIT, whole, needed_begin, 0, 0};

    if (from > needed_begin)
        row.units = (int)min((from + PER_UNIT - 1) / PER_UNIT, (int64_t)whole);
    if (to < needed_end)
        row.end = max(row.units, (int)(to / PER_UNIT));
    if (from > needed_begin)
        row.before = min(row.units * PER_UNIT, needed_end) - needed_begin;
    row.gathered = row.before + max(needed_end - row.end * PER_UNIT, 0);
    return row;
}

/* Returns the place, in the row in shared memory, of the i-th gathered sample. */
template <int PER_UNIT> __device__ __forceinline__ int gathered_place(const block_row &row, int i)
{
    return i < row.before ? row.begin + i : row.end * PER_UNIT + i - row.before;
}

/* A block's row, and for each of its first 32 gathered samples the index in the image's row that
 * the edge rule names. The struct is in shared memory, and is computed once for all rows. */
struct block_ends {
    block_row row;
    int64_t from[32];
};

/* Sets `ends` for the row. A whole warp calls it. */
template <int PER_UNIT>
__device__ __forceinline__ void set_ends(block_ends &ends, const source &src, const block_row &row)
{
    const int lane = (int)threadIdx.x % 32;

    if (lane == 0)
        ends.row = row;
    ends.from[lane] = lane < row.gathered
                          ? source_sample(src, row.first + gathered_place<PER_UNIT>(row, lane))
                          : NOWHERE;
    __syncwarp();
}

/* Returns to each of the first `rows` lanes of a warp what source_line() returns for row y + lane:
 * the address of pixel 0, or NULL if the edge rule makes that row zero. The other lanes get NULL
 * too. So the lanes apply the edge rule to all rows at the same time. rows: at most 32. */
template <typename Sample>
__device__ __forceinline__ const Sample *lines_of_lanes(const source &src, int64_t y, int rows)
{
    const int lane = (int)threadIdx.x % 32;

    return lane < rows ? source_line<Sample>(src, y + lane) : nullptr;
}

/* Returns the address that lane `i` has in `lines`. The whole warp calls it. */
template <typename Sample>
__device__ __forceinline__ const Sample *line_of(const Sample *lines, int i)
{
    return reinterpret_cast<const Sample *>(__shfl_sync(0xffffffff, (uint64_t)lines, i));
}

/* Gathers samples of `rows` rows of the image. lines: the rows' addresses, as lines_of_lanes()
 * returns them. A whole warp calls this function, which calls store(i, place, sample) for each
 * gathered sample of row i. A lane may store into another lane's units. If a row has few gathered
 * samples, the lanes work on several rows at once. Each lane starts several loads before it stores
 * its first sample, so that a block at a side of the image is not slower than others. Before a lane
 * stores, it calls ready(), which may wait until the destination may be overwritten. */
template <typename Sample, class Ready, class Store>
__device__ __forceinline__ void gather_samples(const source &src, const block_ends &ends,
                                               const Sample *lines, int rows, const Ready &ready,
                                               const Store &store)
{
    constexpr int per_unit = 16 / (int)sizeof(Sample);
    constexpr int at_once = 8;
    const block_row row = ends.row;
    const int lane = (int)threadIdx.x % 32;
    const int lanes = row.gathered > 16 ? 32 : 1 << (32 - __clz(max(row.gathered - 1, 0)));
    const int rows_at_once = 32 / lanes; /* `lanes` lanes load a row */

#pragma unroll 1
    for (int begin = 0; begin < row.gathered; begin += lanes) {
        const int i = begin + lane % lanes;
        const bool gathers = i < row.gathered;
        const int place = gathered_place<per_unit>(row, i);
        const int64_t from = begin == 0 ? ends.from[i]
                             : gathers  ? source_sample(src, row.first + place)
                                        : NOWHERE;

#pragma unroll 1
        for (int first = 0; first < rows; first += at_once * rows_at_once) {
            const int own = first + lane / lanes; /* the lane's first row */
            Sample samples[at_once];

#pragma unroll
            for (int r = 0; r < at_once && first + r * rows_at_once < rows; r++) {
                const Sample *line = line_of(lines, min(own + r * rows_at_once, 31));

                samples[r] = line && from != NOWHERE ? line[from] : (Sample)0;
            }
            ready();
#pragma unroll
            for (int r = 0; r < at_once; r++)
                if (gathers && own + r * rows_at_once < rows)
                    store(own + r * rows_at_once, place, samples[r]);
        }
    }
}

/* Loads some rows, from row y on, of a block that reaches an end of the image. rows: at most 32. A
 * whole warp calls this function. The warp starts the copies of units, copy(to, from), without
 * waiting for them, and gathers the other samples. to(i): the address for row y + i. */
template <typename Sample, class To, class Copy>
__device__ __forceinline__ void load_rows_at_end(const source &src, const block_ends &ends,
                                                 int64_t y, int rows, const To &to,
                                                 const Copy &copy)
{
    const Sample *lines = lines_of_lanes<Sample>(src, y, rows);
    const block_row row = ends.row;

    for (int first = row.units; first < row.end; first += 32) {
        const int unit = first + (int)threadIdx.x % 32;

#pragma unroll 8
        for (int i = 0; i < rows; i++) {
            const Sample *line = line_of(lines, i);

            if (unit < row.end && line)
                copy(to(i) + unit, reinterpret_cast<const uint4 *>(line + row.first) + unit);
            else if (unit < row.end)
                to(i)[unit] = make_uint4(0, 0, 0, 0);
        }
    }
    gather_samples<Sample>(
        src, ends, lines, rows, [] {},
        [&](int i, int place, Sample sample) {
            reinterpret_cast<Sample *>(to(i))[place] = sample;
        });
}

#endif
