/* SPDX-License-Identifier: MIT */
/* The filter of floats, the bound of an estimate, and the exact sum where that is not enough.
 *
 * With u = 2^-53, a term w(i) w(j) in(i, j) is rounded at most R = 2 halo_x + 2 halo_y + 4 times,
 * in a fixed order or another, fused or not; samples and weights are exact in doubles. So an
 * estimate in doubles is within 1.05 R u of the sum of the terms' magnitudes. 8 roundings are spare
 * for the ends of the interval, and for the magnitudes, which are rounded too. The quotient of two
 * such sums is within 1.05 (2 R + 1) u of the mean magnitude. */
#ifndef SMOOTHIMG_FUSED_FLOATS_FILTER_CUH
#define SMOOTHIMG_FUSED_FLOATS_FILTER_CUH

#include "kernels/common/float_sum.h"
#include "kernels/common/launch.cuh"
#include "kernels/common/weights.cuh"
#include "kernels/smooth/source.cuh"

#define FLOAT_WINDOW_HALO 4 /* at most, on either axis, of window.cuh */

/* The filter, as the definition has it, and in doubles from the centre outwards. */
struct float_filter {
    two_axes_to<FLOAT_WINDOW_HALO> exact;
    double along[FLOAT_WINDOW_HALO + 1], down[FLOAT_WINDOW_HALO + 1];
    double whole; /* the sum of all weights of the window */

    __device__ __forceinline__ const weights_to<FLOAT_WINDOW_HALO> &x() const
    {
        return exact.along;
    }
    __device__ __forceinline__ const weights_to<FLOAT_WINDOW_HALO> &y() const
    {
        return exact.down;
    }
};

/* Sets the weights of one axis in doubles; returns their sum. */
static inline double set_taps(double *taps, const uint64_t *weights, int64_t halo)
{
    double sum = 0;

    for (int64_t k = 0; k <= halo; k++)
        taps[k] = (double)weights[halo + k] * 0x1p-46;
    for (int64_t k = 0; k <= halo; k++)
        sum += k > 0 ? 2 * taps[k] : taps[k];
    return sum;
}

static inline float_filter float_filter_of(const struct request *request)
{
    float_filter filter;

    memset(&filter, 0, sizeof filter);
    filter.exact = two_axes_of<FLOAT_WINDOW_HALO>(request);
    filter.whole = set_taps(filter.along, request->weights_x, request->halo_x) *
                   set_taps(filter.down, request->weights_y, request->halo_y);
    return filter;
}

/* Written for samples whose interval does not tell them. No result: those have one NaN only. */
#define FLOAT_OPEN 0x7f800001u

/* Where the exact value of an estimate e lies: e * below - off .. e * above + off. */
struct float_interval {
    double below, above, off;
};

/* What is exact of a window, or of a share of it. */
struct exact_float_share {
    float_sum total;
    uint128 there; /* the weights of its samples that are there */
};

/* The taps of a sample along the rows. */
struct float_window {
    const source &src;
    int64_t x;
    int32_t channel;
    bool inside; /* all are in src */

    __device__ __forceinline__ float_window(const source &src, int64_t sample, int halo)
        : src(src), x(sample / src.channels), channel((int32_t)(sample % src.channels)),
          inside(source_has_columns(src, x - halo, x + halo))
    {
    }

    /* The bits of the one j pixels beside it, in a row that starts at `line`. */
    __device__ __forceinline__ uint32_t tap(const uint32_t *line, int j) const
    {
        return source_get(src, line, x + j, channel, inside);
    }
};

/* The definition's sums over every row_step-th row of a window from its row first_row on, and of
 * these every column_step-th column. sample: the centre's number in its row. */
template <bool MEANS, class Filter>
__device__ exact_float_share share_of_float(const source &src, const Filter &filter, int64_t row,
                                            int64_t sample, int first_row, int row_step,
                                            int first_column, int column_step)
{
    const int halo_x = filter.x().halo, halo_y = filter.y().halo;
    const float_window window(src, sample, halo_x);
    exact_float_share share = {};

    for (int i = first_row - halo_y; i <= halo_y; i += row_step) {
        const uint32_t *line = source_line<uint32_t>(src, row + i);
        float_sum sum = {};
        uint64_t row_there = 0;

        for (int j = first_column - halo_x; j <= halo_x; j += column_step) {
            const uint32_t bits = window.tap(line, j);
            const unsigned kind = float_kind(bits);

            if (kind == FLOAT_FINITE)
                float_sum_add(&sum, weight_at(filter.x(), j), bits);
            if (kind != FLOAT_NAN)
                row_there += weight_at(filter.x(), j);
        }
        float_sum_add_sum(&share.total, weight_at(filter.y(), i), &sum);
        share.there += (uint128)weight_at(filter.y(), i) * row_there;
    }
    return share;
}

template <bool MEANS>
__device__ __forceinline__ uint32_t round_exact_float(const exact_float_share &window)
{
    return MEANS ? float_sum_mean(window.total, window.there) : float_sum_round(window.total);
}

#endif
