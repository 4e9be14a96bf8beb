/* SPDX-License-Identifier: MIT */
/* Sums over the windows of runs: WEIGHTED_RUN outputs, below one another or in a row, each with all
 * channels of its pixel, by products of matrices (../../double_products.cuh); and how its pixels
 * are loaded. A warp computes runs of eight lines, which are columns of the image or rows of sums:
 * with g = lane / 4 and t = lane % 4, a lane has terms t, t + 4, ... of line g, and its outputs 2t
 * and 2t + 1. */
#ifndef SMOOTHIMG_FUSED_WEIGHTED_MMA_SUMS_CUH
#define SMOOTHIMG_FUSED_WEIGHTED_MMA_SUMS_CUH

#include "kernels/smooth/fused/double_products.cuh"
#include "kernels/smooth/fused/weighted/windows.cuh"

#define MMA_COLUMNS 2 /* pixels that a lane loads at once */

/* Pixels side by side. */
template <typename Sample, int CHANNELS> struct mma_pixels {
    static constexpr int in_word = 4 / (int)sizeof(Sample);
    static constexpr int samples = MMA_COLUMNS * CHANNELS, count = samples / in_word;

    uint32_t words[count];

    /* The colours times alpha, and alpha, of a pixel, in units of 2^-1074. */
    __device__ __forceinline__ void get_values(double (&values)[CHANNELS], int pixel) const
    {
        const int first = pixel * CHANNELS;
        const uint32_t alpha = sample_in_words<Sample>(words, first + CHANNELS - 1);

#pragma unroll
        for (int c = 0; c < CHANNELS - 1; c++)
            values[c] = subnormal_of((uint64_t)alpha * sample_in_words<Sample>(words, first + c));
        values[CHANNELS - 1] = subnormal_of(alpha);
    }

    __device__ __forceinline__ void load_aligned(const char *from)
    {
        if constexpr (count == 1) {
            words[0] = *reinterpret_cast<const uint32_t *>(from);
        } else if constexpr (count == 2) {
            const uint2 two = *reinterpret_cast<const uint2 *>(from);

            words[0] = two.x;
            words[1] = two.y;
        } else {
            const uint4 four = *reinterpret_cast<const uint4 *>(from);

            words[0] = four.x;
            words[1] = four.y;
            words[2] = four.z;
            words[3] = four.w;
        }
    }

    /* Sample by sample, no pixel but the first `pixels`, the last of which takes the others'
     * places. */
    __device__ __forceinline__ void load_samples(const Sample *from, int pixels)
    {
#pragma unroll
        for (int i = 0; i < count; i++)
            words[i] = 0;
#pragma unroll
        for (int k = 0; k < samples; k++)
            words[k / in_word] |=
                (uint32_t)from[min(k / CHANNELS, pixels - 1) * CHANNELS + k % CHANNELS]
                << k % in_word * (32 / in_word);
    }
};

/* Columns of the image. */
template <typename Sample, int CHANNELS> struct mma_columns {
    const char *first; /* the first column's first pixel */
    int64_t stride;
    int last;   /* row of the border; it is read in place of those below it */
    int pixels; /* of these that there are; at least one */
    bool aligned;

    __device__ __forceinline__ mma_pixels<Sample, CHANNELS> load(int row) const
    {
        const char *from = first + min(row, last) * stride;
        mma_pixels<Sample, CHANNELS> own;

        if (aligned && pixels == MMA_COLUMNS)
            own.load_aligned(from);
        else
            own.load_samples(reinterpret_cast<const Sample *>(from), pixels);
        return own;
    }
};

/* The totals of two outputs: of channels 2 i and 2 i + 1 in totals[i], of the one channel first. */
template <int CHANNELS> struct mma_totals {
    double totals[CHANNELS / 2][4];

    __device__ __forceinline__ void add(const double (&values)[CHANNELS], double weight)
    {
#pragma unroll
        for (int c = 0; c < CHANNELS; c += 2)
            add_doubles_4(totals[c / 2], values[c], values[c + 1], weight);
    }

    __device__ __forceinline__ void get(double (&pixel)[CHANNELS], int output) const
    {
#pragma unroll
        for (int c = 0; c < CHANNELS; c++)
            pixel[c] = totals[c / 2][c % 2 * 2 + output];
    }
};

