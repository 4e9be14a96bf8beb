/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/cpu/floats/floats.h"

#include "kernels/common/carve.h"
#include "kernels/common/isa.h"
#include "kernels/common/numbers.h"
#include "kernels/smooth/cpu/doubles/doubles.h"
#include "kernels/smooth/cpu/floats/state.h"
#include "kernels/smooth/floats/floats.h"

#include <string.h>

static struct floats *floats_of_there(struct ring *there)
{
    return (struct floats *)((char *)there - offsetof(struct floats, there));
}

/* Filters `line`, whose first `length` values are set, along its row. */
static void filter_line(const struct floats *floats, const struct ring *ring, void *sums)
{
    const int64_t length = ring->n + 2 * ring->reach;

    for (int64_t i = length; i < ring->padded + 2 * ring->reach; i++)
        floats->line.values[i] = 0;
    floats->loops->filter_line(floats->line.values + ring->reach, floats->taps_x,
                               ring->request->halo_x, ring->step, sums, ring->padded);
}

static bool is_plain(const struct floats *floats, struct float_extent extent)
{
    return extent.greatest < FLOAT_INFINITY && extent.least >= floats->least - 1;
}

/* The same as the loops' scan, of few samples, for which a call takes too long. */
static struct float_extent scan_end(const struct ring_piece *end)
{
    const uint32_t *samples = end->samples;
    struct float_extent extent = {0, UINT32_MAX};

    for (int64_t i = 0; i < end->n; i++) {
        extent.greatest = (uint32_t)max(extent.greatest, samples[i]);
        extent.least = (uint32_t)min(extent.least, samples[i] - 1);
    }
    return extent;
}

/* Pictures of both signs show it within a few samples; what follows a plain row is plain. */
static bool may_be_plain(const struct floats *floats, const struct ring_piece *middle)
{
    return floats->quick &&
           (floats->was_plain ||
            is_plain(floats, floats->loops->scan(middle->samples, min(middle->n, DOUBLES_BLOCK))));
}

/* Looks at a source row of the segment: sets the note's `plain` and `whole`; returns `plain`. */
static bool look(struct floats *floats, const struct ring_piece pieces[3], struct float_note *note)
{
    struct float_extent extent[3];

    note->plain = may_be_plain(floats, &pieces[1]);
    if (!note->plain)
        return false;
    extent[0] = scan_end(&pieces[0]);
    extent[1] = floats->loops->scan(pieces[1].samples, pieces[1].n);
    extent[2] = scan_end(&pieces[2]);
    note->whole = (struct float_reach){.peak = 0};
    for (int i = 0; i < 3; i++) {
        note->plain &= is_plain(floats, extent[i]);
        note->whole.peak = (uint32_t)max(note->whole.peak, extent[i].greatest);
    }
    floats->was_plain = note->plain;
    return note->plain;
}

/* ring_arithmetic.take_row */
static void take_row(struct ring *ring, int64_t y, void *sums)
{
    struct floats *floats = (struct floats *)ring;
    struct float_note *note = ring_note(ring, sums);
    struct ring_piece pieces[3];

    ring_pieces(ring, ring_row(ring, y), pieces);
    if (look(floats, pieces, note)) {
        for (int i = 0; i < 3; i++)
            if (pieces[i].n > 0)
                floats->loops->widen_plain(pieces[i].samples, floats->line.values + pieces[i].first,
                                           pieces[i].n);
    } else {
        float_line_take(&floats->line, floats->loops, ring_source(ring, y),
                        ring->n + 2 * ring->reach, ring->request->skip_nan);
        float_reach_note(ring, floats->line.blocks, note);
    }
    filter_line(floats, ring, sums);
}

/* The same for `there`. */
static void take_there(struct ring *there, int64_t y, void *sums)
{
    const struct floats *floats = floats_of_there(there);
    const uint32_t *src = ring_source(there, y);

    for (int64_t i = 0; i < there->n + 2 * there->reach; i++)
        floats->line.values[i] = float_kind(src[i]) != FLOAT_NAN;
    filter_line(floats, there, sums);
}

/* Whether the first `count` rows of ring_rows are plain. */
static bool all_plain(const struct ring *ring, double *const *rows, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        const struct float_note *note = ring_note(ring, rows[i]);

        if (!note->plain)
            return false;
    }
    return true;
}

