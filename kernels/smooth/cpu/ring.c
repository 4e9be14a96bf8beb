/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/cpu/ring.h"

#include "kernels/common/carve.h"
#include "kernels/common/isa.h"
#include "kernels/common/numbers.h"
#include "kernels/common/parallel.h"
#include "kernels/smooth/source.h"

#include <string.h>

static int64_t ring_height(const struct ring *ring)
{
    return 2 * ring->request->halo_y + 2;
}

/* Between the rows of the ring: at multiples of 4096 bytes they would share a few sets of L1. */
#define PITCH_BYTES 64

static int64_t pitch(const struct ring *ring)
{
    return ring->room * ring->arithmetic->sum_bytes + PITCH_BYTES;
}

/* The room of a segment whose ring fits the cache; no more than a row needs. */
int64_t ring_room(const struct ring_arithmetic *arithmetic, const struct request *request)
{
    const int64_t unit = arithmetic->block;
    const int64_t fitting =
        arithmetic->ring_bytes / arithmetic->sum_bytes / (2 * request->halo_y + 2);
    const int64_t room =
        max(min(fitting, arithmetic->max_room) / unit * unit, max(arithmetic->min_room, unit));

    return min(room, round_up(request->src.width * request->src.channels, unit));
}

/* Makes a ring, with its memory from *memory on. piece: NULL: for no piece yet. */
static void lay_out(struct ring *ring, const struct ring_arithmetic *arithmetic,
                    const struct request *request, const struct piece *piece, const void *state,
                    uintptr_t *memory)
{
    const int64_t step = request->src.channels, room = ring_room(arithmetic, request);

    *ring = (struct ring){.arithmetic = arithmetic,
                          .request = request,
                          .piece = piece,
                          .state = state,
                          .step = step,
                          .reach = request->halo_x * step,
                          .room = room,
                          .copies = !piece || !source_has_all(piece)};
    ring->sums = carve(memory, ring_height(ring) * pitch(ring));
    ring->rows = carve(memory, ring_height(ring) * (int64_t)sizeof *ring->rows);
    ring->line_bytes = /* whole lines of the cache are copied */
        round_up((room + arithmetic->block + 2 * ring->reach) * request->src.sample_bytes,
                 CACHE_LINE) +
        2 * CACHE_LINE;
    ring->ends.places = carve(memory, 2 * ring->reach * (int64_t)sizeof *ring->ends.places);
    ring->line_count = ring->copies || arithmetic->reads_lines ? 2 * RING_BATCH : 0;
    ring->room_of_lines = carve(memory, ring->line_count * ring->line_bytes);
    ring->zeros = carve(memory, ring->copies ? ring->line_bytes : 0);
    if (arithmetic->lay_out)
        arithmetic->lay_out(ring, memory);
}

/* A row's line. Its bytes are aligned as the row's own, if that is. */
static char *line_of(const struct ring *ring, int64_t place)
{
    return ring->room_of_lines + place * ring->line_bytes + (ring->ends.begin & (CACHE_LINE - 1));
}

/* Sets which sums are computed from lines, and what is copied to these. */
static void choose_lines(struct ring *ring)
{
    const int64_t bytes = ring->piece->src.sample_bytes, block = ring->arithmetic->block;
    const int64_t length = ring->n + 2 * ring->reach;
    struct row_ends *ends = &ring->ends;

    ring->tail = ring->padded;
    if (ring->arithmetic->reads_lines && (ends->trail > 0 || ring->n < ring->padded))
        ring->tail = max(ring->n - max(ends->trail, block), 0) / block * block;
    ring->head = ring->arithmetic->reads_lines ? min(round_up(ends->lead, block), ring->tail) : 0;
    ends->from[0] = ends->inside;
    ends->to[0] = ring->head > 0 ? min((ring->head + 2 * ring->reach) * bytes, ends->end) : 0;
    ends->from[1] =
        max(((ring->tail * bytes + ends->begin) & -CACHE_LINE) - ends->begin, ends->inside);
    ends->to[1] = ring->tail < ring->padded ? ends->end : 0;
    ring->lined = ends->lead + ends->trail > 0 || ring->tail < ring->padded;
    ring->batches[0] = ring->batches[1] = INT64_MIN;
    if (ring->copies)
        memset(ring->zeros, 0, (size_t)ring->line_bytes);
    for (int i = 0; i < ring->line_count; i++) {
        if (ring->n < ring->padded)
            memset(line_of(ring, i) + length * bytes, 0,
                   (size_t)((ring->padded - ring->n) * bytes));
        if (ends->lead + ends->trail > 0 && ring->request->edge == EDGE_ZERO)
            memset(ring->room_of_lines + i * ring->line_bytes, 0, (size_t)ring->line_bytes);
    }
}

/* Goes on to the segment of n samples from `first` on. */
static void enter(struct ring *ring, int64_t first, int64_t n)
{
    ring->first = first;
    ring->n = n;
    ring->padded = round_up(n, ring->arithmetic->block);
    ring->next = -ring->request->halo_y; /* of row 0; ring_rows skips what is not needed */
    memset(ring->taken, 0, sizeof ring->taken);
    row_ends_find(&ring->ends, ring->piece, first - ring->reach, n + 2 * ring->reach);
    choose_lines(ring);
    if (ring->arithmetic->enter)
        ring->arithmetic->enter(ring);
}

