/* SPDX-License-Identifier: MIT */
/* The sums between the two passes, which are in doubles and lie in scratch: where the first pass
 * gets samples of any type from and puts their sums, and what the second reads of them, each for a
 * warp's tile of products.cuh. */
#ifndef SMOOTHIMG_FUSED_LINES_PLANES_CUH
#define SMOOTHIMG_FUSED_LINES_PLANES_CUH

#include "kernels/smooth/fused/lines/products.cuh"
#include "kernels/smooth/fused/repair.cuh"
#include "kernels/smooth/source.cuh"

/* What is in reach of a tile of floats (floats.cuh). */
struct lines_reach {
    uint32_t peak;  /* the greatest of the finite samples' bits, without the sign */
    uint32_t kinds; /* LINES_..., joined by | */
};

/* The sums of a part of the image, and of what is in reach left and right of it: for each channel a
 * plane, in it a line for each column, in it a number for each row. */
struct lines_planes {
    double *sums, *there; /* there: sums of the weights of samples that are there; NULL: of all */
    lines_reach *reach;   /* of each tile of the source, row by row; NULL for integers */
    int64_t pitch;        /* numbers of a line: a multiple of LINES_TILE */
    int64_t lines;        /* of a plane */
    int64_t tiles;        /* in a row of tiles */
    int skipped;          /* samples of the first tile before those in reach */
};

/* --- Down the columns. */

/* A warp's tile, of the part and of what is in reach left and right of it. */
struct lines_tile_down {
    int column, sample; /* number of the tile in its row, and the first sample, from the first in
                           reach on, which may be less than 0 */
    int tile_row, row;

    __device__ __forceinline__ explicit lines_tile_down(const lines_planes &planes)
        : column((int)(blockIdx.x % planes.tiles)), sample(column * LINES_TILE - planes.skipped),
          tile_row((int)(blockIdx.x / planes.tiles) * LINES_WARPS + (int)threadIdx.x / 32),
          row(tile_row * LINES_TILE)
    {
    }

    /* Of the lane's four columns the first sample. */
    __device__ __forceinline__ int64_t own() const
    {
        return sample + (int)threadIdx.x % 32 / 4 * 4;
    }
};

/* Sample i of row y, counted from `reach` samples before its first, or the one `further` on in its
 * pixel, wherever that lies. Not inline: it is rare, and its registers are not the loop's. */
template <typename Sample>
__device__ __noinline__ Sample lines_gathered(const source &src, int64_t y, int64_t i,
                                              int64_t reach, int further)
{
    const uint64_t channels = (uint64_t)src.channels, number = (uint64_t)i;

    return source_get(src, source_line<Sample>(src, y),
                      (int64_t)(number / channels) - reach / src.channels,
                      (int32_t)(number % channels) + further, false);
}

/* Where the rows of a tile's samples are: from its first row in reach on, and in each from the
 * lane's four samples on. */
template <typename Sample> struct lines_rows {
    const source &src;
    int64_t top, own, reach; /* reach: samples before and behind a row that are needed */
    int last;                /* row that is needed; it is read in place of those below it */
    const char *first;       /* sample `own` of row `top`, if it lies there */
    bool inside;             /* it and all others that are needed do */

    __device__ __forceinline__ lines_rows(const source &src, const lines_tile_down &tile,
                                          int halo_x, int halo_y)
        : src(src), top(tile.row - halo_y), own(tile.own() - (int64_t)halo_x * src.channels),
          reach((int64_t)halo_x * src.channels),
          last((int)min(min(src.height + halo_y, src.height + src.beside.below) - 1 - top,
                        (int64_t)INT32_MAX)),
          first(reinterpret_cast<const char *>(row_of<const Sample>(src, top) + own))
    {
        const int64_t channels = src.channels;
        const int64_t bottom = min(tile.row + (int64_t)LINES_TILE, src.height) - 1 + halo_y;

        inside = source_has_rows(src, top, bottom) &&
                 max(own, -reach) >= -src.beside.left * channels &&
                 min(own + 3, src.width * channels + reach - 1) <
                     (src.width + src.beside.right) * channels;
        if (!inside)
            last = (int)min(src.height + halo_y - 1 - top, (int64_t)INT32_MAX);
    }

    /* Some sample of a row. */
    __device__ __forceinline__ const Sample *at(int row) const
    {
        return reinterpret_cast<const Sample *>(first + min(row, last) * src.stride_bytes);
    }

    /* The lane's sample i of a row, wherever it lies; or the one `further` on in its pixel. */
    __device__ __forceinline__ Sample gathered(int row, int i, int further) const
    {
        return lines_gathered<Sample>(src, top + min(row, last), own + reach + i, reach, further);
    }

    /* Whether the lane's sample i is needed. */
    __device__ __forceinline__ bool has(int i) const
    {
        return own + i >= -reach && own + i < src.width * src.channels + reach;
    }
};

/* Four samples side by side, as in memory. */
template <typename Sample> struct alignas(4 * sizeof(Sample)) lines_unit {
    uint32_t words[sizeof(Sample)];

    __device__ __forceinline__ uint32_t at(int i) const
    {
        constexpr int size = (int)sizeof(Sample);

        return words[i * size / 4] >> (i * size % 4 * 8) & (Sample)-1;
    }

    __device__ __forceinline__ void add(int i, uint32_t sample)
    {
        constexpr int size = (int)sizeof(Sample);

        words[i * size / 4] |= sample << (i * size % 4 * 8);
    }
};