/* The same of a source row whose sums go to `sums`. */
static bool source_plain(struct floats *floats, struct ring_row row, double *sums)
{
    struct ring_piece pieces[3];

    ring_pieces(&floats->ring, row, pieces);
    return look(floats, pieces, ring_note(&floats->ring, sums));
}

static struct float_plain plain_of(const struct floats *floats, int64_t y, bool two,
                                   double *const *rows)
{
    const struct ring *ring = &floats->ring;

    return (struct float_plain){
        .rows = rows,
        .taps_y = floats->taps_y,
        .halo_y = ring->request->halo_y,
        .n = ring->n,
        .spread = floats->spread,
        .out = {ring_target(ring, y), two ? ring_target(ring, y + 1) : floats->low[1]},
        .taps_x = floats->taps_x,
        .step = ring->step};
}

/* Returns whether all samples are right. row, next: the last two source rows, whose sums are in the
 * ring then or not. */
static bool give_fused(struct floats *floats, int64_t y, struct ring_row row, struct ring_row next,
                       double *const *rows)
{
    struct ring *ring = &floats->ring;
    const int64_t halo = ring->request->halo_y, n = ring->n;
    const struct source_rows source = {
        {row.direct, next.direct}, {row.line, next.line}, ring->head, ring->tail};
    const struct fetches ahead = ring_fetches(ring, y);
    const struct float_plain plain = plain_of(floats, y, true, rows);

    for (int i = 0; i < 2; i++)
        memset(rows[2 * halo + i] + n, 0, (size_t)(ring->padded - n) * sizeof **rows);
    ring->next = y + halo + 2;
    return !floats->loops->filter_fused(&plain, &source, &ahead);
}

static bool give_plain(struct floats *floats, int64_t y, bool two, double *const *rows)
{
    const struct ring *ring = &floats->ring;
    const struct fetches ahead = ring_fetches(ring, y);
    const struct float_plain plain = plain_of(floats, y, two, rows);

    return ring->n >= DOUBLES_BLOCK && all_plain(ring, rows, 2 * ring->request->halo_y + 1 + two) &&
           !floats->loops->filter_plain(&plain, &ahead);
}

/* Returns whether plain sums have given the rows. */
static bool give_quickly(struct floats *floats, int64_t y, bool two)
{
    struct ring *ring = &floats->ring;
    const int64_t halo = ring->request->halo_y, end = y + halo + 1 + two;

    if (floats->fused && two && ring->n >= DOUBLES_BLOCK) {
        double *const *rows = (double *const *)ring_rows(ring, y, two, end - 2);
        const struct ring_row row = ring_row(ring, end - 2), next = ring_row(ring, end - 1);

        if (all_plain(ring, rows, 2 * halo) && source_plain(floats, row, rows[2 * halo]) &&
            source_plain(floats, next, rows[2 * halo + 1]))
            return give_fused(floats, y, row, next, rows);
    }
    return give_plain(floats, y, two, (double *const *)ring_rows(ring, y, two, end));
}

/* ring_arithmetic.give_rows */
static void give_rows(struct ring *ring, int64_t y, bool two)
{
    struct floats *floats = (struct floats *)ring;
    const int64_t end = y + ring->request->halo_y + 1 + two;

    if (!give_quickly(floats, y, two))
        smooth_floats_give_ends(floats, y, two, (double *const *)ring_rows(ring, y, two, end));
}

_Static_assert(FLOAT_FUSED_HALO < FLAT, "filter_fused fills a ring of which no rows are the same");
_Static_assert(sizeof(struct float_note) % 64 == 0, "a note fills cache lines");
_Static_assert(sizeof(struct floats) <= RING_STATE_BYTES, "there is room for a state");

static const struct ring_arithmetic there_arithmetic = {
    .sum_bytes = sizeof(double),
    .block = DOUBLES_BLOCK,
    .take_row = take_there,
};