/* The weights of an axis, with zeros around them: those of a run's windows begin at neighbouring
 * places. */
struct mma_taps {
    static constexpr int before = WEIGHTED_RUN - 1;
    double taps[2 * before + 2 * WEIGHTED_MAX_HALO + 2];

    /* All threads of the block call it. */
    __device__ __forceinline__ void set(const weighted_axis &axis)
    {
        for (int i = (int)threadIdx.x; i < (int)(sizeof taps / sizeof *taps); i += (int)blockDim.x)
            taps[i] = i >= before && i <= before + 2 * axis.halo ? axis.taps[i - before] : 0;
    }

    /* Where the lane's begin. */
    __device__ __forceinline__ const double *of_lane() const
    {
        const int lane = (int)threadIdx.x % 32;

        return taps + before + lane % 4 - lane / 4;
    }
};

/* The halo, so increased that the windows of a run touch whole steps. */
__host__ __device__ static inline int mma_reach(int halo)
{
    return (halo + 1) / 2 * 2;
}

/* Terms that a run's windows touch. */
__device__ __forceinline__ int terms_of_run(const weighted_axis &axis)
{
    return WEIGHTED_RUN + 2 * mma_reach(axis.halo);
}

/* Adds to sums[i] the run down column i of those that the lane loads at once. Rows come two steps
 * before they are wanted. */
template <typename Sample, int CHANNELS>
__device__ __forceinline__ void sum_columns(mma_totals<CHANNELS> (&sums)[MMA_COLUMNS],
                                            const mma_columns<Sample, CHANNELS> &source,
                                            const mma_taps &taps, int terms)
{
    const int term = (int)threadIdx.x % 4;
    const double *tap = taps.of_lane();
    mma_pixels<Sample, CHANNELS> own = source.load(term);
    mma_pixels<Sample, CHANNELS> next = source.load(term + PRODUCT_TERMS);

#pragma unroll 2
    for (int at = 0; at < terms; at += PRODUCT_TERMS) {
        const double weight = tap[at];
        mma_pixels<Sample, CHANNELS> after = own;

        if (at + 2 * PRODUCT_TERMS < terms)
            after = source.load(at + 2 * PRODUCT_TERMS + term);
#pragma unroll
        for (int i = 0; i < MMA_COLUMNS; i++) {
            double values[CHANNELS];

            own.get_values(values, i);
            sums[i].add(values, weight);
        }
        own = next;
        next = after;
    }
}

/* The sums of a line's pixel. Two channels of it are a pair; the pairs of the next two lie `plane`
 * pairs further. */
template <int CHANNELS>
__device__ __forceinline__ void load_sums(double (&values)[CHANNELS], const double2 *at, int plane)
{
#pragma unroll
    for (int c = 0; c < CHANNELS; c += 2) {
        const double2 pair = at[c / 2 * plane];

        values[c] = pair.x;
        values[c + 1] = pair.y;
    }
}

/* Adds to sums two runs beside each other along a row of sums. line: the lane's first term. The
 * second run's windows begin two steps after the first's, so that its weights are those of two
 * steps before. */
template <int CHANNELS>
__device__ __forceinline__ void sum_rows(mma_totals<CHANNELS> (&sums)[2], const double2 *line,
                                         int plane, const mma_taps &taps, int terms)
{
    const double *tap = taps.of_lane();
    double values[CHANNELS], before[2] = {tap[0], tap[PRODUCT_TERMS]};

#pragma unroll
    for (int i = 0; i < 2; i++) {
        load_sums(values, line + i * PRODUCT_TERMS, plane);
        sums[0].add(values, before[i]);
    }
#pragma unroll 2
    for (int at = 2 * PRODUCT_TERMS; at < terms; at += PRODUCT_TERMS) {
        const double weight = tap[at];

        load_sums(values, line + at, plane);
        sums[0].add(values, weight);
        sums[1].add(values, before[0]);
        before[0] = before[1];
        before[1] = weight;
    }
#pragma unroll
    for (int i = 0; i < 2; i++) {
        load_sums(values, line + terms + i * PRODUCT_TERMS, plane);
        sums[1].add(values, before[i]);
    }
}

#endif
