/* SPDX-License-Identifier: MIT */
/* Variants that are wrong on purpose (see variants.c), but only for floats. For other samples they
 * run the reference. */
#include "kernels/common/float_sum.h"
#include "kernels/common/sample.h"
#include "kernels/smooth/floats/floats.h"
#include "kernels/smooth/source.h"
#include "tests/variants/broken/broken.h"

#include <string.h>

#define BROKEN(STEM, NAME, ABOUT)                                                                  \
    BROKEN_ENGINE(OP_SMOOTH, STEM, NAME, ABOUT, .refuses = refuses_weighted_floats, .run = STEM)

static double value_at(const struct piece *piece, int64_t y, int64_t x, int32_t channel)
{
    const uint32_t bits = source_get(piece, y, x, channel);
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Returns the weighted sum of a window, computed in doubles and rounded to a float. This may not be
 * the float nearest to the exact sum: if that sum is close to the middle between two floats, the
 * error of the doubles can change the rounding; if large terms cancel, the error is large. */
static uint32_t estimate(const struct piece *piece, int64_t y, int64_t x, int32_t channel)
{
    double total = 0;
    uint32_t bits;
    float rounded;

    for (int64_t i = 0; i <= 2 * piece->request->halo_y; i++)
        for (int64_t j = 0; j <= 2 * piece->request->halo_x; j++)
            if (piece->request->weights_y[i] > 0 && piece->request->weights_x[j] > 0)
                total += (double)piece->request->weights_y[i] *
                         (double)piece->request->weights_x[j] * 0x1p-92 *
                         value_at(piece, y + i - piece->request->halo_y,
                                  x + j - piece->request->halo_x, channel);
    rounded = (float)total;
    memcpy(&bits, &rounded, sizeof bits);
    return bits;
}

static const char *smooth_unrepaired_floats(const struct piece *piece)
{
    variant_smooth_reference.engines->run(piece);
    for (int64_t y = 0; y < piece->dst.height && piece->request->maxval == FLOAT_SAMPLES &&
                        !piece->request->skip_nan;
         y++)
        for (int64_t x = 0; x < piece->dst.width; x++)
            for (int32_t c = 0; c < piece->dst.channels; c++)
                if (float_kind(sample_get(&piece->dst, y, x, c)) == FLOAT_FINITE)
                    sample_set(&piece->dst, y, x, c, estimate(piece, y, x, c));
    return NULL;
}
BROKEN(smooth_unrepaired_floats, "unrepaired_floats", "trusts its doubles");

typedef uint32_t change(uint32_t bits);

static const char *run_changed(const struct piece *piece, change *changed)
{
    variant_smooth_reference.engines->run(piece);
    for (int64_t y = 0; y < piece->dst.height && piece->request->maxval == FLOAT_SAMPLES; y++)
        for (int64_t x = 0; x < piece->dst.width; x++)
            for (int32_t c = 0; c < piece->dst.channels; c++)
                sample_set(&piece->dst, y, x, c, changed(sample_get(&piece->dst, y, x, c)));
    return NULL;
}

static uint32_t flushed(uint32_t bits)
{
    return bits << 1 < 1u << 24 ? bits & FLOAT_SIGN : bits;
}

static const char *smooth_flushing(const struct piece *piece)
{
    return run_changed(piece, flushed);
}
BROKEN(smooth_flushing, "flushing", "makes zeros of subnormal numbers");

static uint32_t without_sign(uint32_t bits)
{
    return bits == FLOAT_SIGN ? 0 : bits;
}

static const char *smooth_signless(const struct piece *piece)
{
    return run_changed(piece, without_sign);
}
BROKEN(smooth_signless, "signless", "loses the sign of what rounds to zero");

/* Replaces each weight of 0 along x by the smallest positive weight, so that a NaN or an infinity
 * with this weight changes the result. */
static const char *smooth_weightless(const struct piece *piece)
{
    uint64_t weights[2 * MAX_HALO + 1];
    struct request wider = *piece->request;

    memcpy(weights, piece->request->weights_x,
           (size_t)(2 * piece->request->halo_x + 1) * sizeof *weights);
    for (int64_t i = 0; i <= 2 * piece->request->halo_x && piece->request->maxval == FLOAT_SAMPLES;
         i++)
        /* The smallest weight, 2^-46, is too small to change most sums of finite samples. */
        weights[i] += weights[i] == 0;
    wider.weights_x = weights;
    return run_reference(&wider, piece);
}
BROKEN(smooth_weightless, "weightless", "counts samples that have no weight");

/* Clears skip_nan, so that each result whose window has a NaN becomes NaN. */
static const char *smooth_undivided(const struct piece *piece)
{
    struct request plain = *piece->request;

    plain.skip_nan = false;
    return run_reference(&plain, piece);
}
BROKEN(smooth_undivided, "undivided", "lets a NaN spread that is skipped");
