/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/cpu/ring.h"

#include "kernels/common/numbers.h"
#include "kernels/common/parallel.h"

#include <string.h>

void *ring_carve(uintptr_t *memory, int64_t bytes)
{
    void *carved = (void *)*memory;

    *memory += (uintptr_t)round_up(bytes, 64);
    return carved;
}

static int64_t ring_height(const struct ring *ring)
{
    return 2 * ring->job->halo_y + 2;
}

/* Between the rows of the ring: at multiples of 4096 bytes they would share a few sets of L1. */
#define PITCH_BYTES 64

static int64_t pitch(const struct ring *ring)
{
    const struct ring_arithmetic *arithmetic = ring->arithmetic;

    return ring->room * arithmetic->sum_bytes + arithmetic->note_bytes + PITCH_BYTES;
}

/* The room of a segment whose ring fits the cache. */
static int64_t best_room(const struct ring_arithmetic *arithmetic, const struct job *job)
{
    const int64_t unit = arithmetic->block * (arithmetic->whole_pixels ? job->src.channels : 1);
    const int64_t fitting = arithmetic->ring_bytes / arithmetic->sum_bytes / (2 * job->halo_y + 2);

    return max(max(arithmetic->min_room, unit), min(fitting, arithmetic->max_room) / unit * unit);
}

void ring_lay_out(struct ring *ring, const struct ring_arithmetic *arithmetic,
                  const struct job *job, int64_t room, uintptr_t *memory)
{
    const int64_t step = job->src.channels;

    *ring = (struct ring){.arithmetic = arithmetic,
                          .job = job,
                          .step = step,
                          .reach = job->halo_x * step,
                          .room = room};
    ring->sums = ring_carve(memory, ring_height(ring) * pitch(ring));
    ring->rows = ring_carve(memory, ring_height(ring) * (int64_t)sizeof *ring->rows);
    if (arithmetic->lay_out)
        arithmetic->lay_out(ring, memory);
}

void ring_set_taps(const uint64_t *weights, int64_t halo, double *taps)
{
    for (int64_t k = 0; k <= halo; k++)
        taps[k] = (double)weights[halo + k] * 0x1p-46;
}

/* Goes on to the segment of n samples from `first` on. */
static void enter(struct ring *ring, int64_t first, int64_t n)
{
    ring->first = first;
    ring->n = n;
    ring->padded = round_up(n, ring->arithmetic->block);
    ring->next = -ring->job->halo_y; /* of row 0; ring_rows skips what is not needed */
    memset(ring->taken, 0, sizeof ring->taken);
    if (ring->arithmetic->enter)
        ring->arithmetic->enter(ring);
}

void ring_follow(struct ring *ring, const struct ring *leader)
{
    ring->same = leader->same;
    enter(ring, leader->first, leader->n);
}

/* Of the next segment; rest: what is left of a row. */
static int64_t next_length(const struct ring *ring, int64_t rest)
{
    const int64_t unit = ring->arithmetic->whole_pixels ? ring->step : 1;
    const int64_t n = min(rest, ring->room / unit * unit), block = ring->arithmetic->block;

    return ring->whole_blocks && n > block ? n - n % block : n;
}

/* Smooths rows top..last-1, segment by segment. */
static void smooth(struct ring *ring, int64_t top, int64_t last)
{
    const int64_t row_samples = ring->job->src.width * ring->step;
    struct same_rows same;

    same_rows_find(ring->job, top, last, &same);
    ring->same = same.found ? &same : NULL;
    for (int64_t first = 0; first < row_samples; first += ring->n) {
        enter(ring, first, next_length(ring, row_samples - first));
        for (int64_t y = top; y < last; y += 2)
            ring->arithmetic->give_rows(ring, y, y + 1 < last);
    }
}

/* Where the sums of source row y are. Rows that are the same share them: there are fewer of these
 * than rows in the ring, so that none is ever replaced. */
static void *row_sums(const struct ring *ring, int64_t y)
{
    const int64_t slot =
        ring->same ? same_rows_kind(ring->same, y) : (y + ring->job->halo_y) % ring_height(ring);

    return ring->sums + slot * pitch(ring);
}

