/* SPDX-License-Identifier: MIT */
/* Floats of any halo, by two kernels: lines_down sums down the columns into scratch, in doubles,
 * transposed; lines_along sums these along the rows, by the same products (products.cuh), and
 * rounds both ends of an interval around each sum. Where these differ, the sample goes on a list
 * (repair.cuh).
 *
 * The bound is that of ../floats/filter.cuh, relative where no sample in reach of a tile is
 * negative; else with the greatest magnitude in reach for that of every term. A product that adds a
 * weight of 0 rounds nothing.
 *
 * Infinities and NaN count as 0 in the sums. Where a tile has some in reach, they are summed apart
 * with weights of 1, as numbers that tell which kinds there are. A NaN that is skipped is not
 * there: the weights of those that are there are one more sum. */
#ifndef SMOOTHIMG_FUSED_LINES_FLOATS_CUH
#define SMOOTHIMG_FUSED_LINES_FLOATS_CUH

#include "kernels/smooth/fused/lines/products.cuh"
#include "kernels/smooth/fused/lines/repair.cuh"

/* What is in reach of a tile. */
#define LINES_NEGATIVE 1u
#define LINES_SPECIAL 2u
#define LINES_MISSING 4u

struct lines_reach {
    uint32_t peak;  /* the greatest of the finite samples' bits, without the sign */
    uint32_t kinds; /* LINES_..., joined by | */
};

/* The sums of a part of the image, and of its border left and right: for each channel a plane, in
 * it a line for each column, in it a number for each row. */
struct lines_planes {
    double *sums, *there; /* there: sums of the weights of samples that are there; NULL: of all */
    lines_reach *reach;   /* of each tile of the source, row by row */
    int64_t pitch;        /* numbers of a line: a multiple of LINES_TILE */
    int64_t lines;        /* of a plane */
    int64_t tiles;        /* in a row of tiles */
    int skipped;          /* samples of the first tile before the border */
};

/* The filter of the other axis, and how a sum is rounded. */
struct lines_rounding {
    double bound; /* of a sum, relative; of a mean where NaN is skipped */
    double whole; /* the sum of the window's weights */
    double down;  /* that of a column's */
};

/* Before the others. One block. */
static __global__ void begin_lines(const __grid_constant__ two_axes filter, double *down,
                                   double *along, unresolved_list *list)
{
    let_next_kernel_come();
    make_taps(down, filter.y());
    make_taps(along, filter.x());
    list->count = 0;
}

/* --- Down the columns. */

/* Four samples of each row, those in a unit of 16 bytes if the rows begin where units do. */
struct lines_samples {
    const char *first; /* the tile's first row in reach */
    int64_t stride;
    int last;   /* row of the source's border; it is read in place of those below it */
    uint4 mask; /* which of the four are samples of the image or of its border */
    bool by_unit;

    typedef uint4 unit;

    /* own: the lane's first sample, from the border's first in a row on; in_row: of all there. */
    __device__ __forceinline__ void set_own(int64_t own, int64_t in_row)
    {
        const bool any = own > -4 && own < in_row;

        mask = make_uint4(has(own, in_row), has(own + 1, in_row), has(own + 2, in_row),
                          has(own + 3, in_row));
        by_unit = ((uintptr_t)(first + own * 4) | (uintptr_t)stride) % 16 == 0;
        first += (any ? own : by_unit ? own - own / 4 * 4 : 0) * 4;
    }

    __device__ __forceinline__ static uint32_t has(int64_t sample, int64_t in_row)
    {
        return sample >= 0 && sample < in_row ? ~0u : 0;
    }

    __device__ __forceinline__ uint4 load(int row) const
    {
        const char *from = first + min(row, last) * stride;
        const uint32_t *samples = reinterpret_cast<const uint32_t *>(from);

        if (by_unit)
            return *reinterpret_cast<const uint4 *>(from);
        return make_uint4(mask.x ? samples[0] : 0, mask.y ? samples[1] : 0, mask.z ? samples[2] : 0,
                          mask.w ? samples[3] : 0);
    }

