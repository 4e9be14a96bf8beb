/* SPDX-License-Identifier: MIT */
/* Sums over the windows of a run: WEIGHTED_RUN outputs of a thread, below one another or in a row,
 * each with all channels of its pixel. What several windows share is fetched once. */
#ifndef SMOOTHIMG_FUSED_WEIGHTED_WINDOWS_CUH
#define SMOOTHIMG_FUSED_WEIGHTED_WINDOWS_CUH

#include "kernels/common/launch.cuh"
#include "kernels/smooth/fused/weighted/filter.cuh"
#include "kernels/smooth/source.cuh"

/* The integer in units of 2^-1074; below 2^52. */
__device__ __forceinline__ double subnormal_of(uint64_t integer)
{
    return __hiloint2double((int)(integer >> 32), (int)integer);
}

/* Sample k of those that lie side by side in words. */
template <typename Sample>
__device__ __forceinline__ uint32_t sample_in_words(const uint32_t *words, int k)
{
    if constexpr (sizeof(Sample) == 1)
        return __byte_perm(words[k / 4], 0, 0x4440 + k % 4);
    else
        return __byte_perm(words[k / 2], 0, k % 2 ? 0x4432 : 0x4410);
}

/* A pixel's samples, side by side as in memory. */
template <typename Sample, int CHANNELS> struct weighted_pixel {
    static constexpr int size = (int)sizeof(Sample), bytes = CHANNELS * size;

    uint32_t words[(bytes + 3) / 4];

    __device__ __forceinline__ uint32_t sample(int c) const
    {
        return sample_in_words<Sample>(words, c);
    }

    __device__ __forceinline__ void load_aligned(const char *from)
    {
        if constexpr (bytes == 2) {
            words[0] = *reinterpret_cast<const uint16_t *>(from);
        } else if constexpr (bytes == 4) {
            words[0] = *reinterpret_cast<const uint32_t *>(from);
        } else {
            const uint2 two = *reinterpret_cast<const uint2 *>(from);

            words[0] = two.x;
            words[1] = two.y;
        }
    }

    __device__ __forceinline__ void load(const char *from)
    {
        const Sample *samples = reinterpret_cast<const Sample *>(from);

#pragma unroll
        for (int c = 0; c < CHANNELS; c++)
            words[c * size / 4] = (c * size % 4 ? words[c * size / 4] : 0) |
                                  (uint32_t)samples[c] << (c * size % 4 * 8);
    }
};

/* Pixels below one another; their values are the colours times alpha, and alpha. */
template <typename Sample, int CHANNELS> struct weighted_column {
    typedef weighted_pixel<Sample, CHANNELS> item;

    const source &src;
    const char *column; /* its pixel in row 0; NULL: samples are zero */
    int64_t first;      /* row */
    int last;           /* that is needed, from there on; it is read in place of those below it */
    bool quick;         /* whether pixels lie aligned, and all that are asked for are in src */

    /* From row first + top on. */
    template <int N> __device__ __forceinline__ void fetch(item (&items)[N], int top) const
    {
        if (quick) {
            const char *from = column + (first + top) * src.stride_bytes;

#pragma unroll
            for (int j = 0; j < N; j++)
                items[j].load_aligned(from + j * src.stride_bytes);
            return;
        }
#pragma unroll
        for (int j = 0; j < N; j++) {
            const int64_t row = source_row(src, first + min(top + j, last));

            items[j] = {};
            if (column && row != NOWHERE)
                items[j].load(column + row * src.stride_bytes);
        }
    }

    /* As numbers of the units that the weights down the columns are for. */
    __device__ __forceinline__ void get(double (&values)[CHANNELS], const item &pixel) const
    {
        const uint32_t alpha = pixel.sample(CHANNELS - 1);

#pragma unroll
        for (int c = 0; c < CHANNELS - 1; c++)
            values[c] = subnormal_of((uint64_t)alpha * pixel.sample(c));
        values[CHANNELS - 1] = subnormal_of(alpha);
    }
};

/* Sums side by side in shared memory, two channels of a pixel in each pair; the pairs of the next
 * two channels lie `plane` pairs further. They are loaded when they are wanted. */
template <int CHANNELS> struct weighted_line {
    typedef int item;

    const double2 *first;
    int plane;

    template <int N> __device__ __forceinline__ void fetch(item (&items)[N], int from) const
    {
#pragma unroll
        for (int j = 0; j < N; j++)
            items[j] = from + j;
    }

    __device__ __forceinline__ void get(double (&values)[CHANNELS], item at) const
    {
#pragma unroll
        for (int c = 0; c < CHANNELS; c += 2) {
            const double2 pair = first[c / 2 * plane + at];

            values[c] = pair.x;
            values[c + 1] = pair.y;
        }
    }
};

/* Adds items to the totals of the windows that they lie in: item j to output i with taps[j - i],
 * where that is LOW to HIGH. */
template <int LOW, int HIGH, int CHANNELS, class Source, int N>
__device__ __forceinline__ void add_items(double (&totals)[WEIGHTED_RUN][CHANNELS],
                                          const double *taps, const Source &source,
                                          const typename Source::item (&items)[N])
{
#pragma unroll
    for (int j = 0; j < N; j++) {
        double values[CHANNELS];

        source.get(values, items[j]);
#pragma unroll
        for (int i = 0; i < WEIGHTED_RUN; i++)
            if (j - i >= LOW && j - i <= HIGH)
#pragma unroll
                for (int c = 0; c < CHANNELS; c++)
                    totals[i][c] = fma(taps[j - i], values[c], totals[i][c]);
    }
}

/* The totals of a run whose first window begins at item 0. HALO: the axis's, or more,
 * since the taps that follow are 0; 0: any. Then items come in chunks of a run, the first of which
 * only begins windows, and the last ends them. */
template <int HALO, int CHANNELS, class Source>
__device__ __forceinline__ void sum_windows(double (&totals)[WEIGHTED_RUN][CHANNELS],
                                            const weighted_axis &axis, const Source &source)
{
    constexpr int run = WEIGHTED_RUN;

    if constexpr (HALO > 0) {
        typename Source::item items[run + 2 * HALO];

        source.fetch(items, 0);
        add_items<0, 2 * HALO>(totals, axis.taps, source, items);
    } else {
        typename Source::item items[run], next[run];

        source.fetch(items, 0);
        source.fetch(next, run); /* on their way while the others are added */
        add_items<0, run>(totals, axis.taps, source, items);
#pragma unroll 1
        for (int first = run; first < 2 * axis.reach; first += run) {
#pragma unroll
            for (int j = 0; j < run; j++)
                items[j] = next[j];
            source.fetch(next, first + run);
            add_items<-run, run>(totals, axis.taps + first, source, items);
        }
        add_items<-run, 0>(totals, axis.taps + 2 * axis.reach, source, next);
    }
}

#endif
