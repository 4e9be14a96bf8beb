/* SPDX-License-Identifier: MIT */
// clang-format off
/* Idea:         the filter is separable, so it takes two passes: a kernel sums along the rows, and
 *               another kernel sums these sums down the columns. A thread computes one sum.
 * Fixes:        shared.cu's (2 halo + 1)^2 products for a sample become 2 (2 halo + 1).
 * Still slow:   a sum along a row has 64 bits and goes through global memory: 8 bytes are written
 *               and read again for a sample of one byte. In the second pass a product has 128 bits.
 *               fused.cu keeps the sums on the chip, and estimates them in types of which the
 *               hardware multiplies many at once. Only samples whose rounding an estimate leaves
 *               open are computed exactly. */
// clang-format on
#include "kernels/smooth/direct.cuh"

#define BLOCK_X 32
#define BLOCK_Y 8

/* The type of a sum along a row. 64 bits are enough for sums of samples, and of 8-bit colours times
 * alpha. Sums of 16-bit colours times alpha need 80 bits. */
template <typename T, bool WEIGHTED>
using sum_along_row = std::conditional_t<WEIGHTED, weighted_sum<T>, uint64_t>;

/* Returns the distance from a sample to its pixel's alpha, in samples; 0 if alpha does not weight
 * the sample. */
template <bool WEIGHTED> __device__ __forceinline__ int to_alpha(const view &view, int64_t column)
{
    return WEIGHTED ? view.channels - 1 - (int)(column % view.channels) : 0;
}

/* Returns the weighted sum along a row, over the window around *centre, which is sample `column` of
 * its row. Sums samples or, if alpha weights *centre, colours times alpha. INSIDE: all samples of
 * the window exist, so that the edge rule does not apply. */
template <typename T, bool WEIGHTED, bool INSIDE>
__device__ __forceinline__ sum_along_row<T, WEIGHTED>
sum_along(const source &src, const weights &weights, const T *centre, int64_t column)
{
    const int64_t x = column / src.channels;
    const int alpha = to_alpha<WEIGHTED>(src, column);
    sum_along_row<T, WEIGHTED> sum = 0;

    for (int j = -weights.halo; j <= weights.halo; j++)
        sum += (sum_along_row<T, WEIGHTED>)weight_at(weights, j) *
               (tap_at<T, INSIDE>(src, centre, x, j) *
                (alpha > 0 ? tap_at<T, INSIDE>(src, centre + alpha, x, j) : 1));
    return sum;
}

/* Sets row r of `sums` to the sums along row r - halo_y of src. There are src.height + 2 halo_y
 * such rows, since the windows of the results reach halo_y rows above and below src. */
template <typename T, bool WEIGHTED>
__global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    smooth_along(const source src, const __grid_constant__ weights weights, const int halo_y,
                 sum_along_row<T, WEIGHTED> *sums)
{
    const int64_t samples = src.width * src.channels;
    const int64_t column = (int64_t)blockIdx.x * BLOCK_X + threadIdx.x, x = column / src.channels;

    if (column >= samples)
        return;
    for (int64_t row = (int64_t)blockIdx.y * BLOCK_Y + threadIdx.y; row < src.height + 2 * halo_y;
         row += (int64_t)gridDim.y * BLOCK_Y) {
        const T *line = source_line<T>(src, row - halo_y);

        sums[row * samples + column] =
            !line ? 0
            : source_has_columns(src, x - weights.halo, x + weights.halo)
                ? sum_along<T, WEIGHTED, true>(src, weights, line + column, column)
                : sum_along<T, WEIGHTED, false>(src, weights, line + column, column);
    }
}

/* Returns the weighted sum of the sums along the rows, down one column. *sums is the topmost of
 * these in the window; each next one is `pitch` elements further. */
template <typename Sum>
__device__ __forceinline__ uint128 sum_down(const weights &weights, const Sum *sums, int64_t pitch)
{
    uint128 total = 0;

    for (int i = -weights.halo; i <= weights.halo; i++, sums += pitch)
        exact_add_sum(&total, weight_at(weights, i), *sums);
    return total;
}

template <typename T, bool WEIGHTED>
__global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    smooth_down(const source src, const view dst, const __grid_constant__ weights weights,
                const sum_along_row<T, WEIGHTED> *sums)
{
    const int64_t samples = src.width * src.channels;
    const int64_t column = (int64_t)blockIdx.x * BLOCK_X + threadIdx.x;
    const int alpha = to_alpha<WEIGHTED>(src, column);

    if (column >= samples)
        return;
    for (int64_t row = (int64_t)blockIdx.y * BLOCK_Y + threadIdx.y; row < src.height;
         row += (int64_t)gridDim.y * BLOCK_Y) {
        const auto *window = sums + row * samples + column;
        const uint128 total = sum_down(weights, window, samples);
        const uint128 cover = alpha > 0 ? sum_down(weights, window + alpha, samples) : 1;

        row_of<T>(dst, row)[column] = (T)(alpha == 0 ? exact_round(total, weights.maxval)
                                          : exact_is_zero(cover) ? row_of<const T>(src, row)[column]
                                                                 : mean_of(total, cover));
    }
}

template <typename T, bool WEIGHTED> static const char *launch(const struct piece *piece)
{
    const struct request *request = piece->request;
    const int64_t samples = piece->src.width * piece->src.channels, height = piece->src.height;
    const int halo_y = (int)request->halo_y;
    const dim3 block(BLOCK_X, BLOCK_Y);
    auto *sums = static_cast<sum_along_row<T, WEIGHTED> *>(piece->scratch);
    weights along, down;

    set_weights(&along, request->weights_x, request->halo_x, request->maxval);
    set_weights(&down, request->weights_y, request->halo_y, request->maxval);
    LAUNCH((smooth_along<T, WEIGHTED>), grid_over(samples, height + 2 * halo_y, block), block, 0,
           piece->stream, source_of(piece), along, halo_y, sums);
    LAUNCH((smooth_down<T, WEIGHTED>), grid_over(samples, height, block), block, 0, piece->stream,
           source_of(piece), piece->dst, down, sums);
    return launched();
}

static size_t scratch_bytes(const struct request *request, const void *)
{
    const bool is_wide = request->weighted && request->src.sample_bytes == 2;

    return (size_t)(request->src.width * request->src.channels) *
           (size_t)(request->src.height + 2 * request->halo_y) *
           (is_wide ? sizeof(uint128) : sizeof(uint64_t));
}

static const char *run(const struct piece *piece)
{
    return with_samples(piece,
                        [&]<typename T, bool WEIGHTED>() { return launch<T, WEIGHTED>(piece); });
}

static const struct engine engine = {
    .name = "separable", .refuses = refuses_floats, .scratch_bytes = scratch_bytes, .run = run};

DEFINE_VARIANT(smooth_separable) = {
    .op = OP_SMOOTH,
    .name = "separable",
    .backend = ON_GPU,
    .description = "along the rows, then down the columns of the sums",
    .engines = &engine,
    .count = 1,
};