    /* What load() gave, when it is needed: until then nothing waits for it. */
    __device__ __forceinline__ uint4 loaded(const uint4 &four) const
    {
        return make_uint4(four.x & mask.x, four.y & mask.y, four.z & mask.z, four.w & mask.w);
    }
};

__device__ __forceinline__ void get_words(uint32_t (&words)[4], const uint4 &unit)
{
    words[0] = unit.x;
    words[1] = unit.y;
    words[2] = unit.z;
    words[3] = unit.w;
}

/* The finite samples, and a note of them. MEANS: struct job, skip_nan. */
template <bool MEANS> struct read_samples {
    uint32_t peak = 0, greatest = 0; /* greatest: of all bits without the sign */
    int lowest = 0;
    bool infinite = false;

    __device__ __forceinline__ void operator()(double (&values)[4], const uint4 &unit)
    {
        uint32_t words[4];

        get_words(words, unit);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const uint32_t size = words[i] & ~FLOAT_SIGN;
            const uint32_t finite = size < FLOAT_INFINITY ? words[i] : 0;

            greatest = max(greatest, size);
            infinite |= MEANS && size == FLOAT_INFINITY;
            peak = max(peak, finite & ~FLOAT_SIGN);
            lowest = min(lowest, (int)finite);
            values[i] = (double)__uint_as_float(finite);
        }
    }

    __device__ __forceinline__ lines_reach reach() const
    {
        const bool missing = MEANS && greatest > FLOAT_INFINITY;
        const bool special = MEANS ? infinite : greatest >= FLOAT_INFINITY;

        return {peak, (lowest < 0 ? LINES_NEGATIVE : 0u) | (special ? LINES_SPECIAL : 0u) |
                          (missing ? LINES_MISSING : 0u)};
    }
};

/* Infinities and NaN as numbers, the sums of which over a window of any halo tell what there was.
 */
#define LINES_BELOW 1048576.0 /* more than a window's rows */

__device__ __forceinline__ double number_of_kind(unsigned kind)
{
    return (kind & (FLOAT_ABOVE | FLOAT_NAN) ? 1 : 0) +
           (kind & (FLOAT_BELOW | FLOAT_NAN) ? LINES_BELOW : 0);
}

/* What a window with such a sum is: 0, an infinity or a NaN. */
__device__ __forceinline__ double special_of_number(double number)
{
    const double infinity = __hiloint2double(0x7ff00000, 0);
    const double above = number != LINES_BELOW * floor(number / LINES_BELOW) ? infinity : 0;

    return number >= LINES_BELOW ? above - infinity : above;
}

template <bool MEANS> struct read_kinds {
    __device__ __forceinline__ void operator()(double (&values)[4], const uint4 &unit)
    {
        uint32_t words[4];

        get_words(words, unit);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const unsigned kind = float_kind(words[i]);

            values[i] = MEANS && kind == FLOAT_NAN ? 0 : number_of_kind(kind);
        }
    }
};

/* 1 for each sample that is there. */
struct read_there {
    __device__ __forceinline__ void operator()(double (&values)[4], const uint4 &unit)
    {
        uint32_t words[4];

        get_words(words, unit);
#pragma unroll
        for (int i = 0; i < 4; i++)
            values[i] = float_kind(words[i]) == FLOAT_NAN ? 0 : 1;
    }
};

/* What the lanes of a warp have noted, in all of them. */
__device__ __forceinline__ lines_reach join_reach(lines_reach own)
{
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        own.peak = max(own.peak, __shfl_xor_sync(0xffffffffu, own.peak, lanes));
        own.kinds |= __shfl_xor_sync(0xffffffffu, own.kinds, lanes);
    }
    return own;
}

/* put(number, sum) for each sum of a column of the planes, and the number that it is for. sample:
 * of the tile's first column, from the planes' first on; some may be less than 0. */