/* Smooths rows top..last-1, segment by segment. */
static void smooth(struct ring *ring, int64_t top, int64_t last)
{
    const int64_t row_samples = ring->piece->src.width * ring->step;
    struct same_rows same;

    same_rows_find(ring->piece, top, last, &same);
    ring->same = same.found ? &same : NULL;
    ring->last = last;
    for (int64_t first = 0; first < row_samples; first += ring->n) {
        enter(ring, first, min(row_samples - first, ring->room));
        for (int64_t y = top; y < last; y += 2)
            ring->arithmetic->give_rows(ring, y, y + 1 < last);
    }
}

/* Where the sums of source row y are. Rows that are the same share them: there are fewer of these
 * than rows in the ring, so that none is ever replaced. */
static void *row_sums(const struct ring *ring, int64_t y)
{
    const int64_t slot = ring->same ? same_rows_kind(ring->same, y)
                                    : (y + ring->request->halo_y) % ring_height(ring);

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
    for (int64_t i = 0, slot = (first + ring->request->halo_y) % height; i < height;
         i++, slot = slot + 1 < height ? slot + 1 : 0)
        rows[i] = sums + slot * bytes; /* row_sums(ring, first + i) */
}

void **ring_rows(struct ring *ring, int64_t y, bool two, int64_t end)
{
    const int64_t halo = ring->request->halo_y;
    void **const rows = ring->rows;

    for (ring->next = max(ring->next, y - halo); ring->next < end; ring->next++)
        take_row(ring, ring->next);
    point(ring, y - halo, 2 * halo + 1 + two);
    if (!two) /* nothing is read of the second row's result: its last source row may not exist */
        rows[2 * halo + 1] = rows[2 * halo];
    return rows;
}

/* Copies the ends of the rows of a batch, of those that there are. */
static void copy_batch(struct ring *ring, int64_t batch)
{
    const struct piece *piece = ring->piece;
    const int64_t first = batch * RING_BATCH - MAX_HALO;
    const int64_t end = piece->src.height + piece->request->halo_y - first;
    const char *rows[RING_BATCH];
    char *copies[RING_BATCH];
    int count = 0;

    for (int64_t i = max(-piece->request->halo_y - first, 0); i < min(end, RING_BATCH); i++) {
        rows[count] = source_row(piece, first + i);
        copies[count] = line_of(ring, batch % 2 * RING_BATCH + i);
        count += rows[count] != NULL;
    }
    isa_of(piece->request)->ends->copy(&ring->ends, rows, copies, count);
    ring->batches[batch % 2] = batch;
}

struct ring_row ring_row_with_ends(struct ring *ring, int64_t y)
{
    const char *row = source_row(ring->piece, y);
    const int64_t place = y + MAX_HALO, batch = place / RING_BATCH;

    if (!row)
        return (struct ring_row){ring->zeros, ring->zeros};
    if (ring->lined && ring->batches[batch % 2] != batch)
        copy_batch(ring, batch);
    return (struct ring_row){row + ring->ends.begin, line_of(ring, place % (2 * RING_BATCH))};
}

void ring_pieces(const struct ring *ring, struct ring_row row, struct ring_piece pieces[3])
{
    const struct row_ends *ends = &ring->ends;
    const int64_t length = ring->n + 2 * ring->reach, end = length - ends->trail;

    pieces[0] = (struct ring_piece){row.line, 0, ends->lead};
    pieces[1] =
        (struct ring_piece){(const char *)row.direct + ends->inside, ends->lead, end - ends->lead};
    pieces[2] = (struct ring_piece){(const char *)row.line + ends->end, end, ends->trail};
}

const void *ring_centre(const struct ring *ring, int64_t y)
{
    const struct view *src = &ring->piece->src;

    return (const char *)src->origin + y * src->stride_bytes + ring->first * src->sample_bytes;
}

void *ring_target(const struct ring *ring, int64_t y)
{
    const struct view *dst = &ring->piece->dst;

    return (char *)dst->origin + y * dst->stride_bytes + ring->first * dst->sample_bytes;
}

struct fetches ring_fetches(const struct ring *ring, int64_t y)
{
    const int64_t below = y + ring->request->halo_y + 2;

    return (struct fetches){{ring_centre(ring, below), ring_centre(ring, below + 1)},
                            {ring_target(ring, y + 2), ring_target(ring, y + 3)}};
}

/* One thread's. */
union state {
    struct ring ring;
    char bytes[RING_STATE_BYTES];
};

struct run {
    const struct ring_arithmetic *arithmetic;
    const struct piece *piece;
    size_t thread_bytes; /* of scratch */
};

static size_t thread_bytes(const struct ring_arithmetic *arithmetic, const struct request *request,
                           const void *plan)
{
    union state unused;
    uintptr_t bytes = 0;

    lay_out(&unused.ring, arithmetic, request, NULL, plan, &bytes);
    return bytes;
}

static void smooth_band(const void *context, int band, int64_t first, int64_t last)
{
    const struct run *run = context;
    uintptr_t memory = (uintptr_t)run->piece->scratch + (size_t)band * run->thread_bytes;
    union state state;

    lay_out(&state.ring, run->arithmetic, run->piece->request, run->piece, run->piece->state,
            &memory);
    run->arithmetic->begin(&state.ring);
    smooth(&state.ring, first, last);
}

size_t ring_scratch_bytes(const struct ring_arithmetic *arithmetic, const struct request *request,
                          const void *state)
{
    return thread_bytes(arithmetic, request, state) * (size_t)request->threads;
}

void ring_run(const struct ring_arithmetic *arithmetic, const struct piece *piece)
{
    const struct request *request = piece->request;
    const struct run run = {.arithmetic = arithmetic,
                            .piece = piece,
                            .thread_bytes = thread_bytes(arithmetic, request, piece->state)};

    parallel_rows(request->threads, piece->src.height, smooth_band, &run);
}
