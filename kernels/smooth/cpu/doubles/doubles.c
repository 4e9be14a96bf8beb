/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/cpu/doubles/doubles.h"

#include "kernels/common/carve.h"
#include "kernels/common/isa.h"
#include "kernels/common/sample.h"
#include "kernels/smooth/cpu/doubles/loops.h"
#include "kernels/smooth/cpu/exact.h"

#include <float.h>

double smooth_weights_sum(const uint64_t *weights, int64_t halo)
{
    double sum = 0;

    for (int64_t k = 0; k <= 2 * halo; k++)
        sum += (double)weights[k] * 0x1p-46;
    return sum;
}

/* With u = 2^-53: a sample, a sum of two samples p(-k) + p(k), and a weight / 2^46 are exact in a
 * double (17 and 48 bits). Each rounding multiplies a term's part of the sum by a factor (1 + d),
 * |d| <= u. No term is negative, so the relative error of the sum is at most
 * (1 + u)^roundings - 1 < 1.05 roundings u. The + 1 is for a sum that starts from 1/2 and the
 * bound, together below one grey level. The bound is at most 2.5e-7: at halo 1024, maxval 65535 and
 * weights that sum to 4, on both axes. */
double smooth_doubles_bound(const struct request *request, int64_t roundings)
{
    const double sum_x = smooth_weights_sum(request->weights_x, request->halo_x);
    const double sum_y = smooth_weights_sum(request->weights_y, request->halo_y);
    const double greatest = (double)request->maxval * sum_x * sum_y + 1;

    return 1.05 * (double)roundings * greatest * (DBL_EPSILON / 2);
}

/* How often filter_line and filter_rows together round a term: in each pass once as a product, and
 * once in each of at most halo + 1 additions, by the halo of its axis; once more where the vertical
 * pass adds two rows. That is halo_x + halo_y + 6 at most; two are spare. */
static int64_t roundings(const struct request *request)
{
    return request->halo_x + request->halo_y + 8;
}

/* line[i] = src[i]: few, for which a call takes too long. */
static void widen_end(const struct ring_piece *end, int bytes, double *line)
{
    for (int64_t i = 0; i < end->n; i++)
        line[end->first + i] = row_get(end->samples, bytes, i);
}

/* ring_arithmetic.take_row */
static void take_row(struct ring *ring, int64_t y, void *sums)
{
    const struct smooth_doubles *doubles = (struct smooth_doubles *)ring;
    const struct smooth_loops *loops = doubles->loops;
    const int bytes = ring->piece->src.sample_bytes;
    double *line = doubles->line;
    struct ring_piece pieces[3];

    ring_pieces(ring, ring_row(ring, y), pieces);
    if (bytes == 1)
        loops->widen_u8(pieces[1].samples, line + pieces[1].first, pieces[1].n);
    else
        loops->widen_u16(pieces[1].samples, line + pieces[1].first, pieces[1].n);
    widen_end(&pieces[0], bytes, line);
    widen_end(&pieces[2], bytes, line);
    for (int64_t i = ring->n; i < ring->padded; i++)
        line[i + 2 * ring->reach] = 0;
    loops->filter_line(line + ring->reach, doubles->taps_x, ring->request->halo_x, ring->step, sums,
                       ring->padded);
}

/* Writes the segment of row y: `rounded`, or, if it is risky, the exact result. */
static void give_row(const struct smooth_doubles *doubles, int64_t y, int32_t *rounded, bool risky)
{
    const struct ring *ring = &doubles->ring;
    const struct piece *piece = ring->piece;
    const int32_t maxval = (int32_t)piece->request->maxval;

    if (risky)
        smooth_exact_span(piece, y, ring->first, ring->n, doubles->columns, rounded);
    if (piece->dst.sample_bytes == 1)
        doubles->loops->narrow_u8(rounded, maxval, ring_target(ring, y), ring->n);
    else
        doubles->loops->narrow_u16(rounded, maxval, ring_target(ring, y), ring->n);
}

/* ring_arithmetic.give_rows */
static void give_rows(struct ring *ring, int64_t y, bool two)
{
    struct smooth_doubles *doubles = (struct smooth_doubles *)ring;
    const int64_t halo = ring->request->halo_y;
    double *const *rows = (double *const *)ring_rows(ring, y, two, y + halo + 1 + two);
    const struct fetches ahead = ring_fetches(ring, y);
    const int risky =
        doubles->loops->filter_rows(rows, doubles->taps_y, halo, doubles->bound, doubles->rounded,
                                    ring->padded, &ahead, ring->piece->src.sample_bytes);

    give_row(doubles, y, doubles->rounded[0], risky & 1);
    if (two)
        give_row(doubles, y + 1, doubles->rounded[1], risky & 2);
}

/* ring_arithmetic.lay_out */
static void lay_out(struct ring *ring, uintptr_t *memory)
{
    struct smooth_doubles *doubles = (struct smooth_doubles *)ring;
    const struct request *request = ring->request;
    const int64_t line = ring->room + 2 * ring->reach;

    doubles->loops = isa_of(request)->smooth;
    doubles->bound = smooth_doubles_bound(request, roundings(request));
    doubles->taps_x = carve(memory, (request->halo_x + 1) * (int64_t)sizeof(double));
    doubles->taps_y = carve(memory, (request->halo_y + 1) * (int64_t)sizeof(double));
    doubles->line = carve(memory, line * (int64_t)sizeof(double));
    for (int row = 0; row < 2; row++)
        doubles->rounded[row] = carve(memory, ring->room * (int64_t)sizeof(int32_t));
    doubles->columns = carve(memory, line * (int64_t)sizeof(uint64_t));
}

/* ring_arithmetic.begin */
static void begin(struct ring *ring)
{
    const struct smooth_doubles *doubles = (struct smooth_doubles *)ring;

    ring_set_taps(ring->request->weights_x, ring->request->halo_x, doubles->taps_x);
    ring_set_taps(ring->request->weights_y, ring->request->halo_y, doubles->taps_y);
}

const struct ring_arithmetic smooth_doubles = {
    .sum_bytes = sizeof(double),
    .block = DOUBLES_BLOCK,
    .ring_bytes = 128 * 1024, /* half of a small L2 cache */
    .min_room = 64,
    .max_room = 1024,
    .lay_out = lay_out,
    .begin = begin,
    .take_row = take_row,
    .give_rows = give_rows,
};
