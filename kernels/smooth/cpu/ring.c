/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/cpu/ring.h"

#include "kernels/common/numbers.h"

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

int64_t ring_best_room(const struct ring_arithmetic *arithmetic, const struct job *job)
{
    const int64_t block = arithmetic->block;
    const int64_t fitting =
        arithmetic->ring_bytes / arithmetic->sum_bytes / (2 * job->halo_y + 2) / block * block;
    const int64_t room = max(arithmetic->min_room, min(fitting, arithmetic->max_room));

    return arithmetic->whole_pixels ? max(room, round_up(job->src.channels, block)) : room;
}

struct ring ring_make(const struct ring_arithmetic *arithmetic, const struct job *job, int64_t room,
                      uintptr_t *memory)
{
    const int64_t step = job->src.channels;
    struct ring ring = {.arithmetic = arithmetic,
                        .job = job,
                        .step = step,
                        .reach = job->halo_x * step,
                        .room = room};

    ring.sums = ring_carve(memory, ring_height(&ring) * pitch(&ring));
    ring.rows = ring_carve(memory, ring_height(&ring) * (int64_t)sizeof *ring.rows);
    return ring;
}

void ring_segment(struct ring *ring, int64_t first, int64_t n)
{
    ring->first = first;
    ring->n = n;
    ring->padded = round_up(n, ring->arithmetic->block);
    ring->next = -ring->job->halo_y; /* of row 0; ring_rows skips what is not needed */
    memset(ring->taken, 0, sizeof ring->taken);
}

void ring_follow(struct ring *ring, const struct ring *leader)
{
    ring->same = leader->same;
    ring_segment(ring, leader->first, leader->n);
}

/* Of the next segment; rest: what is left of a row. */
static int64_t next_length(const struct ring *ring, int64_t rest)
{
    const int64_t unit = ring->arithmetic->whole_pixels ? ring->step : 1;
    const int64_t n = min(rest, ring->room / unit * unit), block = ring->arithmetic->block;

    return ring->whole_blocks && n > block ? n - n % block : n;
}

void ring_smooth(struct ring *ring, int64_t top, int64_t last)
{
    const int64_t row_samples = ring->job->src.width * ring->step;
    struct same_rows same;

    same_rows_find(ring->job, top, last, &same);
    ring->same = same.found ? &same : NULL;
    ring->top = top;
    for (int64_t first = 0; first < row_samples; first += ring->n) {
        ring_segment(ring, first, next_length(ring, row_samples - first));
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