template <class Put>
__device__ __forceinline__ void store_sums(lines_sums &sums, double *numbers,
                                           const lines_planes &planes, int sample, int row,
                                           int channels, Put put)
{
    const int own = sample + lines_column(0), before = max(-own, 0);
    int x = (own + before) / channels, channel = (own + before) % channels;
    double *line = numbers + ((int64_t)channel * planes.lines + x) * planes.pitch + row;

#pragma unroll
    for (int i = 0; i < 8; i++) {
        if (i < before)
            continue;
        if (x < planes.lines)
#pragma unroll
            for (int k = 0; k < 4; k++)
                put(line[lines_row(k)], sums.at(i, k));
        line += planes.lines * planes.pitch;
        if (++channel == channels) {
            channel = 0;
            x++;
            line += planes.pitch - planes.lines * planes.pitch * channels;
        }
    }
}

struct put_sum {
    __device__ __forceinline__ void operator()(double &number, double sum) const
    {
        number = sum;
    }
};

struct put_special {
    __device__ __forceinline__ void operator()(double &number, double sum) const
    {
        if (sum > 0)
            number = special_of_number(sum);
    }
};

/* src: the part. Its rows to a multiple of LINES_TILE, and all lines of the planes, are written. */
template <bool MEANS>
__global__ void __launch_bounds__(32 * LINES_WARPS, 3)
    lines_down(const view src, const lines_taps down, const int halo_x, const lines_planes planes,
               const lines_rounding rounding)
{
    DYN_SHARED(double, memory);
    const int lane = (int)threadIdx.x % 32, halo = down.halo;
    const int tile = (int)(blockIdx.x % planes.tiles), sample = tile * LINES_TILE - planes.skipped;
    const int tile_row = (int)(blockIdx.x / planes.tiles) * LINES_WARPS + (int)threadIdx.x / 32;
    const int row = tile_row * LINES_TILE;
    lines_samples source = {reinterpret_cast<const char *>(row_of<const uint32_t>(src, row - halo) -
                                                           (int64_t)halo_x * src.channels),
                            src.stride_bytes,
                            (int)min(src.height - 1 - row + 2 * halo, (int64_t)INT32_MAX),
                            {},
                            false};
    read_samples<MEANS> samples;
    read_kinds<MEANS> kinds;
    read_there there;
    lines_sums sums;

    await_kernel_before();
    let_next_kernel_come();

    const lines_taps taps = down.copied(memory);

    __syncthreads();
    if (row >= src.height)
        return;
    source.set_own(sample + lane / 4 * 4, (src.width + 2 * halo_x) * src.channels);
    sum_lines<false>(sums, taps, source, samples);
    store_sums(sums, planes.sums, planes, sample, row, src.channels, put_sum());

    const lines_reach reach = join_reach(samples.reach());

    if (lane == 0)
        planes.reach[tile_row * planes.tiles + tile] = reach;
    if (reach.kinds & LINES_SPECIAL) {
        sum_lines<true>(sums, taps, source, kinds);
        store_sums(sums, planes.sums, planes, sample, row, src.channels, put_special());
    }
    if (MEANS) {
        sums.set(rounding.down);
        if (reach.kinds & LINES_MISSING)
            sum_lines<false>(sums, taps, source, there);
        store_sums(sums, planes.there, planes, sample, row, src.channels, put_sum());
    }
}

/* --- Along the rows. */

/* Four rows of a line of the planes. */
struct lines_numbers {
    const double *first; /* the tile's first line in reach, the lane's first row */
    int64_t pitch;

    struct unit {
        double2 low, high;
    };

    __device__ __forceinline__ unit load(int line) const
    {
        const double2 *from = reinterpret_cast<const double2 *>(first + line * pitch);

        return {from[0], from[1]};
    }

    __device__ __forceinline__ const unit &loaded(const unit &four) const
    {
        return four;
    }
};

__device__ __forceinline__ void get_numbers(double (&values)[4], const lines_numbers::unit &unit)
{
    values[0] = unit.low.x;
    values[1] = unit.low.y;
    values[2] = unit.high.x;
    values[3] = unit.high.y;
}

__device__ __forceinline__ bool is_finite(double value)
{
    return ((unsigned)__double2hiint(value) & 0x7ff00000u) != 0x7ff00000u;
}

struct read_numbers {
    __device__ __forceinline__ void operator()(double (&values)[4], const lines_numbers::unit &unit)
    {
        get_numbers(values, unit);
#pragma unroll
        for (int i = 0; i < 4; i++)
            values[i] = is_finite(values[i]) ? values[i] : 0;
    }
};

