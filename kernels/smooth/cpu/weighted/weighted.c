/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/cpu/weighted/weighted.h"

#include "kernels/common/isa.h"
#include "kernels/common/parallel.h"
#include "kernels/common/sample.h"
#include "kernels/smooth/cpu/ring.h"
#include "kernels/smooth/cpu/weighted/bound.h"
#include "kernels/smooth/cpu/weighted/exact.h"
#include "kernels/smooth/cpu/weighted/loops.h"

/* One thread's state. */
struct means {
    struct ring ring;
    const struct weighted_loops *loops;
    double bound;

    char *taps_x;        /* halo_x + 1 reals (weighted/loops.h) */
    char *taps_y;        /* halo_y + 1 */
    char *line;          /* room + 2 reach reals: a source row, colours times alpha */
    void *sums[2];       /* room reals: two rows of the result */
    int32_t *rounded;    /* room */
    int32_t *unresolved; /* room: which samples need repair */
    uint128 *columns;    /* room + 2 reach: for smooth_weighted_span */
};

/* ring_arithmetic.take_row */
static void take_row(struct ring *ring, int64_t y, void *sums)
{
    const struct means *means = (struct means *)ring;
    const struct view *src = &ring->job->src;
    const struct weighted_loops *loops = means->loops;
    const int64_t length = ring->n + 2 * ring->reach;
    const int64_t padded = ring->padded + 2 * ring->reach;

    for (int64_t i = length * loops->bytes; i < padded * loops->bytes; i++)
        means->line[i] = 0;
    loops->take(ring_source(ring, y), src->sample_bytes, src->channels, means->line, length);
    loops->filter_line(means->line + ring->reach * loops->bytes, means->taps_x, ring->job->halo_x,
                       ring->step, sums, ring->padded);
}

/* Computes unresolved samples exactly: one by one, or the whole segment if that is less work. One
 * sample takes as many steps as its window has pixels, the segment as many for each of its samples
 * as a row and a column of the window have. */
static void repair(const struct means *means, int64_t y, int64_t count)
{
    const struct ring *ring = &means->ring;
    const struct job *job = ring->job;
    const int64_t columns = 2 * job->halo_x + 1, rows = 2 * job->halo_y + 1;

    if (count * columns * rows > ring->n * (columns + rows)) {
        smooth_weighted_span(job, y, ring->first, ring->n, means->columns, means->rounded);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        means->rounded[means->unresolved[i]] =
            (int32_t)smooth_weighted_sample(job, y, ring->first + means->unresolved[i]);
}

/* Writes the segment of row y from its sums. */
static void give_row(const struct means *means, int64_t y, const void *sums)
{
    const struct ring *ring = &means->ring;
    const struct view *src = &ring->job->src;
    const struct weighted_loops *loops = means->loops;
    const int64_t unresolved = loops->divide(sums, src->channels, means->bound, means->rounded,
                                             ring->n, means->unresolved);

    if (unresolved > 0)
        repair(means, y, unresolved);
    loops->narrow(means->rounded,
                  (const char *)ring_source(ring, y) + ring->reach * src->sample_bytes,
                  src->sample_bytes, (int32_t)ring->job->maxval, ring_target(ring, y), ring->n);
}

static void give_rows(struct ring *ring, int64_t y, bool two)
{
    const struct means *means = (struct means *)ring;
    const int64_t halo = ring->job->halo_y;
    void *const *rows = ring_rows(ring, y, two, y + halo + 1 + two);

    means->loops->filter_rows(rows, means->taps_y, halo, means->sums, ring->padded);
    give_row(means, y, means->sums[0]);
    if (two)
        give_row(means, y + 1, means->sums[1]);
}

#define ARITHMETIC(REAL)                                                                           \
    {                                                                                              \
        .sum_bytes = sizeof(REAL), .block = WEIGHTED_BLOCK,                                        \
        .ring_bytes = 128 * 1024, /* half of a small L2 cache */                                   \
            .max_room = 1024, .whole_pixels = true, .take_row = take_row, .give_rows = give_rows   \
    }
static const struct ring_arithmetic in_floats = ARITHMETIC(float), in_doubles = ARITHMETIC(double);

static void lay_out(struct means *means, const struct job *job, uintptr_t *memory)
{
    const bool floats = smooth_weighted_in_floats(job);
    const struct weighted_precisions *precisions = isa_of(job)->weighted;
    const struct ring_arithmetic *arithmetic = floats ? &in_floats : &in_doubles;
    const int64_t room = ring_best_room(arithmetic, job), bytes = arithmetic->sum_bytes;

    means->loops = floats ? precisions->floats : precisions->doubles;
    means->ring = ring_make(arithmetic, job, room, memory);

    const int64_t line = room + 2 * means->ring.reach;

    means->taps_x = ring_carve(memory, (job->halo_x + 1) * bytes);
    means->taps_y = ring_carve(memory, (job->halo_y + 1) * bytes);
    means->line = ring_carve(memory, line * bytes);
    for (int row = 0; row < 2; row++)
        means->sums[row] = ring_carve(memory, room * bytes);
    means->rounded = ring_carve(memory, room * (int64_t)sizeof(int32_t));
    means->unresolved = ring_carve(memory, room * (int64_t)sizeof(int32_t));
    means->columns = ring_carve(memory, line * (int64_t)sizeof(uint128));
}

static size_t thread_bytes(const struct job *job)
{
    struct means unused;
    uintptr_t bytes = 0;

    lay_out(&unused, job, &bytes);
    return bytes;
}

static void smooth_band(const void *context, int band, int64_t first, int64_t last)
{
    const struct job *job = context;
    uintptr_t memory = (uintptr_t)job->scratch + (size_t)band * thread_bytes(job);
    struct means means = {.bound = smooth_weighted_bound(job)};

    lay_out(&means, job, &memory);
    means.loops->set_taps(job->weights_x + job->halo_x, job->halo_x, means.taps_x);
    means.loops->set_taps(job->weights_y + job->halo_y, job->halo_y, means.taps_y);
    ring_smooth(&means.ring, first, last);
}

size_t smooth_weighted_scratch_bytes(const struct job *job)
{
    return thread_bytes(job) * (size_t)job->threads;
}

const char *smooth_weighted_run(const struct job *job)
{
    parallel_rows(job->threads, job->src.height, smooth_band, job);
    return NULL;
}
