/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/cpu/u8/u8.h"

#include "kernels/common/isa.h"
#include "kernels/smooth/cpu/doubles/doubles.h"
#include "kernels/smooth/cpu/exact.h"
#include "kernels/smooth/cpu/u8/loops.h"
#include "kernels/smooth/cpu/u8/weights.h"

#include <string.h>

#define MANY 32        /* more than one unresolved in MANY samples: done in doubles */
#define DENSE_ROWS 126 /* that go straight to the doubles after such a row */

_Static_assert(U8_FUSED_HALO < FLAT, "filter_fused fills a ring of which no rows are the same");

/* The segment's samples of source row y, of the border too, and zeros as far as the loops read. */
static const uint8_t *padded_bytes(const struct smooth_u8 *estimate, int64_t y)
{
    const struct ring *ring = &estimate->ring;
    const int64_t length = ring->n + 2 * ring->reach;
    uint8_t *bytes = (uint8_t *)estimate->line;

    if (ring->n == ring->padded)
        return ring_source(ring, y);
    memcpy(bytes, ring_source(ring, y), (size_t)length);
    memset(bytes + length, 0, (size_t)(ring->padded - ring->n));
    return bytes;
}

/* The same as words; returns the first sum's own. */
static const int16_t *padded_words(const struct smooth_u8 *estimate, int64_t y)
{
    const struct ring *ring = &estimate->ring;
    const int64_t length = ring->n + 2 * ring->reach;
    int16_t *line = estimate->line;

    estimate->loops->widen(ring_source(ring, y), line, length);
    memset(line + length, 0, (size_t)(ring->padded - ring->n) * sizeof *line);
    return line + ring->reach;
}

/* Filters source row y. */
static void take_row(struct ring *ring, int64_t y, void *sums)
{
    const struct smooth_u8 *estimate = (struct smooth_u8 *)ring;
    const struct smooth_u8_weights *weights = estimate->weights;
    const struct smooth_u8_loops *loops = estimate->loops;

    if (weights->digits == 1)
        loops->filter_bytes(padded_bytes(estimate, y), weights, ring->step, sums, ring->padded);
    else
        loops->filter_line(padded_words(estimate, y), weights, ring->step, sums, ring->padded);
}

/* Estimates row y and, if two, y + 1, and lists the unresolved samples. */
static void estimate_rows(struct smooth_u8 *estimate, int64_t y, bool two)
{
    struct ring *ring = &estimate->ring;
    const int64_t halo = ring->job->halo_y, stride = ring->job->dst.stride_bytes;
    const bool whole = ring->n == ring->padded, fused = two && estimate->fused && whole;
    uint8_t *target = ring_target(ring, y);
    uint8_t *const rows[2] = {whole ? target : estimate->bytes[0],
                              whole && two ? target + stride : estimate->bytes[1]};
    float *const *sums =
        (float *const *)ring_rows(ring, y, two, fused ? y + halo : y + halo + 1 + two);
    const struct fetches ahead = ring_fetches(ring, y);

    estimate->unresolved[0].count = estimate->unresolved[1].count = 0;
    if (fused) {
        const uint8_t *const src[2] = {ring_source(ring, y + halo),
                                       ring_source(ring, y + halo + 1)};

        estimate->loops->filter_fused(src, sums, estimate->weights, ring->step, rows,
                                      estimate->unresolved, ring->n, &ahead);
        ring->next = y + halo + 2;
    } else {
        estimate->loops->filter_rows(sums, estimate->weights, rows, estimate->unresolved, ring->n,
                                     &ahead);
    }
    if (!two)
        estimate->unresolved[1].count = 0;
    for (int row = 0; row <= two && !whole; row++)
        memcpy(target + row * stride, rows[row], (size_t)ring->n);
}

/* The definition's sample x of row y; x in samples. In doubles if their error bound allows it, else
 * exactly. */
