/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/cpu/floats/floats.h"

#include "kernels/common/isa.h"
#include "kernels/common/parallel.h"
#include "kernels/smooth/cpu/doubles/doubles.h"
#include "kernels/smooth/cpu/floats/state.h"
#include "kernels/smooth/floats/floats.h"

#include <string.h>

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

/* Whether rows y.. of the source are plain too, which filter_fused puts at the end of `rows`. */
static bool last_plain(const struct floats *floats, int64_t y, double *const *rows)
{
    const struct ring *ring = &floats->ring;
    double *const *last = rows + 2 * ring->job->halo_y;

    return all_plain(ring, rows, 2 * ring->job->halo_y) &&
           smooth_floats_look(floats, y, ring_note(ring, last[0])) &&
           smooth_floats_look(floats, y + 1, ring_note(ring, last[1]));
}

static struct float_plain plain_of(const struct floats *floats, int64_t y, bool two,
                                   double *const *rows)
{
    const struct ring *ring = &floats->ring;
    const int64_t halo = ring->job->halo_y;
    const uint32_t *src[2] = {ring_source(ring, y + halo), ring_source(ring, y + halo + 1)};

    return (struct float_plain){
        .rows = rows,
        .taps_y = floats->taps_y,
        .halo_y = halo,
        .n = ring->n,
        .spread = floats->spread,
        .out = {ring_target(ring, y), two ? ring_target(ring, y + 1) : floats->low[1]},
        .src = {(const float *)(const void *)src[0] + ring->reach,
                (const float *)(const void *)src[1] + ring->reach},
        .taps_x = floats->taps_x,
        .step = ring->step};
}

/* Returns whether all samples are right. The last two source rows are in the ring then or not. */
static bool give_fused(struct floats *floats, int64_t y, double *const *rows)
{
    struct ring *ring = &floats->ring;
    const int64_t halo = ring->job->halo_y;
    const struct fetches ahead = ring_fetches(ring, y);
    const struct float_plain plain = plain_of(floats, y, true, rows);
    const bool open = floats->loops->filter_fused(&plain, &ahead);

    for (int row = 0; row < 2; row++)
        memset(rows[2 * halo + row] + ring->n, 0, (size_t)(ring->padded - ring->n) * sizeof **rows);
    ring->next = y + halo + 2;
    return !open;
}

static bool give_plain(struct floats *floats, int64_t y, bool two, double *const *rows)
{
    const struct ring *ring = &floats->ring;
    const struct fetches ahead = ring_fetches(ring, y);
    const struct float_plain plain = plain_of(floats, y, two, rows);

    return ring->n >= DOUBLES_BLOCK && all_plain(ring, rows, 2 * ring->job->halo_y + 1 + two) &&
           !floats->loops->filter_plain(&plain, &ahead);
}

/* Returns whether plain sums have given the rows. */
static bool give_quickly(struct floats *floats, int64_t y, bool two)
{
    struct ring *ring = &floats->ring;
    const int64_t end = y + ring->job->halo_y + 1 + two;

    if (floats->fused && two && ring->n >= DOUBLES_BLOCK) {
        double *const *rows = (double *const *)ring_rows(ring, y, two, end - 2);

        if (last_plain(floats, end - 2, rows))
            return give_fused(floats, y, rows);
    }
    return give_plain(floats, y, two, (double *const *)ring_rows(ring, y, two, end));
}

/* ring_arithmetic.give_rows */
static void give_rows(struct ring *ring, int64_t y, bool two)
{
    struct floats *floats = (struct floats *)ring;
    const int64_t end = y + ring->job->halo_y + 1 + two;

    if (!give_quickly(floats, y, two))
        smooth_floats_give_ends(floats, y, two, (double *const *)ring_rows(ring, y, two, end));
}

_Static_assert(FLOAT_FUSED_HALO < FLAT, "filter_fused fills a ring of which no rows are the same");
_Static_assert(sizeof(struct float_note) % 64 == 0, "a note fills cache lines");

static const struct ring_arithmetic arithmetic = {
    .sum_bytes = sizeof(double),
    .block = DOUBLES_BLOCK,
    .ring_bytes = 256 * 1024, /* half of an L2 cache */
    .min_room = 64,
    .max_room = FLOAT_ROOM,
    .note_bytes = sizeof(struct float_note),
    .take_row = smooth_floats_take_row,
    .give_rows = give_rows,
};
static const struct ring_arithmetic there_arithmetic = {
    .sum_bytes = sizeof(double),
    .block = DOUBLES_BLOCK,
    .take_row = smooth_floats_take_there,
};