struct read_specials {
    __device__ __forceinline__ void operator()(double (&values)[4], const lines_numbers::unit &unit)
    {
        get_numbers(values, unit);
#pragma unroll
        for (int i = 0; i < 4; i++)
            values[i] = is_finite(values[i]) ? 0
                        : values[i] > 0      ? number_of_kind(FLOAT_ABOVE)
                        : values[i] < 0      ? number_of_kind(FLOAT_BELOW)
                                             : number_of_kind(FLOAT_NAN);
    }
};

/* The bit of sums.at(column, row), of 32. */
__device__ __forceinline__ constexpr uint32_t lines_bit(int column, int row)
{
    return 1u << (4 * column + row);
}

/* What is in reach of the tiles first..last of a row of them. The whole warp calls it. */
__device__ __forceinline__ lines_reach reach_of_tiles(const lines_reach *row, int first, int last)
{
    lines_reach reach = {0, 0};

    for (int tile = first + (int)threadIdx.x % 32; tile <= last; tile += 32)
        reach = {max(reach.peak, row[tile].peak), reach.kinds | row[tile].kinds};
    return join_reach(reach);
}

/* Where the exact value of an estimate e lies: e * below - off .. e * above + off. */
struct lines_interval {
    double below, above, off;
};

template <bool MEANS>
__device__ __forceinline__ lines_interval interval_of(const lines_reach &reach,
                                                      const lines_rounding &rounding)
{
    const double most = (MEANS ? 1 : rounding.whole) * (double)__uint_as_float(reach.peak);

    if (reach.kinds & LINES_NEGATIVE)
        return {1, 1, rounding.bound * most};
    return {1 - rounding.bound, 1 + rounding.bound, 0};
}

/* The sample of an estimate, or FLOAT_OPEN. */
__device__ __forceinline__ uint32_t float_between(double estimate, const lines_interval &interval)
{
    const uint32_t low = __float_as_uint((float)fma(estimate, interval.below, -interval.off));
    const uint32_t high = __float_as_uint((float)fma(estimate, interval.above, interval.off));

    return low == high ? low : FLOAT_OPEN;
}

/* A lane's outputs that are not finite: bits of lines_bit(). */
struct lines_specials {
    uint32_t above = 0, below = 0;

    /* numbers: windows' sums of number_of_kind() */
    __device__ __forceinline__ void set(lines_sums &numbers)
    {
#pragma unroll
        for (int i = 0; i < 8; i++)
#pragma unroll
            for (int k = 0; k < 4; k++) {
                const double number = numbers.at(i, k);
                const double rest = number - LINES_BELOW * floor(number / LINES_BELOW);

                above |= rest > 0 ? lines_bit(i, k) : 0;
                below |= number >= LINES_BELOW ? lines_bit(i, k) : 0;
            }
    }

    __device__ __forceinline__ uint32_t sample(uint32_t bit) const
    {
        return above & below & bit ? FLOAT_QUIET_NAN
               : above & bit       ? FLOAT_INFINITY
                                   : FLOAT_SIGN | FLOAT_INFINITY;
    }
};

/* A lane's pixels. dst: the part; (x, y): the tile's first pixel in it. */
struct lines_pixels {
    const view &dst;
    int x, y, channel;

    /* Which of these there are: bits of lines_bit(). */
    __device__ __forceinline__ uint32_t present(uint32_t bits) const
    {
        for (uint32_t left = bits; left; left &= left - 1)
            if (column(left) >= dst.width || row(left) >= dst.height)
                bits &= ~(left & -left);
        return bits;
    }

    /* Of the lowest bit. */
    __device__ __forceinline__ int column(uint32_t bits) const
    {
        return x + lines_row((__ffs((int)bits) - 1) % 4);
    }
    __device__ __forceinline__ int row(uint32_t bits) const
    {
        return y + lines_column((__ffs((int)bits) - 1) / 4);
    }