static uint8_t repaired(const struct smooth_u8 *estimate, int64_t y, int64_t x)
{
    const struct job *job = estimate->ring.job;
    const struct smooth_u8_weights *weights = estimate->weights;
    const uint8_t *window = (const uint8_t *)job->src.origin +
                            (y - job->halo_y) * job->src.stride_bytes + x - weights->reach;

    if (estimate->loops->filter_sample && weights->reach <= U8_MAX_REACH) {
        const double raised =
            estimate->loops->filter_sample(window, job->src.stride_bytes, weights) + 0.5;
        const double rest = raised - (double)(uint32_t)raised; /* never negative */

        if (rest > weights->repair_bound && rest < 1 - weights->repair_bound)
            return (uint8_t)(raised < job->maxval ? (uint32_t)raised : job->maxval);
    }
    return (uint8_t)smooth_exact_sample(job, y, x);
}

static void repair_row(const struct smooth_u8 *estimate, int64_t y,
                       const struct unresolved *unresolved)
{
    const struct ring *ring = &estimate->ring;
    const struct job *job = ring->job;
    uint8_t *row = ring_target(ring, y);

    for (int64_t i = 0; i < unresolved->count; i++)
        row[unresolved->places[i]] = repaired(estimate, y, ring->first + unresolved->places[i]);
    /* Only weights that sum to more than 1 can exceed maxval; the loops clamp to 255 already. */
    for (int64_t i = 0; job->maxval < 255 && i < ring->n; i++)
        row[i] = row[i] < job->maxval ? row[i] : (uint8_t)job->maxval;
}

/* ring_arithmetic.enter */
static void enter(struct ring *ring)
{
    struct smooth_u8 *estimate = (struct smooth_u8 *)ring;

    estimate->dense = INT64_MIN;
    ring_follow(&estimate->doubles.ring, ring);
}

/* ring_arithmetic.give_rows */
static void give_rows(struct ring *ring, int64_t y, bool two)
{
    struct smooth_u8 *estimate = (struct smooth_u8 *)ring;
    const int64_t n = ring->n;
    const struct unresolved *unresolved = estimate->unresolved;

    if (y >= estimate->dense) {
        estimate_rows(estimate, y, two);
        if (unresolved[0].count + unresolved[1].count <= n / MANY) {
            repair_row(estimate, y, &unresolved[0]);
            if (two)
                repair_row(estimate, y + 1, &unresolved[1]);
            return;
        }
        estimate->dense = y + 2 + DENSE_ROWS;
    }
    smooth_doubles.give_rows(&estimate->doubles.ring, y, two);
}

/* ring_arithmetic.prepare */
static void prepare(const struct job *job, void *state)
{
    smooth_u8_prepare(job, state);
}

/* ring_arithmetic.lay_out */
static void lay_out(struct ring *ring, uintptr_t *memory)
{
    struct smooth_u8 *estimate = (struct smooth_u8 *)ring;
    const int64_t room = ring->room;

    estimate->line = ring_carve(memory, (room + 2 * ring->reach) * (int64_t)sizeof *estimate->line);
    for (int row = 0; row < 2; row++) {
        estimate->bytes[row] = ring_carve(memory, room);
        estimate->unresolved[row].places = ring_carve(memory, room * (int64_t)sizeof(int32_t));
    }
    ring_lay_out(&estimate->doubles.ring, &smooth_doubles, ring->job, room, memory);
}

/* ring_arithmetic.begin */
static void begin(struct ring *ring)
{
    struct smooth_u8 *estimate = (struct smooth_u8 *)ring;
    const struct job *job = ring->job;

    estimate->loops = isa_of(job)->smooth_u8;
    estimate->weights = job->state;
    estimate->fused = estimate->weights->digits == 1 && job->halo_x == job->halo_y &&
                      job->halo_x >= 1 && job->halo_x <= estimate->loops->fused_halo;
    ring->whole_blocks = estimate->fused;
    smooth_doubles.begin(&estimate->doubles.ring);
}

_Static_assert(sizeof(struct smooth_u8) <= RING_STATE_BYTES, "there is room for a state");

const struct ring_arithmetic smooth_u8 = {
    .sum_bytes = sizeof(float),
    .block = U8_BLOCK,
    .ring_bytes = 28 * 1024, /* of the first-level cache; 4 KiB are left for the images' rows */
    .min_room = 256,
    .max_room = 1536,
    .prepare = prepare,
    .lay_out = lay_out,
    .begin = begin,
    .enter = enter,
    .take_row = take_row,
    .give_rows = give_rows,
};