/* ring_arithmetic.lay_out */
static void lay_out(struct ring *ring, uintptr_t *memory)
{
    struct floats *floats = (struct floats *)ring;
    const struct request *request = ring->request;
    const int64_t room = ring->room, line = room + 2 * ring->reach;
    const int64_t blocks = line / DOUBLES_BLOCK + 1;

    floats->loops = isa_of(request)->smooth_floats;
    floats->taps_x = carve(memory, (request->halo_x + 1) * (int64_t)sizeof(double));
    floats->taps_y = carve(memory, (request->halo_y + 1) * (int64_t)sizeof(double));
    floats->line.values = carve(memory, line * (int64_t)sizeof(double));
    floats->line.tops = carve(memory, blocks * (int64_t)sizeof(uint32_t));
    floats->line.signs = carve(memory, blocks * (int64_t)sizeof(uint32_t));
    floats->line.blocks = carve(memory, blocks * (int64_t)sizeof(struct float_reach));
    floats->columns = carve(memory, line * (int64_t)sizeof *floats->columns);
    for (int row = 0; row < 2; row++) {
        floats->low[row] = carve(memory, room * (int64_t)sizeof(float));
        floats->ends[row].high = carve(memory, room * (int64_t)sizeof(float));
    }
    if (!request->skip_nan)
        return;
    ring_lay_out(&floats->there, &there_arithmetic, request, ring->piece, room, memory);
    for (int row = 0; row < 2; row++) {
        floats->sums[row] = carve(memory, room * (int64_t)sizeof(double));
        floats->weights[row] = carve(memory, room * (int64_t)sizeof(double));
    }
}

static double least_of(const double *taps, int64_t halo)
{
    double least = taps[0];

    for (int64_t k = 1; k <= halo; k++)
        least = taps[k] < least ? taps[k] : least;
    return least;
}

/* ring_arithmetic.begin. See floats.h: what is plain, and the spread. */
static void begin(struct ring *ring)
{
    struct floats *floats = (struct floats *)ring;
    const struct request *request = ring->request;
    float least;

    ring_set_taps(request->weights_x, request->halo_x, floats->taps_x);
    ring_set_taps(request->weights_y, request->halo_y, floats->taps_y);
    floats->bound_of_sums = smooth_floats_bound(request, false);
    floats->bound_of_means = smooth_floats_bound(request, true);
    floats->sum_x = smooth_weights_sum(request->weights_x, request->halo_x);
    floats->sum_y = smooth_weights_sum(request->weights_y, request->halo_y);
    least = (float)(0x1p-125 * (1 + 0x1p-20) /
                    (least_of(floats->taps_x, request->halo_x) *
                     least_of(floats->taps_y, request->halo_y)));
    memcpy(&floats->least, &least, sizeof least);
    for (floats->spread = 1; floats->spread <= floats->bound_of_sums * 0x1p53;)
        floats->spread *= 2;
    floats->was_plain = false;
    floats->quick = !request->skip_nan || (floats->sum_x == 1 && floats->sum_y == 1);
    floats->fused = floats->quick && request->halo_x == request->halo_y && request->halo_x > 0 &&
                    request->halo_x <= floats->loops->fused_halo;
}

/* ring_arithmetic.enter */
static void enter(struct ring *ring)
{
    struct floats *floats = (struct floats *)ring;

    if (ring->request->skip_nan)
        ring_follow(&floats->there, ring);
}

static const struct ring_arithmetic arithmetic = {
    .sum_bytes = sizeof(double),
    .block = DOUBLES_BLOCK,
    .ring_bytes = 512 * 1024, /* half of an L2 cache */
    .min_room = 64,
    .max_room = FLOAT_ROOM,
    .note_bytes = sizeof(struct float_note),
    .reads_lines = true,
    .lay_out = lay_out,
    .begin = begin,
    .enter = enter,
    .take_row = take_row,
    .give_rows = give_rows,
};

/* Without any weight, nothing counts. */
static void fill(const struct view *dst, uint32_t bits)
{
    for (int64_t y = 0; y < dst->height; y++) {
        uint32_t *row = (uint32_t *)(void *)((char *)dst->origin + y * dst->stride_bytes);

        for (int64_t i = 0; i < dst->width * dst->channels; i++)
            row[i] = bits;
    }
}

size_t smooth_floats_scratch_bytes(const struct request *request)
{
    const struct request trimmed = cut_idle_taps(request);

    return ring_scratch_bytes(&arithmetic, &trimmed);
}

const char *smooth_floats_run(const struct piece *piece)
{
    const struct request trimmed = cut_idle_taps(piece->request);
    struct piece cut = *piece;

    cut.request = &trimmed;
    if (trimmed.weights_x[trimmed.halo_x] == 0 || trimmed.weights_y[trimmed.halo_y] == 0)
        fill(&piece->dst, piece->request->skip_nan ? FLOAT_QUIET_NAN : 0);
    else
        ring_run(&arithmetic, &cut);
    return NULL;
}
