/* SPDX-License-Identifier: MIT */
/* The definition of the filter (common/exact.h), as plain loops. Each output sample is the direct
 * two-dimensional sum over its window, in integers: (2 halo_x + 1) (2 halo_y + 1) multiplications.
 * A colour that alpha weights is the quotient of two such sums. Floats are computed in
 * floats/reference.c. Any other variant of smooth is right if it gives the same results, byte for
 * byte. */
#include "kernels/common/exact.h"
#include "kernels/smooth/floats/floats.h"
#include "kernels/smooth/floats/reference.h"
#include "kernels/smooth/source.h"
#include "kernels/variant.h"

/* Returns the weighted sum of a channel along row y, from halo_x pixels before column x to halo_x
 * pixels after it. */
static uint64_t row_sum(const struct piece *piece, int64_t y, int64_t x, int32_t channel)
{
    const uint64_t *wx =
        piece->request->weights_x + piece->request->halo_x; /* wx[-halo_x] .. wx[halo_x] */
    uint64_t sum = 0;

    for (int64_t j = -piece->request->halo_x; j <= piece->request->halo_x; j++)
        sum += wx[j] * source_get(piece, y, x + j, channel);
    return sum;
}

/* Returns a sample of the result in a channel that alpha does not weight. */
static uint32_t smoothed(const struct piece *piece, int64_t y, int64_t x, int32_t channel)
{
    const uint64_t *wy = piece->request->weights_y + piece->request->halo_y;
    uint128 total = u128_of(0, 0);

    for (int64_t i = -piece->request->halo_y; i <= piece->request->halo_y; i++)
        total = u128_add_product(total, wy[i], row_sum(piece, y + i, x, channel));
    return exact_round(total, piece->request->maxval);
}

/* Returns a pixel's alpha, the weight of its colours. */
static uint32_t alpha_at(const struct piece *piece, int64_t y, int64_t x)
{
    return source_get(piece, y, x, piece->src.channels - 1);
}

/* Returns a colour's mean over the window, weighted by the filter and by alpha. If the whole window
 * is transparent, there is no mean, and the pixel keeps its own colour. */
static uint32_t weighted_mean(const struct piece *piece, int64_t y, int64_t x, int32_t channel)
{
    const uint64_t *wx = piece->request->weights_x + piece->request->halo_x,
                   *wy = piece->request->weights_y + piece->request->halo_y;
    uint128 colours = u128_of(0, 0), cover = u128_of(0, 0);

    for (int64_t i = -piece->request->halo_y; i <= piece->request->halo_y; i++) {
        uint128 row_colours = u128_of(0, 0), row_cover = u128_of(0, 0);

        for (int64_t j = -piece->request->halo_x; j <= piece->request->halo_x; j++) {
            const uint32_t alpha = alpha_at(piece, y + i, x + j);
            const uint32_t colour = source_get(piece, y + i, x + j, channel);

            exact_add(&row_cover, wx[j], alpha);
            exact_add(&row_colours, wx[j], (uint64_t)alpha * colour);
        }
        exact_add_sum(&cover, wy[i], row_cover);
        exact_add_sum(&colours, wy[i], row_colours);
    }
    return exact_is_zero(cover) ? sample_get(&piece->src, y, x, channel)
                                : exact_mean(colours, cover);
}

static uint32_t result(const struct piece *piece, int64_t y, int64_t x, int32_t channel)
{
    if (piece->request->maxval == FLOAT_SAMPLES)
        return reference_float(piece, y, x, channel);
    return piece->request->weighted && channel < piece->src.channels - 1
               ? weighted_mean(piece, y, x, channel)
               : smoothed(piece, y, x, channel);
}

static const char *run(const struct piece *piece)
{
    for (int64_t y = 0; y < piece->dst.height; y++)
        for (int64_t x = 0; x < piece->dst.width; x++)
            for (int32_t channel = 0; channel < piece->dst.channels; channel++)
                sample_set(&piece->dst, y, x, channel, result(piece, y, x, channel));
    return NULL;
}

static const struct engine engine = {
    .name = "reference", .refuses = refuses_weighted_floats, .run = run};

DEFINE_VARIANT(smooth_reference) = {
    .op = OP_SMOOTH,
    .name = "reference",
    .backend = ON_CPU,
    .reference = true,
    .description = "the definition: the direct 2-D sum, in integers",
    .engines = &engine,
    .count = 1,
};
