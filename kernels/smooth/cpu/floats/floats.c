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

/* ring_arithmetic.take_row */
static void take_row(struct ring *ring, int64_t y, void *sums)
{
    struct floats *floats = (struct floats *)ring;

    float_line_take(&floats->line, floats->loops, ring_source(ring, y), ring->n + 2 * ring->reach);
    float_reach_note(ring, floats->line.blocks, ring_note(ring, sums));
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

/* ring_arithmetic.give_rows */
static void give_rows(struct ring *ring, int64_t y, bool two)
{
    struct floats *floats = (struct floats *)ring;
    const int64_t end = y + ring->request->halo_y + 1 + two;

    smooth_floats_give_ends(floats, y, two, (double *const *)ring_rows(ring, y, two, end));
}

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
    ring_lay_out(&floats->there, &there_arithmetic, request, ring->piece, room, memory);
    for (int row = 0; row < 2; row++) {
        floats->sums[row] = carve(memory, room * (int64_t)sizeof(double));
        floats->weights[row] = carve(memory, room * (int64_t)sizeof(double));
    }
}

/* ring_arithmetic.begin */
static void begin(struct ring *ring)
{
    struct floats *floats = (struct floats *)ring;
    const struct request *request = ring->request;

    ring_set_taps(request->weights_x, request->halo_x, floats->taps_x);
    ring_set_taps(request->weights_y, request->halo_y, floats->taps_y);
    floats->bound_of_sums = smooth_floats_bound(request, false);
    floats->bound_of_means = smooth_floats_bound(request, true);
    floats->sum_x = smooth_weights_sum(request->weights_x, request->halo_x);
    floats->sum_y = smooth_weights_sum(request->weights_y, request->halo_y);
}

/* ring_arithmetic.enter */
static void enter(struct ring *ring)
{
    struct floats *floats = (struct floats *)ring;

    ring_follow(&floats->there, ring);
}

static const struct ring_arithmetic arithmetic = {
    .sum_bytes = sizeof(double),
    .block = DOUBLES_BLOCK,
    .ring_bytes = 512 * 1024, /* half of an L2 cache */
    .min_room = 64,
    .max_room = FLOAT_ROOM,
    .note_bytes = sizeof(struct float_note),
    .lay_out = lay_out,
    .begin = begin,
    .enter = enter,
    .take_row = take_row,
    .give_rows = give_rows,
};

/* Without any weight nothing counts, and a mean of nothing is a NaN. */
static void fill_nan(const struct view *dst)
{
    for (int64_t y = 0; y < dst->height; y++) {
        uint32_t *row = (uint32_t *)(void *)((char *)dst->origin + y * dst->stride_bytes);

        for (int64_t i = 0; i < dst->width * dst->channels; i++)
            row[i] = FLOAT_QUIET_NAN;
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
        fill_nan(&piece->dst);
    else
        ring_run(&arithmetic, &cut);
    return NULL;
}
