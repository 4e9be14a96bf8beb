/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/cpu/u8/u8.h"

#include "kernels/common/isa.h"
#include "kernels/common/parallel.h"
#include "kernels/smooth/cpu/doubles/doubles.h"
#include "kernels/smooth/cpu/u8/loops.h"
#include "kernels/smooth/cpu/u8/repair.h"
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

    estimate->plan->loops->widen(ring_source(ring, y), line, length);
    memset(line + length, 0, (size_t)(ring->padded - ring->n) * sizeof *line);
    return line + ring->reach;
}

/* Filters source row y. */
static void take_row(struct ring *ring, int64_t y, void *sums)
{
    const struct smooth_u8 *estimate = (struct smooth_u8 *)ring;
    const struct smooth_u8_weights *weights = estimate->plan->weights;
    const struct smooth_u8_loops *loops = estimate->plan->loops;

    if (weights->digits == 1)
        loops->filter_bytes(padded_bytes(estimate, y), weights, ring->step, sums, ring->padded);
    else
        loops->filter_line(padded_words(estimate, y), weights, ring->step, sums, ring->padded);
}

/* Estimates row y and, if two, y + 1, and lists the unresolved samples. */
static void estimate_rows(struct smooth_u8 *estimate, int64_t y, bool two)
{
    struct ring *ring = &estimate->ring;
    const struct smooth_u8_plan *plan = estimate->plan;
    const int64_t halo = plan->job->halo_y, stride = plan->job->dst.stride_bytes;
    const bool whole = ring->n == ring->padded, fused = two && plan->fused && whole;
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

        plan->loops->filter_fused(src, sums, plan->weights, ring->step, rows, estimate->unresolved,
                                  ring->n, &ahead);
        ring->next = y + halo + 2;
    } else {
        plan->loops->filter_rows(sums, plan->weights, rows, estimate->unresolved, ring->n, &ahead);
    }
    if (!two)
        estimate->unresolved[1].count = 0;
    for (int row = 0; row <= two && !whole; row++)
        memcpy(target + row * stride, rows[row], (size_t)ring->n);
}

static void repair_row(const struct smooth_u8 *estimate, int64_t y,
                       const struct unresolved *unresolved)
{
    const struct smooth_u8_plan *plan = estimate->plan;
    const struct ring *ring = &estimate->ring;
    const struct job *job = plan->job;
    uint8_t *row = ring_target(ring, y);

    for (int64_t i = 0; i < unresolved->count; i++)
        row[unresolved->places[i]] = smooth_u8_repaired(job, plan->loops, plan->weights, y,
                                                        ring->first + unresolved->places[i]);
    /* Only weights that sum to more than 1 can exceed maxval; the loops clamp to 255 already. */
    for (int64_t i = 0; job->maxval < 255 && i < ring->n; i++)
        row[i] = row[i] < job->maxval ? row[i] : (uint8_t)job->maxval;
}

/* Begins a segment. */
static void begin(struct smooth_u8 *estimate, int64_t y)
{
    estimate->dense = y;
    ring_follow(&estimate->doubles.ring, &estimate->ring);
}

void smooth_u8_give_rows(struct smooth_u8 *estimate, int64_t y, bool two)
{
    const int64_t n = estimate->ring.n;
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
    smooth_doubles_give_rows(&estimate->doubles, y, two);
}

static void give_rows(struct ring *ring, int64_t y, bool two)
{
    struct smooth_u8 *estimate = (struct smooth_u8 *)ring;

    if (y == ring->top)
        begin(estimate, y);
    smooth_u8_give_rows(estimate, y, two);
}

void smooth_u8_follow(struct smooth_u8 *estimate, const struct ring *leader)
{
    ring_follow(&estimate->ring, leader);
    begin(estimate, leader->top);
}

static const struct ring_arithmetic arithmetic = {
    .sum_bytes = sizeof(float),
    .block = U8_BLOCK,
    .ring_bytes = 28 * 1024, /* of the first-level cache; 4 KiB are left for the images' rows */
    .min_room = 256,
    .max_room = 1536,
    .take_row = take_row,
    .give_rows = give_rows,
};

void smooth_u8_lay_out(struct smooth_u8 *estimate, const struct job *job, int64_t room,
                       uintptr_t *memory)
{
    estimate->ring = ring_make(&arithmetic, job, room, memory);
    estimate->line =
        ring_carve(memory, (room + 2 * estimate->ring.reach) * (int64_t)sizeof *estimate->line);
    for (int row = 0; row < 2; row++) {
        estimate->bytes[row] = ring_carve(memory, room);
        estimate->unresolved[row].places = ring_carve(memory, room * (int64_t)sizeof(int32_t));
    }
    smooth_doubles_lay_out(&estimate->doubles, job, room, memory);
}

void smooth_u8_set_plan(struct smooth_u8 *estimate, const struct smooth_u8_plan *plan)
{
    estimate->plan = plan;
    smooth_doubles_set_taps(&estimate->doubles);
}

static void smooth_band(const void *context, int band, int64_t first, int64_t last)
{
    const struct smooth_u8_plan *plan = context;
    const struct job *job = plan->job;
    uintptr_t memory = (uintptr_t)job->scratch + (size_t)band * plan->thread_bytes;
    struct smooth_u8 estimate;

    smooth_u8_lay_out(&estimate, job, ring_best_room(&arithmetic, job), &memory);
    smooth_u8_set_plan(&estimate, plan);
    estimate.ring.whole_blocks = plan->fused;
    ring_smooth(&estimate.ring, first, last);
}

static size_t thread_bytes(const struct job *job)
{
    struct smooth_u8 unused;
    uintptr_t bytes = 0;

    smooth_u8_lay_out(&unused, job, ring_best_room(&arithmetic, job), &bytes);
    return bytes;
}

size_t smooth_u8_scratch_bytes(const struct job *job)
{
    return thread_bytes(job) * (size_t)job->threads;
}

void smooth_u8_make_plan(struct smooth_u8_plan *plan, const struct job *job)
{
    plan->job = job;
    plan->loops = isa_of(job)->smooth_u8;
    plan->thread_bytes = thread_bytes(job);
    plan->weights = job->state;
    if (!plan->weights) {
        smooth_u8_prepare(job, &plan->own);
        plan->weights = &plan->own;
    }
    plan->fused = plan->weights->digits == 1 && job->halo_x == job->halo_y && job->halo_x >= 1 &&
                  job->halo_x <= plan->loops->fused_halo;
}

const char *smooth_u8_run(const struct job *job)
{
    struct smooth_u8_plan plan;

    smooth_u8_make_plan(&plan, job);
    parallel_rows(job->threads, job->src.height, smooth_band, &plan);
    return NULL;
}