static void lay_out(struct floats *floats, const struct job *job, uintptr_t *memory)
{
    const int64_t room = ring_best_room(&arithmetic, job);

    *floats = (struct floats){.ring = ring_make(&arithmetic, job, room, memory),
                              .loops = isa_of(job)->smooth_floats,
                              .bound_of_sums = smooth_floats_bound(job, false),
                              .bound_of_means = smooth_floats_bound(job, true),
                              .sum_x = smooth_weights_sum(job->weights_x, job->halo_x),
                              .sum_y = smooth_weights_sum(job->weights_y, job->halo_y)};
    const int64_t line = room + 2 * floats->ring.reach, blocks = line / DOUBLES_BLOCK + 1;

    floats->taps_x = ring_carve(memory, (job->halo_x + 1) * (int64_t)sizeof(double));
    floats->taps_y = ring_carve(memory, (job->halo_y + 1) * (int64_t)sizeof(double));
    floats->line.values = ring_carve(memory, line * (int64_t)sizeof(double));
    floats->line.tops = ring_carve(memory, blocks * (int64_t)sizeof(uint32_t));
    floats->line.signs = ring_carve(memory, blocks * (int64_t)sizeof(uint32_t));
    floats->line.blocks = ring_carve(memory, blocks * (int64_t)sizeof(struct float_reach));
    floats->columns = ring_carve(memory, line * (int64_t)sizeof *floats->columns);
    for (int row = 0; row < 2; row++) {
        floats->low[row] = ring_carve(memory, room * (int64_t)sizeof(float));
        floats->ends[row].high = ring_carve(memory, room * (int64_t)sizeof(float));
    }
    if (!job->skip_nan)
        return;
    floats->there = ring_make(&there_arithmetic, job, room, memory);
    for (int row = 0; row < 2; row++) {
        floats->sums[row] = ring_carve(memory, room * (int64_t)sizeof(double));
        floats->weights[row] = ring_carve(memory, room * (int64_t)sizeof(double));
    }
}

static size_t thread_bytes(const struct job *job)
{
    struct floats unused;
    uintptr_t bytes = 0;

    lay_out(&unused, job, &bytes);
    return bytes;
}

/* Fills in the taps; returns the least of them. */
static double set_taps(const uint64_t *weights, int64_t halo, double *taps)
{
    double least = 4;

    for (int64_t k = 0; k <= halo; k++) {
        taps[k] = (double)weights[halo + k] * 0x1p-46;
        least = taps[k] < least ? taps[k] : least;
    }
    return least;
}

/* See floats.h: what is plain, and the spread. */
static void set_filter(struct floats *floats, const struct job *job)
{
    const double least_x = set_taps(job->weights_x, job->halo_x, floats->taps_x);
    const double least_y = set_taps(job->weights_y, job->halo_y, floats->taps_y);
    const float least = (float)(0x1p-125 * (1 + 0x1p-20) / (least_x * least_y));

    memcpy(&floats->least, &least, sizeof least);
    for (floats->spread = 1; floats->spread <= floats->bound_of_sums * 0x1p53;)
        floats->spread *= 2;
    floats->quick = !job->skip_nan || (floats->sum_x == 1 && floats->sum_y == 1);
    floats->fused = floats->quick && job->halo_x == job->halo_y && job->halo_x > 0 &&
                    job->halo_x <= floats->loops->fused_halo;
}

static void smooth_band(const void *context, int band, int64_t first, int64_t last)
{
    const struct job *job = context;
    uintptr_t memory = (uintptr_t)job->scratch + (size_t)band * thread_bytes(job);
    struct floats floats;

    lay_out(&floats, job, &memory);
    set_filter(&floats, job);
    ring_smooth(&floats.ring, first, last);
}

/* Without any weight, nothing counts. */
static void fill(const struct view *dst, uint32_t bits)
{
    for (int64_t y = 0; y < dst->height; y++) {
        uint32_t *row = (uint32_t *)(void *)((char *)dst->origin + y * dst->stride_bytes);

        for (int64_t i = 0; i < dst->width * dst->channels; i++)
            row[i] = bits;
    }
}

size_t smooth_floats_scratch_bytes(const struct job *job)
{
    const struct job trimmed = cut_idle_taps(job);

    return thread_bytes(&trimmed) * (size_t)job->threads;
}

const char *smooth_floats_run(const struct job *job)
{
    const struct job trimmed = cut_idle_taps(job);

    if (trimmed.weights_x[trimmed.halo_x] == 0 || trimmed.weights_y[trimmed.halo_y] == 0)
        fill(&job->dst, job->skip_nan ? FLOAT_QUIET_NAN : 0);
    else
        parallel_rows(job->threads, job->src.height, smooth_band, &trimmed);
    return NULL;
}
