/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/floats/reference.h"

#include "kernels/common/float_sum.h"
#include "kernels/smooth/source.h"

/* The state of a sum over one row of the window, or over the whole window. */
struct window {
    struct float_sum sum; /* weighted sum of the finite samples */
    uint128 there;        /* the sum of the weights of all samples except skipped NaNs */
    /* Bits of enum float_kind: the kinds of samples in the window that are not finite. */
    unsigned kinds;
};

/* Adds a sample, unless its weight is 0, or it is a NaN and NaNs are skipped. */
static void add_sample(struct window *row, uint64_t weight, uint32_t bits, bool skip_nan)
{
    const unsigned kind = float_kind(bits);

    if (weight == 0 || (skip_nan && kind == FLOAT_NAN))
        return;
    if (kind == FLOAT_FINITE)
        float_sum_add(&row->sum, weight, bits);
    row->there = u128_add(row->there, u128_of(0, weight));
    row->kinds |= kind;
}

static struct window sum_row(const struct piece *piece, int64_t y, int64_t x, int32_t channel)
{
    const uint64_t *wx =
        piece->request->weights_x + piece->request->halo_x; /* wx[-halo_x] .. wx[halo_x] */
    struct window row = {.kinds = FLOAT_FINITE};

    for (int64_t j = -piece->request->halo_x; j <= piece->request->halo_x; j++)
        add_sample(&row, wx[j], source_get(piece, y, x + j, channel), piece->request->skip_nan);
    return row;
}

static void add_row(struct window *window, uint64_t weight, const struct window *row)
{
    if (weight == 0)
        return;
    float_sum_add_sum(&window->sum, weight, &row->sum);
    window->there = u128_add_product(window->there, weight, u128_low(row->there));
    window->kinds |= row->kinds;
}

uint32_t reference_float(const struct piece *piece, int64_t y, int64_t x, int32_t channel)
{
    const uint64_t *wy = piece->request->weights_y + piece->request->halo_y;
    struct window window = {.kinds = FLOAT_FINITE};

    for (int64_t i = -piece->request->halo_y; i <= piece->request->halo_y; i++) {
        const struct window row = sum_row(piece, y + i, x, channel);

        add_row(&window, wy[i], &row);
    }
    if (window.kinds != FLOAT_FINITE)
        return float_special(window.kinds);
    if (!piece->request->skip_nan)
        return float_sum_round(window.sum);
    if (u128_high(window.there) == 0 && u128_low(window.there) == 0)
        return FLOAT_QUIET_NAN;
    return float_sum_mean(window.sum, window.there);
}
