/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/cpu/weighted/exact.h"

#include "kernels/smooth/cpu/exact.h"
#include "kernels/smooth/source.h"

/* columns[x] += weight alpha colour(y, x), or weight alpha: of sample first + x. */
static void add_row(const struct piece *piece, int64_t y, uint64_t weight, int64_t first, int64_t n,
                    uint128 *columns)
{
    const int64_t channels = piece->src.channels;

    for (int64_t x = 0; x < n; x++) {
        const int64_t pixel =
            (first + x + piece->request->halo_x * channels) / channels - piece->request->halo_x;
        const int32_t channel = (int32_t)(first + x - pixel * channels);
        const uint32_t sample = source_get(piece, y, pixel, channel);
        const uint32_t factor =
            channel < channels - 1 ? source_get(piece, y, pixel, piece->src.channels - 1) : 1;

        exact_add(&columns[x], weight, (uint64_t)sample * factor);
    }
}

/* The sums down the columns of the window of row y. */
static void sum_columns(const struct piece *piece, const struct same_rows *same, int64_t y,
                        int64_t first, int64_t n, uint128 *columns)
{
    struct weighed_row rows[MAX_DISTINCT];
    const int count = same ? same_rows_weigh(piece, same, y, rows) : 0;

    for (int64_t x = 0; x < n; x++)
        columns[x] = u128_of(0, 0);
    for (int i = 0; i < count; i++)
        add_row(piece, rows[i].y, rows[i].weight, first, n, columns);
    for (int64_t i = -piece->request->halo_y; i <= piece->request->halo_y && !same; i++)
        add_row(piece, y + i, piece->request->weights_y[piece->request->halo_y + i], first, n,
                columns);
}

/* The sum along a row of columns that are `step` apart. */
static uint128 sum_row(const struct piece *piece, const uint128 *columns, int64_t step)
{
    uint128 total = u128_of(0, 0);

    for (int64_t j = 0; j <= 2 * piece->request->halo_x; j++)
        exact_add_sum(&total, piece->request->weights_x[j], columns[j * step]);
    return total;
}

void smooth_weighted_span(const struct piece *piece, const struct same_rows *same, int64_t y,
                          int64_t first, int64_t n, uint128 *columns, int32_t *out)
{
    const int32_t channels = piece->src.channels;
    const int64_t reach = piece->request->halo_x * channels;

    sum_columns(piece, same, y, first - reach, n + 2 * reach, columns);
    for (int64_t x = 0; x < n; x += channels) {
        const uint128 cover = sum_row(piece, columns + x + channels - 1, channels);

        for (int32_t c = 0; c < channels - 1; c++)
            out[x + c] =
                (int32_t)(exact_is_zero(cover)
                              ? sample_get(&piece->src, y, (first + x) / channels, c)
                              : exact_mean(sum_row(piece, columns + x + c, channels), cover));
        out[x + channels - 1] = (int32_t)exact_round(cover, piece->request->maxval);
    }
}

/* Adds the sums of a window's row, times its weight; row: from the window's centre on. The weights
 * of an axis sum to less than 2^48, so that 64 bits hold a sum of halves of the products. */
static inline void add_window_row(const struct piece *piece, const void *row, int32_t bytes,
                                  int32_t channel, uint64_t weight, uint128 *colours,
                                  uint128 *cover)
{
    const int64_t channels = piece->src.channels, alpha = channels - 1;
    const uint64_t *weights = piece->request->weights_x + piece->request->halo_x;
    uint64_t lower = 0, upper = 0, alphas = 0;
    uint128 sum;

    for (int64_t j = 0; j <= piece->request->halo_x; j++) {
        const int64_t x = j * channels;
        const uint32_t left = j > 0 ? row_get(row, bytes, alpha - x) : 0,
                       right = row_get(row, bytes, x + alpha);
        const uint32_t first = left * row_get(row, bytes, channel - x);
        const uint32_t second = right * row_get(row, bytes, x + channel);

        lower += weights[j] * ((first & 0xffff) + (second & 0xffff));
        if (bytes == 2)
            upper += weights[j] * ((first >> 16) + (second >> 16));
        alphas += weights[j] * (left + right);
    }
    sum = u128_of(0, lower);
    exact_add(&sum, upper, 1 << 16);
    exact_add_sum(colours, weight, sum);
    exact_add(cover, weight, alphas);
}

/* The same for a window that src has in part. */
static void add_edge_row(const struct piece *piece, int64_t y, int64_t x, int32_t channel,
                         uint64_t weight, uint128 *colours, uint128 *cover)
{
    const int32_t last = piece->src.channels - 1;
    uint128 row_colours = u128_of(0, 0), row_cover = u128_of(0, 0);

    for (int64_t j = 0; j <= 2 * piece->request->halo_x; j++) {
        const int64_t pixel = x - piece->request->halo_x + j;
        const uint64_t alpha = source_get(piece, y, pixel, last);

        exact_add(&row_cover, piece->request->weights_x[j], alpha);
        exact_add(&row_colours, piece->request->weights_x[j],
                  alpha * source_get(piece, y, pixel, channel));
    }
    exact_add_sum(colours, weight, row_colours);
    exact_add_sum(cover, weight, row_cover);
}

uint32_t smooth_weighted_sample(const struct piece *piece, int64_t y, int64_t x)
{
    const int32_t channels = piece->src.channels, channel = (int32_t)(x % channels);
    const int64_t pixel = x / channels;
    const bool around = source_has_window(piece, y, pixel * channels);
    uint128 colours = u128_of(0, 0), cover = u128_of(0, 0);

    if (channel == channels - 1)
        return smooth_exact_sample(piece, y, x);
    for (int64_t i = -piece->request->halo_y; i <= piece->request->halo_y; i++) {
        const void *row = sample_address(&piece->src, y + i, pixel, 0);
        const uint64_t weight = piece->request->weights_y[piece->request->halo_y + i];

        if (!around)
            add_edge_row(piece, y + i, pixel, channel, weight, &colours, &cover);
        else if (piece->src.sample_bytes == 1)
            add_window_row(piece, row, 1, channel, weight, &colours, &cover);
        else
            add_window_row(piece, row, 2, channel, weight, &colours, &cover);
    }
    return exact_is_zero(cover) ? sample_get(&piece->src, y, pixel, channel)
                                : exact_mean(colours, cover);
}