    __device__ __forceinline__ void store(const lines_specials &specials) const
    {
        for (uint32_t left = present(specials.above | specials.below); left; left &= left - 1)
            row_of<uint32_t>(dst, row(left))[(int64_t)column(left) * dst.channels + channel] =
                specials.sample(left & -left);
    }

    /* (part_x, part_y): the part's first pixel in the image. */
    __device__ __forceinline__ void list(uint32_t open, int64_t part_x, int64_t part_y,
                                         unresolved_list *list, int64_t capacity) const
    {
        for (uint32_t left = present(open); left; left &= left - 1)
            add_unresolved(list, {part_x + column(left), part_y + row(left), channel, 1}, capacity);
    }
};

template <bool MEANS>
__global__ void __launch_bounds__(32 * LINES_WARPS, MEANS ? 2 : 3)
    lines_along(const view dst, const lines_taps along, const lines_planes planes,
                const lines_rounding rounding, const int64_t part_x, const int64_t part_y,
                unresolved_list *list, const int64_t capacity)
{
    DYN_SHARED(double, memory);
    const int lane = (int)threadIdx.x % 32, halo = along.halo, channels = dst.channels;
    const unsigned rows = (unsigned)(planes.pitch / LINES_TILE);
    const unsigned across =
        (unsigned)(dst.width + LINES_TILE * LINES_WARPS - 1) / (LINES_TILE * LINES_WARPS);
    const int row = (int)(blockIdx.x % rows), channel = (int)(blockIdx.x / rows / across);
    const int x = (int)(blockIdx.x / rows % across * LINES_WARPS + threadIdx.x / 32) * LINES_TILE;
    const int64_t first =
        (channel * planes.lines + x) * planes.pitch + row * LINES_TILE + lane / 4 * 4;
    const lines_numbers source = {planes.sums + first, planes.pitch};
    const lines_numbers source_there = {planes.there + first, planes.pitch};
    /* The taps were there before the kernel before let this one come. */
    const lines_taps taps = along.copied(memory);
    read_numbers numbers;
    read_specials kinds;
    lines_specials specials;
    lines_sums sums, there;
    uint32_t open = 0;

    __syncthreads();
    await_kernel_before();
    let_next_kernel_come();
    if (x >= dst.width)
        return;

    const int last_x = (int)min((int64_t)x + LINES_TILE, dst.width) + 2 * halo;
    const lines_reach reach = reach_of_tiles(planes.reach + row * planes.tiles,
                                             (x * channels + planes.skipped) / LINES_TILE,
                                             (last_x * channels - 1 + planes.skipped) / LINES_TILE);
    const lines_interval interval = interval_of<MEANS>(reach, rounding);

    if (reach.kinds & LINES_SPECIAL) {
        sum_lines<true>(sums, taps, source, kinds);
        specials.set(sums);
    }
    if (MEANS) {
        there.set(rounding.whole);
        if (reach.kinds & LINES_MISSING)
            sum_lines<false>(there, taps, source_there, numbers);
    }
    sum_lines<false>(sums, taps, source, numbers);

    const int left = (int)min(dst.width - x - lines_row(0), (int64_t)LINES_TILE);
    const int below =
        (int)min(dst.height - row * LINES_TILE - lines_column(0), (int64_t)LINES_TILE);
    uint32_t *results = row_of<uint32_t>(dst, row * LINES_TILE + lines_column(0)) +
                        (x + lines_row(0)) * channels + channel;
    const int64_t stride = dst.stride_bytes / (int64_t)sizeof *results;

#pragma unroll
    for (int i = 0; i < 8; i++, results += stride)
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const double sum = sums.at(i, k), weight = MEANS ? there.at(i, k) : 1;
            const uint32_t sample = MEANS && weight == 0
                                        ? FLOAT_QUIET_NAN
                                        : float_between(MEANS ? sum / weight : sum, interval);

            if (i < below && 8 * k < left)
                results[8 * k * channels] = sample;
            open |= sample == FLOAT_OPEN ? lines_bit(i, k) : 0;
        }

    const lines_pixels pixels = {dst, x, row * LINES_TILE, channel};

    pixels.store(specials);
    pixels.list(open & ~(specials.above | specials.below), part_x, part_y, list, capacity);
}

#endif
