/* SPDX-License-Identifier: MIT */
/* Source rows of floats, filtered into the ring. */
#include "kernels/common/numbers.h"
#include "kernels/smooth/cpu/floats/state.h"

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
    floats->loops->filter_line(floats->line.values + ring->reach, floats->taps_x, ring->job->halo_x,
                               ring->step, sums, ring->padded);
}

static bool is_plain(const struct floats *floats, struct float_extent extent)
{
    return extent.greatest < FLOAT_INFINITY && extent.least >= floats->least - 1;
}

/* Pictures of both signs show it within a few samples. */
bool smooth_floats_look(const struct floats *floats, int64_t y, struct float_note *note)
{
    const struct ring *ring = &floats->ring;
    const uint32_t *src = ring_source(ring, y);
    const int64_t length = ring->n + 2 * ring->reach;
    struct float_extent extent;

    note->plain =
        floats->quick && is_plain(floats, floats->loops->scan(src, min(length, DOUBLES_BLOCK)));
    if (!note->plain)
        return false;
    extent = floats->loops->scan(src, length);
    note->plain = is_plain(floats, extent);
    note->whole = (struct float_reach){.peak = extent.greatest};
    return note->plain;
}

void smooth_floats_take_row(struct ring *ring, int64_t y, void *sums)
{
    const struct floats *floats = (struct floats *)ring;
    const int64_t length = ring->n + 2 * ring->reach;
    struct float_note *note = ring_note(ring, sums);

    if (smooth_floats_look(floats, y, note)) {
        floats->loops->widen_plain(ring_source(ring, y), floats->line.values, length);
    } else {
        float_line_take(&floats->line, floats->loops, ring_source(ring, y), length,
                        ring->job->skip_nan);
        float_reach_note(ring, floats->line.blocks, note);
    }
    filter_line(floats, ring, sums);
}

void smooth_floats_take_there(struct ring *there, int64_t y, void *sums)
{
    const struct floats *floats = floats_of_there(there);
    const uint32_t *src = ring_source(there, y);

    for (int64_t i = 0; i < there->n + 2 * there->reach; i++)
        floats->line.values[i] = float_kind(src[i]) != FLOAT_NAN;
    filter_line(floats, there, sums);
}
