/* SPDX-License-Identifier: MIT */
/* Computes one sample from global memory: by the direct two-dimensional sum, or, for a colour that
 * alpha weights, by the quotient of two such sums. The kernels naive and coalesced differ only in
 * which sample a thread computes. */
#ifndef SMOOTHIMG_SMOOTH_DIRECT_CUH
#define SMOOTHIMG_SMOOTH_DIRECT_CUH

#include "kernels/common/mean.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/common/weights.cuh"
#include "kernels/smooth/floats/floats.h"
#include "kernels/smooth/source.cuh"

#include <type_traits>

/* Returns the sample j pixels to the right of *centre, which is a sample of pixel x. INSIDE: the
 * sample is known to exist. If INSIDE is false and the sample does not exist, the edge rule
 * applies. */
template <typename T, bool INSIDE>
__device__ __forceinline__ uint32_t tap_at(const source &src, const T *centre, int64_t x, int j)
{
    const int64_t from = INSIDE ? x + j : source_column(src, x + j);

    return INSIDE || from != NOWHERE ? centre[(from - x) * src.channels] : 0;
}

/* Returns the result at `row` and `column` of a channel that alpha does not weight. The column
 * counts samples: neighbours of the same channel are src.channels apart. INSIDE: all samples of the
 * window exist, so that the edge rule does not apply. */
template <typename T, bool INSIDE, class Filter>
__device__ __forceinline__ uint32_t smooth_direct(const source &src, const Filter &filter,
                                                  int64_t row, int64_t column)
{
    const int halo_x = filter.x().halo, halo_y = filter.y().halo;
    const int64_t x = column / src.channels;
    uint128 total = 0;

    for (int i = -halo_y; i <= halo_y; i++) {
        const T *line = INSIDE ? row_of<const T>(src, row + i) : source_line<T>(src, row + i);
        uint64_t sum = 0;

        for (int j = -halo_x; line && j <= halo_x; j++)
            sum += weight_at(filter.x(), j) * tap_at<T, INSIDE>(src, line + column, x, j);
        total += (uint128)weight_at(filter.y(), i) * sum;
    }
    return exact_round(total, filter.x().maxval);
}

/* The type of the weighted sum, along a row, of alpha times a colour: 64 bits are enough for 8-bit
 * samples; 16-bit samples need 80 bits. */
template <typename T> using weighted_sum = std::conditional_t<sizeof(T) == 1, uint64_t, uint128>;

/* Does what smooth_direct() does, for a colour that alpha weights. The pixel's alpha is `to_alpha`
 * samples after the colour. */
template <typename T, bool INSIDE, class Filter>
__device__ __forceinline__ uint32_t smooth_direct_mean(const source &src, const Filter &filter,
                                                       int64_t row, int64_t column, int to_alpha)
{
    const int halo_x = filter.x().halo, halo_y = filter.y().halo;
    const int64_t x = column / src.channels;
    uint128 colours = 0, cover = 0;

    for (int i = -halo_y; i <= halo_y; i++) {
        const T *line = INSIDE ? row_of<const T>(src, row + i) : source_line<T>(src, row + i);
        weighted_sum<T> row_colours = 0;
        uint64_t row_cover = 0;

        for (int j = -halo_x; line && j <= halo_x; j++) {
            const uint32_t alpha = tap_at<T, INSIDE>(src, line + column + to_alpha, x, j);
            const uint32_t colour = tap_at<T, INSIDE>(src, line + column, x, j);

            row_cover += weight_at(filter.x(), j) * alpha;
            row_colours += (weighted_sum<T>)weight_at(filter.x(), j) * (alpha * colour);
        }
        exact_add(&cover, weight_at(filter.y(), i), row_cover);
        exact_add_sum(&colours, weight_at(filter.y(), i), row_colours);
    }
    return exact_is_zero(cover) ? row_of<const T>(src, row)[column] : mean_of(colours, cover);
}

template <typename T, bool WEIGHTED, bool INSIDE, class Filter>
__device__ __forceinline__ uint32_t smooth_direct_of(const source &src, const Filter &filter,
                                                     int64_t row, int64_t column)
{
    const int to_alpha = WEIGHTED ? src.channels - 1 - (int)(column % src.channels) : 0;

    return to_alpha > 0 ? smooth_direct_mean<T, INSIDE>(src, filter, row, column, to_alpha)
                        : smooth_direct<T, INSIDE>(src, filter, row, column);
}

/* Returns the result at `row` and `column`, which counts samples. T is uint8_t or uint16_t.
 * WEIGHTED: alpha weights the colours. */
template <typename T, bool WEIGHTED, class Filter>
__device__ __forceinline__ uint32_t smooth_direct_result(const source &src, const Filter &filter,
                                                         int64_t row, int64_t column)
{
    return source_has_window(src, filter.x().halo, filter.y().halo, row, column)
               ? smooth_direct_of<T, WEIGHTED, true>(src, filter, row, column)
               : smooth_direct_of<T, WEIGHTED, false>(src, filter, row, column);
}

/* Launches a kernel whose threads compute one sample at a time, and returns what the member run()
 * of an engine returns. The kernel is a template over the sample type, over whether alpha weights
 * colours, and over the filter type (weights.cuh). */
#define LAUNCH_DIRECT(KERNEL, GRID, BLOCK, PIECE)                                                  \
    with_samples(PIECE, [&]<typename T, bool WEIGHTED>() {                                         \
        return with_filter((PIECE)->request, [&]<class Filter>() {                                 \
            LAUNCH((KERNEL<T, WEIGHTED, Filter>), GRID, BLOCK, 0, (PIECE)->stream,                 \
                   source_of(PIECE), (PIECE)->dst, filter_of<Filter>((PIECE)->request));           \
            return launched();                                                                     \
        });                                                                                        \
    })

static inline const char *refuses_direct(const struct request *request)
{
    const char *reason = refuses_block(request);

    return reason ? reason : refuses_floats(request);
}

#endif