/* Filters source row y, unless a row that is the same has been filtered. */
static void take_row(struct ring *ring, int64_t y)
{
    bool *taken = ring->same ? &ring->taken[same_rows_kind(ring->same, y)] : NULL;

    if (taken && *taken)
        return;
    ring->arithmetic->take_row(ring, y, row_sums(ring, y));
    if (taken)
        *taken = true;
}

/* Sets ring->rows to the sums of rows first.. of the source. */
static void point(const struct ring *ring, int64_t first, int64_t count)
{
    const int64_t height = ring_height(ring), bytes = pitch(ring);
    char *const sums = ring->sums;
    void **const rows = ring->rows;

    if (ring->same) {
        for (int64_t i = 0; i < count; i++)
            rows[i] = row_sums(ring, first + i);
        return;
    }
    for (int64_t i = 0, slot = (first + ring->job->halo_y) % height; i < height;
         i++, slot = slot + 1 < height ? slot + 1 : 0)
        rows[i] = sums + slot * bytes; /* row_sums(ring, first + i) */
}

void **ring_rows(struct ring *ring, int64_t y, bool two, int64_t end)
{
    const int64_t halo = ring->job->halo_y;
    void **const rows = ring->rows;

    for (ring->next = max(ring->next, y - halo); ring->next < end; ring->next++)
        take_row(ring, ring->next);
    point(ring, y - halo, 2 * halo + 1 + two);
    if (!two) /* nothing is read of the second row's result: its last source row may not exist */
        rows[2 * halo + 1] = rows[2 * halo];
    return rows;
}

const void *ring_source(const struct ring *ring, int64_t y)
{
    const struct view *src = &ring->job->src;

    return (const char *)src->origin + y * src->stride_bytes +
           (ring->first - ring->reach) * src->sample_bytes;
}

void *ring_target(const struct ring *ring, int64_t y)
{
    const struct view *dst = &ring->job->dst;

    return (char *)dst->origin + y * dst->stride_bytes + ring->first * dst->sample_bytes;
}

struct fetches ring_fetches(const struct ring *ring, int64_t y)
{
    const int64_t below = y + ring->job->halo_y + 2;

    return (struct fetches){{ring_source(ring, below), ring_source(ring, below + 1)},
                            {ring_target(ring, y + 2), ring_target(ring, y + 3)}};
}

/* One thread's. */
union state {
    struct ring ring;
    char bytes[RING_STATE_BYTES];
};

struct run {
    const struct ring_arithmetic *arithmetic;
    const struct job *job;
    int64_t room;
    size_t thread_bytes; /* of scratch */
};

static size_t thread_bytes(const struct ring_arithmetic *arithmetic, const struct job *job)
{
    union state unused;
    uintptr_t bytes = 0;

    ring_lay_out(&unused.ring, arithmetic, job, best_room(arithmetic, job), &bytes);
    return bytes;
}

static void smooth_band(const void *context, int band, int64_t first, int64_t last)
{
    const struct run *run = context;
    uintptr_t memory = (uintptr_t)run->job->scratch + (size_t)band * run->thread_bytes;
    union state state;

    ring_lay_out(&state.ring, run->arithmetic, run->job, run->room, &memory);
    run->arithmetic->begin(&state.ring);
    smooth(&state.ring, first, last);
}

size_t ring_scratch_bytes(const struct ring_arithmetic *arithmetic, const struct job *job)
{
    return thread_bytes(arithmetic, job) * (size_t)job->threads;
}

void ring_run(const struct ring_arithmetic *arithmetic, const struct job *job)
{
    _Alignas(64) char state[MOST_STATE_BYTES];
    struct job prepared = *job;
    const struct run run = {.arithmetic = arithmetic,
                            .job = &prepared,
                            .room = best_room(arithmetic, job),
                            .thread_bytes = thread_bytes(arithmetic, job)};

    if (arithmetic->prepare && !job->state) {
        arithmetic->prepare(job, state);
        prepared.state = state;
    }
    parallel_rows(job->threads, job->src.height, smooth_band, &run);
}
