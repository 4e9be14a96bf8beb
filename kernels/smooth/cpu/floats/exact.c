/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/cpu/floats/exact.h"

#include "kernels/smooth/source.h"

#include <string.h>

static bool is_open(const struct float_repair *repair, int64_t i)
{
    return memcmp(repair->low + i, repair->high + i, sizeof(float)) != 0;
}

/* Leaves out what is not finite: a NaN is missing, and no window that is asked for has infinities.
 */
static void add_sample(struct float_column *column, uint64_t weight, uint32_t bits)
{
    const unsigned kind = float_kind(bits);

    if (kind == FLOAT_FINITE)
        float_sum_add(&column->sum, weight, bits);
    column->there += kind == FLOAT_NAN ? 0 : weight;
}

/* columns[0..n-1] of one channel, those of pixel `first` and of others to its right, row by row, as
 * the source lies in memory. */
static void sum_columns(const struct float_repair *repair, int64_t first, int32_t channel,
                        int64_t n)
{
    const struct piece *piece = repair->piece;

    memset(repair->columns, 0, (size_t)n * sizeof *repair->columns);
    for (int64_t i = -piece->request->halo_y; i <= piece->request->halo_y; i++) {
        const uint32_t *row = source_row(piece, repair->y + i);

        for (int64_t x = 0; x < n; x++) {
            const int64_t pixel = source_column_index(piece, first + x);

            add_sample(&repair->columns[x], piece->request->weights_y[piece->request->halo_y + i],
                       row && pixel != NOWHERE ? row[pixel * piece->src.channels + channel] : 0);
        }
    }
}

/* The result of the window whose columns these are. */
static uint32_t across(const struct piece *piece, const struct float_column *columns)
{
    struct float_sum total = {{0}};
    uint128 there = u128_of(0, 0);

    for (int64_t j = 0; j <= 2 * piece->request->halo_x; j++) {
        float_sum_add_sum(&total, piece->request->weights_x[j], &columns[j].sum);
        there = u128_add_product(there, piece->request->weights_x[j], columns[j].there);
    }
    return float_sum_mean(total, there);
}

/* Open samples of a channel that lie so near to one another that columns serve several of them. */
struct run {
    int64_t first, last; /* of the row's */
};

/* The next run from sample i on; its first one is n or more if there is none. */
static struct run next_run(const struct float_repair *repair, int64_t i)
{
    const int64_t step = repair->piece->src.channels, reach = repair->piece->request->halo_x * step;
    struct run run;

    while (i < repair->n && !is_open(repair, i))
        i += step;
    run = (struct run){i, i};
    for (; i < repair->n && i <= run.last + 2 * reach; i += step)
        run.last = is_open(repair, i) ? i : run.last;
    return run;
}

static void repair_run(const struct float_repair *repair, const struct run *run, uint32_t *out)
{
    const struct piece *piece = repair->piece;
    const int64_t step = piece->src.channels;

    sum_columns(repair, (repair->first + run->first) / step - piece->request->halo_x,
                (int32_t)((repair->first + run->first) % step),
                (run->last - run->first) / step + 1 + 2 * piece->request->halo_x);
    for (int64_t i = run->first; i <= run->last; i += step)
        if (is_open(repair, i))
            out[i] = across(piece, repair->columns + (i - run->first) / step);
}

void smooth_float_repair(const struct float_repair *repair, uint32_t *out)
{
    const int64_t step = repair->piece->src.channels;

    for (int64_t channel = 0; channel < step; channel++) {
        struct run run = next_run(repair, channel);

        while (run.first < repair->n) {
            repair_run(repair, &run, out);
            run = next_run(repair, run.last + step);
        }
    }
}
