/* SPDX-License-Identifier: MIT */
/* Rows of the result by both ends of an interval around each sum or mean: see floats.h. */
#include "kernels/smooth/cpu/floats/state.h"

#include <string.h>

static double value_of(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Of sums, whose weights sum to one, or of means: see floats.h. Neither is greater than the
 * greatest sample. */
static struct float_bound bound_of(const struct floats *floats, const struct float_reach *reach,
                                   bool means)
{
    const double relative = means ? floats->bound_of_means : floats->bound_of_sums;

    if (!reach->negative)
        return (struct float_bound){1 - relative, 1 + relative, 0};
    return (struct float_bound){1, 1, relative * value_of(reach->peak)};
}

/* Every NaN becomes the one that the definition has; their ends are no longer open. */
static void settle_nans(const struct float_ends *ends, int64_t n)
{
    const uint32_t quiet = FLOAT_QUIET_NAN;

    for (int64_t i = 0; i < n; i++) {
        uint32_t bits;

        memcpy(&bits, ends->low + i, sizeof bits);
        if (float_kind(bits) != FLOAT_NAN)
            continue;
        memcpy(ends->low + i, &quiet, sizeof quiet);
        memcpy(ends->high + i, &quiet, sizeof quiet);
    }
}

/* Writes the segment of row y: the lower ends, repaired where they are open. */
static void give_row(const struct floats *floats, int64_t y, const struct float_ends *ends,
                     bool special, bool open)
{
    const struct ring *ring = &floats->ring;
    uint32_t *target = ring_target(ring, y);
    const struct float_repair repair = {.piece = ring->piece,
                                        .y = y,
                                        .first = ring->first,
                                        .low = ends->low,
                                        .high = ends->high,
                                        .n = ring->n,
                                        .columns = floats->columns};

    if (special)
        settle_nans(ends, ring->n);
    if ((void *)ends->low != (void *)target)
        memcpy(target, ends->low, (size_t)ring->n * sizeof *target);
    if (open)
        smooth_float_repair(&repair, target);
}

static int round_sums(struct floats *floats, int64_t y, double *const *rows,
                      const struct float_bound *bounds)
{
    const struct fetches ahead = ring_fetches(&floats->ring, y);

    return floats->loops->filter_rows(rows, floats->taps_y, floats->ring.request->halo_y, bounds,
                                      floats->ends, floats->ring.padded, &ahead);
}

static int round_means(struct floats *floats, int64_t y, bool two, double *const *rows,
                       const struct float_bound *bounds)
{
    const int64_t halo = floats->ring.request->halo_y, n = floats->ring.padded;
    double *const *there;
    int open = 0;

    there = (double *const *)ring_rows(&floats->there, y, two, y + halo + 1 + two);
    floats->loops->sum_rows(rows, floats->taps_y, halo, floats->sums, n);
    floats->loops->sum_rows(there, floats->taps_y, halo, floats->weights, n);
    for (int row = 0; row < 2; row++)
        open |= floats->loops->round_means(floats->sums[row], floats->weights[row], bounds,
                                           &floats->ends[row], n)
                << row;
    return open;
}

/* Where every sample is there, and the weights of both axes sum to one, a mean is the sum itself.
 */
static bool needs_means(const struct floats *floats, const struct float_reach *reach)
{
    return reach->kinds & FLOAT_NAN || floats->sum_x != 1 || floats->sum_y != 1;
}

/* Lower ends go where they belong if as many are computed as there are samples. */
static void place_ends(struct floats *floats, int64_t y, bool two)
{
    const bool whole = floats->ring.n == floats->ring.padded;

    for (int row = 0; row < 2; row++)
        floats->ends[row].low =
            whole && row <= two ? ring_target(&floats->ring, y + row) : floats->low[row];
}

void smooth_floats_give_ends(struct floats *floats, int64_t y, bool two, double *const *rows)
{
    struct ring *ring = &floats->ring;
    struct float_reach reaches[FLOAT_BLOCKS];
    struct float_bound bounds[FLOAT_BLOCKS];
    const struct float_reach all = float_reach_of(ring, (void *const *)rows, reaches);
    const bool means = needs_means(floats, &all);
    const bool special = means || all.kinds != FLOAT_FINITE;
    int open;

    for (int64_t block = 0; block < ring->padded / DOUBLES_BLOCK; block++)
        bounds[block] = bound_of(floats, &reaches[block], means);
    place_ends(floats, y, two);
    open = means ? round_means(floats, y, two, rows, bounds) : round_sums(floats, y, rows, bounds);
    give_row(floats, y, &floats->ends[0], special, open & 1);
    if (two)
        give_row(floats, y + 1, &floats->ends[1], special, open & 2);
}
