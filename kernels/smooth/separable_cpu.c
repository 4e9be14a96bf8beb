/* SPDX-License-Identifier: MIT */
/* Idea:         the filter is separable, so it takes two passes: the first sums along each row, and
 *               the second sums these sums down each column. Between the passes a ring buffer keeps
 *               the sums of the last 2 halo + 1 rows.
 * Fixes:        reference.c's (2 halo + 1)^2 products for a sample become 2 (2 halo + 1). The edge
 *               rule is applied once for a sample, not once for each window that it is in.
 * Still slow:   integers of 128 bits, which no vector instruction multiplies: cpu.c has the same
 *               ring, and estimates in integers, floats and doubles, several samples at once. */
#include "kernels/common/numbers.h"
#include "kernels/common/exact.h"
#include "kernels/common/parallel.h"
#include "kernels/smooth/floats/floats.h"
#include "kernels/smooth/source.h"
#include "kernels/variant.h"

/* The working memory of one thread, which computes a band of rows. */
struct ring {
    const struct piece *piece;
    uint64_t *line; /* a row of the source, with halo_x pixels on both sides */
    uint128 *sums;  /* 2 halo_y + 1 rows of sums: those along source rows y - halo_y to y + halo_y
                       when row y of the result is computed */
};

static int64_t samples_of(const struct request *request)
{
    return request->src.width * request->src.channels;
}

/* Takes the ring's arrays from the address `memory` on, and returns the address after their end. */
static uintptr_t lay_out(struct ring *ring, const struct request *request, uintptr_t memory)
{
    const int64_t samples = samples_of(request);
    const int64_t halos = 2 * request->halo_x * request->src.channels;
    const int64_t rows = 2 * request->halo_y + 1;

    ring->line = carve(&memory, (samples + halos) * (int64_t)sizeof *ring->line);
    ring->sums = carve(&memory, samples * rows * (int64_t)sizeof *ring->sums);
    return memory;
}

/* Returns the row of the ring that holds the sums along source row y. */
static uint128 *row_of_ring(const struct ring *ring, int64_t y)
{
    const struct request *request = ring->piece->request;

    return ring->sums + (y + request->halo_y) % (2 * request->halo_y + 1) * samples_of(request);
}

static bool is_weighted(const struct piece *piece, int32_t channel)
{
    return piece->request->weighted && channel < piece->src.channels - 1;
}

/* Copies the samples of source row y, with halo_x pixels on both sides, to `line`. If alpha weights
 * colours, multiplies each colour by its pixel's alpha. */
static void fetch_row(const struct piece *piece, int64_t y, uint64_t *line)
{
    const int64_t halo = piece->request->halo_x;
    const int32_t alpha = piece->src.channels - 1;

    for (int64_t x = -halo; x < piece->src.width + halo; x++)
        for (int32_t channel = 0; channel < piece->src.channels; channel++)
            *line++ = (uint64_t)source_get(piece, y, x, channel) *
                      (is_weighted(piece, channel) ? source_get(piece, y, x, alpha) : 1);
}

/* Sets sums[i], for each sample i of a row, to the weighted sum of the samples of its channel from
 * halo_x pixels before it to halo_x pixels after it. The line begins halo_x pixels before sample
 * 0. */
static void sum_along(const struct piece *piece, const uint64_t *line, uint128 *sums)
{
    for (int64_t i = 0; i < piece->src.width * piece->src.channels; i++) {
        uint128 sum = u128_of(0, 0);

        for (int64_t j = 0; j <= 2 * piece->request->halo_x; j++)
            exact_add(&sum, piece->request->weights_x[j], line[i + j * piece->src.channels]);
        sums[i] = sum;
    }
}

/* Returns the weighted sum over the window of sample i in row y. */
static uint128 sum_down(const struct ring *ring, int64_t y, int64_t i)
{
    const struct request *request = ring->piece->request;
    uint128 total = u128_of(0, 0);

    for (int64_t k = -request->halo_y; k <= request->halo_y; k++)
        exact_add_sum(&total, request->weights_y[request->halo_y + k], row_of_ring(ring, y + k)[i]);
    return total;
}

static uint32_t result(const struct ring *ring, int64_t y, int64_t x, int32_t channel)
{
    const struct piece *piece = ring->piece;
    const int64_t pixel = x * piece->src.channels;
    const uint128 total = sum_down(ring, y, pixel + channel);

    if (!is_weighted(piece, channel))
        return exact_round(total, piece->request->maxval);
    const uint128 cover = sum_down(ring, y, pixel + piece->src.channels - 1);

    return exact_is_zero(cover) ? sample_get(&piece->src, y, x, channel) : exact_mean(total, cover);
}

static void smooth_band(const void *context, int band, int64_t first, int64_t last)
{
    struct ring ring = {.piece = context};
    const struct piece *piece = ring.piece;
    const int64_t halo = piece->request->halo_y;
    const uintptr_t bytes = lay_out(&ring, piece->request, 0);

    lay_out(&ring, piece->request, (uintptr_t)piece->scratch + (uintptr_t)band * bytes);
    for (int64_t y = first - halo; y < last + halo; y++) {
        fetch_row(piece, y, ring.line);
        sum_along(piece, ring.line, row_of_ring(&ring, y));
        for (int64_t x = 0; y >= first + halo && x < piece->src.width; x++)
            for (int32_t channel = 0; channel < piece->src.channels; channel++)
                sample_set(&piece->dst, y - halo, x, channel, result(&ring, y - halo, x, channel));
    }
}

static size_t scratch_bytes(const struct request *request, const void *state)
{
    struct ring ring;

    (void)state;
    return lay_out(&ring, request, 0) * (size_t)request->threads;
}

static const char *run(const struct piece *piece)
{
    parallel_rows(piece->request->threads, piece->src.height, smooth_band, piece);
    return NULL;
}

static const struct engine engine = {
    .name = "separable_cpu", .refuses = refuses_floats, .scratch_bytes = scratch_bytes, .run = run};

DEFINE_VARIANT(smooth_separable_cpu) = {
    .op = OP_SMOOTH,
    .name = "separable_cpu",
    .backend = ON_CPU,
    .description = "two passes, in the definition's integers; threads",
    .engines = &engine,
    .count = 1,
};
