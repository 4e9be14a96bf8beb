/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/cpu/exact.h"

#include "kernels/common/exact.h"
#include "kernels/common/isa.h"
#include "kernels/common/numbers.h"
#include "kernels/smooth/cpu/doubles/loops.h"
#include "kernels/smooth/source.h"

#include <string.h>

/* columns[c] += weight in(row, c) */
static void add_row(const struct piece *piece, const void *row, uint64_t weight, uint64_t *columns,
                    int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        columns[i] += weight * row_get(row, piece->src.sample_bytes, i);
}

/* From sample `first` of row y of the source on; NULL: zeros. */
static const void *source(const struct piece *piece, int64_t y, int64_t first)
{
    const char *row = source_row(piece, y);

    return row ? row + first * piece->src.sample_bytes : NULL;
}

/* columns[c] += wy(i) (in(y - i, first + c) + in(y + i, first + c)) */
static void add_rows(const struct piece *piece, int64_t y, int64_t i, int64_t first, int64_t n,
                     uint64_t *columns)
{
    const struct smooth_loops *loops = isa_of(piece->request)->smooth;
    const uint64_t weight = piece->request->weights_y[piece->request->halo_y + i];
    const void *above = source(piece, y - i, first), *below = source(piece, y + i, first);

    if (!above || !below) {
        if (above || below)
            add_row(piece, above ? above : below, weight, columns, n);
    } else if (piece->src.sample_bytes == 1) {
        loops->add_rows_u8(above, below, weight, columns, n);
    } else {
        loops->add_rows_u16(above, below, weight, columns, n);
    }
}

/* columns[c] = sum over i of wy(i) in(y + i, first + c). The definition sums rows first; sums of
 * integers may be taken in any order. */
static void sum_columns(const struct piece *piece, int64_t y, int64_t first, int64_t n,
                        uint64_t *columns)
{
    memset(columns, 0, (size_t)n * sizeof *columns);
    add_row(piece, source(piece, y, first), piece->request->weights_y[piece->request->halo_y],
            columns, n);
    for (int64_t i = 1; i <= piece->request->halo_y; i++)
        add_rows(piece, y, i, first, n, columns);
}

/* Some of n columns from `first` on, of which src has `before` to `end`: these have been
 * summed. */
struct columns {
    int64_t first, before, end;
    uint64_t *sums;
};

/* The same for columns from..to-1, which are beside the image. Most are the sums of others; around
 * a segment of an image that repeats they are runs of columns elsewhere. */
static void sum_beside(const struct piece *piece, int64_t y, const struct columns *columns,
                       int64_t from, int64_t to)
{
    for (int64_t i = from, n; i < to; i += n) {
        const int64_t place = source_sample_index(piece, columns->first + i);
        const int64_t known = place - columns->first;

        n = 1;
        if (place == NOWHERE) {
            columns->sums[i] = 0;
        } else if (known >= columns->before && known < columns->end) {
            columns->sums[i] = columns->sums[known];
        } else {
            while (i + n < to && source_sample_index(piece, columns->first + i + n) == place + n)
                n++;
            sum_columns(piece, y, place, n, columns->sums + i);
        }
    }
}

/* The same, of which some may be beside what src has. */
static void sum_all_columns(const struct piece *piece, int64_t y, int64_t first, int64_t n,
                            uint64_t *sums)
{
    const struct columns columns = {
        .first = first,
        .before = max(-source_samples_left(piece) - first, 0),
        .end = min(n, piece->src.width * piece->src.channels + source_samples_right(piece) - first),
        .sums = sums};

    sum_columns(piece, y, first + columns.before, columns.end - columns.before,
                sums + columns.before);
    sum_beside(piece, y, &columns, 0, columns.before);
    sum_beside(piece, y, &columns, columns.end, n);
}

void smooth_exact_span(const struct piece *piece, int64_t y, int64_t first, int64_t n,
                       uint64_t *columns, int32_t *out)
{
    const int64_t step = piece->src.channels, reach = piece->request->halo_x * step;

    sum_all_columns(piece, y, first - reach, n + 2 * reach, columns);
    for (int64_t x = 0; x < n; x++) {
        uint128 total = u128_of(0, 0);

        for (int64_t j = 0; j <= 2 * piece->request->halo_x; j++)
            total = u128_add_product(total, piece->request->weights_x[j], columns[x + j * step]);
        out[x] = (int32_t)exact_round(total, piece->request->maxval);
    }
}

uint32_t smooth_exact_sample(const struct piece *piece, int64_t y, int64_t x)
{
    const struct request *request = piece->request;
    const int64_t step = piece->src.channels, pixel = x / step;
    const int32_t channel = (int32_t)(x % step);
    uint128 total = u128_of(0, 0);

    for (int64_t i = -request->halo_y; i <= request->halo_y; i++) {
        uint64_t row = 0;

        for (int64_t j = -request->halo_x; j <= request->halo_x; j++)
            row += request->weights_x[request->halo_x + j] *
                   source_get(piece, y + i, pixel + j, channel);
        total = u128_add_product(total, request->weights_y[request->halo_y + i], row);
    }
    return exact_round(total, request->maxval);
}