/* Four samples of each row; those that lie in a unit if the rows begin where units do. */
template <typename Sample> struct lines_samples {
    typedef lines_unit<Sample> unit;

    lines_rows<Sample> rows;
    unit mask; /* has all bits of those that are needed */
    bool by_unit;

    __device__ __forceinline__ lines_samples(const source &src, const lines_tile_down &tile,
                                             int halo_x, int halo_y)
        : rows(src, tile, halo_x, halo_y), mask{}
    {
        bool any = false;

#pragma unroll
        for (int i = 0; i < 4; i++) {
            mask.add(i, rows.has(i) ? (Sample)-1 : 0);
            any |= rows.has(i);
        }
        by_unit = any && rows.inside &&
                  ((uintptr_t)rows.first | (uintptr_t)src.stride_bytes) % sizeof(unit) == 0;
    }

    __device__ __forceinline__ unit load(int row) const
    {
        const Sample *samples = rows.at(row);
        unit four = {};

        if (by_unit)
            return *reinterpret_cast<const unit *>(samples);
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (mask.at(i))
                four.add(i, rows.inside ? samples[i] : rows.gathered(row, i, 0));
        return four;
    }

    /* What load() gave, when it is needed: until then nothing waits for it. */
    __device__ __forceinline__ unit loaded(unit four) const
    {
#pragma unroll
        for (int i = 0; i < (int)sizeof(Sample); i++)
            four.words[i] &= mask.words[i];
        return four;
    }
};

/* put(number, sum) for each sum of a column of the planes, and the number that it is for. */
template <class Put>
__device__ __forceinline__ void store_sums(lines_sums &sums, double *numbers,
                                           const lines_planes &planes, const lines_tile_down &tile,
                                           int channels, Put put)
{
    const int own = tile.sample + lines_column(0), before = max(-own, 0);
    int x = (own + before) / channels, channel = (own + before) % channels;
    double *line = numbers + ((int64_t)channel * planes.lines + x) * planes.pitch + tile.row;

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

/* --- Along the rows. */

/* A warp's tile of outputs of one channel; of the first one where a block computes all. */
struct lines_tile_along {
    int tile_row, row, x, channel;

    __device__ __forceinline__ lines_tile_along(const view &dst, const lines_planes &planes)
    {
        const unsigned rows = (unsigned)(planes.pitch / LINES_TILE);
        const unsigned across =
            (unsigned)(dst.width + LINES_TILE * LINES_WARPS - 1) / (LINES_TILE * LINES_WARPS);

        tile_row = (int)(blockIdx.x % rows);
        row = tile_row * LINES_TILE;
        channel = (int)(blockIdx.x / rows / across);
        x = (int)(blockIdx.x / rows % across * LINES_WARPS + threadIdx.x / 32) * LINES_TILE;
    }

    /* What the lane reads first of a channel's numbers. */
    __device__ __forceinline__ int64_t first(const lines_planes &planes, int of_channel) const
    {
        return (of_channel * planes.lines + x) * planes.pitch + row + (int)threadIdx.x % 32 / 4 * 4;
    }
};

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

/* The bit of sums.at(column, row), of 32. */
__device__ __forceinline__ constexpr uint32_t lines_bit(int column, int row)
{
    return 1u << (4 * column + row);
}

/* A lane's pixels. dst: the part. */
struct lines_pixels {
    const view &dst;
    const lines_tile_along &tile;

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
        return tile.x + lines_row((__ffs((int)bits) - 1) % 4);
    }
    __device__ __forceinline__ int row(uint32_t bits) const
    {
        return tile.row + lines_column((__ffs((int)bits) - 1) / 4);
    }

    /* The same in an image of the part's size. */
    template <typename Sample>
    __device__ __forceinline__ Sample *sample(const view &image, uint32_t bits) const
    {
        return row_of<Sample>(image, row(bits)) + (int64_t)column(bits) * image.channels +
               tile.channel;
    }
};

/* Where a part's samples that are open go. */
struct lines_list {
    unresolved_list *list;
    int64_t capacity;
    int64_t x, y; /* the part's first pixel in the image */

    /* open: bits of lines_bit() */
    __device__ __forceinline__ void add(const view &dst, const lines_tile_along &tile,
                                        uint32_t open) const
    {
        const lines_pixels pixels = {dst, tile};

        for (uint32_t left = pixels.present(open); left; left &= left - 1)
            add_unresolved(list, {x + pixels.column(left), y + pixels.row(left), tile.channel, 1},
                           capacity);
    }
};

struct lines_result {
    uint32_t bits; /* of the sample */
    bool open;
};

/* Writes result(column, row) for each of the lane's sums whose pixel there is. Returns which of all
 * are open: bits of lines_bit(). */
template <typename Sample, class Result>
__device__ __forceinline__ uint32_t store_results(const view &dst, const lines_tile_along &tile,
                                                  Result result)
{
    const int left = (int)min(dst.width - tile.x - lines_row(0), (int64_t)LINES_TILE);
    const int below = (int)min(dst.height - tile.row - lines_column(0), (int64_t)LINES_TILE);
    Sample *results = row_of<Sample>(dst, tile.row + lines_column(0)) +
                      (tile.x + lines_row(0)) * dst.channels + tile.channel;
    const int64_t stride = dst.stride_bytes / (int64_t)sizeof *results;
    uint32_t open = 0;

#pragma unroll
    for (int i = 0; i < 8; i++, results += stride)
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const lines_result sample = result(i, k);

            if (i < below && 8 * k < left)
                results[8 * k * dst.channels] = (Sample)sample.bits;
            open |= sample.open ? lines_bit(i, k) : 0;
        }
    return open;
}

#endif
