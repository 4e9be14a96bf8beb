/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/cpu/floats/floats.h"

#include "kernels/common/isa.h"
#include "kernels/common/numbers.h"
#include "kernels/common/parallel.h"
#include "kernels/smooth/cpu/doubles.h"
#include "kernels/smooth/cpu/floats/exact.h"
#include "kernels/smooth/cpu/floats/loops.h"
#include "kernels/smooth/cpu/floats/reach.h"
#include "kernels/smooth/cpu/ring.h"
#include "kernels/smooth/floats.h"

#include <fenv.h>
#include <string.h>

/* One thread's state. */
struct floats {
    struct ring ring;
    struct ring there; /* job->skip_nan: of 1 for each sample that is there, 0 for a NaN */
    const struct smooth_float_loops *loops;
    double sum_x, sum_y;                  /* of the weights, in units of 1 */
    double bound_of_sums, bound_of_means; /* smooth_floats_bound */
    double *taps_x, *taps_y;
    struct float_line line;    /* room + 2 reach: a source row */
    float *low[2];             /* room: for the lower ends of a segment that is no whole blocks */
    struct float_ends ends[2]; /* of two rows; the lower ones may be the rows of the result */
    double *sums[2], *weights[2]; /* of means: N and A of two rows */
    struct float_column *columns; /* for smooth_float_repair */
};

static struct floats *floats_of_there(struct ring *there)
{
    return (struct floats *)((char *)there - offsetof(struct floats, there));
}

static double value_of(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
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

/* ring_arithmetic.take_row */
static void take_row(struct ring *ring, int64_t y, void *sums)
{
    const struct floats *floats = (struct floats *)ring;

    float_line_take(&floats->line, floats->loops, ring_source(ring, y), ring->n + 2 * ring->reach,
                    ring->job->skip_nan);
    float_reach_note(ring, floats->line.blocks, ring_note(ring, sums));
    filter_line(floats, ring, sums);
}

static void take_there(struct ring *ring, int64_t y, void *sums)
{
    const struct floats *floats = floats_of_there(ring);
    const uint32_t *src = ring_source(ring, y);

    for (int64_t i = 0; i < ring->n + 2 * ring->reach; i++)
        floats->line.values[i] = float_kind(src[i]) != FLOAT_NAN;
    filter_line(floats, ring, sums);
}

/* Of sums, or of means: see floats.h. A mean is no greater than the greatest sample. */
static struct float_bound bound_of(const struct floats *floats, const struct float_reach *reach,
                                   bool means)
{
    const double relative = means ? floats->bound_of_means : floats->bound_of_sums;
    const double whole = means ? 1 : floats->sum_x * floats->sum_y;

    if (!reach->negative && reach->kinds == FLOAT_FINITE)
        return (struct float_bound){1 - relative, 1 + relative, 0};
    return (struct float_bound){1, 1, relative * whole * value_of(reach->peak)};
}

/* Every NaN becomes the one that the definition has; their ends are no longer open. */
static void settle_nans(const struct float_ends *ends, int64_t n)
{
    const uint32_t quiet = FLOAT_QUIET_NAN;

    for (int64_t i = 0; i < n; i++) {
        uint32_t bits;

        memcpy(&bits, ends->low + i, sizeof bits);
        if (float_kind(bits) != FLOAT_NAN)
            continue;
        memcpy(ends->low + i, &quiet, sizeof quiet);
        memcpy(ends->high + i, &quiet, sizeof quiet);
    }
}

/* Writes the segment of row y: the lower ends, repaired where they are open. */
static void give_row(const struct floats *floats, int64_t y, const struct float_ends *ends,
                     bool special, bool open)
{
    const struct ring *ring = &floats->ring;
    uint32_t *target = ring_target(ring, y);
    const struct float_repair repair = {.job = ring->job,
                                        .y = y,
                                        .first = ring->first,
                                        .low = ends->low,
                                        .high = ends->high,
                                        .n = ring->n,
                                        .columns = floats->columns};

    if (special)
        settle_nans(ends, ring->n);
    if ((void *)ends->low != (void *)target)
        memcpy(target, ends->low, (size_t)ring->n * sizeof *target);
    if (open)
        smooth_float_repair(&repair, target);
}

static int round_sums(struct floats *floats, int64_t y, double *const *rows,
                      const struct float_bound *bounds)
{
    const struct fetches ahead = ring_fetches(&floats->ring, y);

    return floats->loops->filter_rows(rows, floats->taps_y, floats->ring.job->halo_y, bounds,
                                      floats->ends, floats->ring.padded, &ahead);
}

static int round_means(struct floats *floats, int64_t y, bool two, double *const *rows,
                       const struct float_bound *bounds)
{
    const int64_t halo = floats->ring.job->halo_y, n = floats->ring.padded;
    double *const *there;
    int open = 0;

    if (floats->there.n == 0 || floats->there.first != floats->ring.first)
        ring_follow(&floats->there, &floats->ring);
    there = (double *const *)ring_rows(&floats->there, y, two, y + halo + 1 + two);
    floats->loops->sum_rows(rows, floats->taps_y, halo, floats->sums, n);
    floats->loops->sum_rows(there, floats->taps_y, halo, floats->weights, n);
    for (int row = 0; row < 2; row++)
        open |= floats->loops->round_means(floats->sums[row], floats->weights[row], bounds,
                                           &floats->ends[row], n)
                << row;
    return open;
}

/* Where every sample is there, and the weights of both axes sum to one, a mean is the sum itself.
 */
static bool needs_means(const struct floats *floats, const struct float_reach *reach)
{
    return floats->ring.job->skip_nan &&
           (reach->kinds & FLOAT_NAN || floats->sum_x != 1 || floats->sum_y != 1);
}

/* Lower ends go where they belong if as many are computed as there are samples. */
static void place_ends(struct floats *floats, int64_t y, bool two)
{
    const bool whole = floats->ring.n == floats->ring.padded;

    for (int row = 0; row < 2; row++)
        floats->ends[row].low =
            whole && row <= two ? ring_target(&floats->ring, y + row) : floats->low[row];
}

static void give_rows(struct ring *ring, int64_t y, bool two)
{
    struct floats *floats = (struct floats *)ring;
    double *const *rows = (double *const *)ring_rows(ring, y, two, y + ring->job->halo_y + 1 + two);
    struct float_reach reaches[FLOAT_BLOCKS];
    struct float_bound bounds[FLOAT_BLOCKS];
    const struct float_reach all = float_reach_of(ring, (void *const *)rows, reaches);
    const bool means = needs_means(floats, &all);
    const bool special = means || all.kinds != FLOAT_FINITE;
    int open;

    for (int64_t block = 0; block < ring->padded / DOUBLES_BLOCK; block++)
        bounds[block] = bound_of(floats, &reaches[block], means);
    place_ends(floats, y, two);
    open = means ? round_means(floats, y, two, rows, bounds) : round_sums(floats, y, rows, bounds);
    give_row(floats, y, &floats->ends[0], special, open & 1);
    if (two)
        give_row(floats, y + 1, &floats->ends[1], special, open & 2);
}

_Static_assert(FLOAT_BLOCKS * sizeof(struct float_reach) % 64 == 0, "a note fills cache lines");

static const struct ring_arithmetic arithmetic = {
    .sum_bytes = sizeof(double),
    .block = DOUBLES_BLOCK,
    .ring_bytes = 128 * 1024, /* half of a small L2 cache */
    .min_room = 64,
    .max_room = FLOAT_ROOM,
    .note_bytes = FLOAT_BLOCKS * sizeof(struct float_reach),
    .take_row = take_row,
    .give_rows = give_rows,
};
static const struct ring_arithmetic there_arithmetic = {
    .sum_bytes = sizeof(double),
    .block = DOUBLES_BLOCK,
    .take_row = take_there,
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

static void set_taps(const struct floats *floats, const struct job *job)
{
    for (int64_t k = 0; k <= job->halo_x; k++)
        floats->taps_x[k] = (double)job->weights_x[job->halo_x + k] * 0x1p-46;
    for (int64_t k = 0; k <= job->halo_y; k++)
        floats->taps_y[k] = (double)job->weights_y[job->halo_y + k] * 0x1p-46;
}

/* Rounds to nearest, and flushes no subnormal numbers, whatever this thread does elsewhere. */
static void smooth_band(const void *context, int band, int64_t first, int64_t last)
{
    const struct job *job = context;
    uintptr_t memory = (uintptr_t)job->scratch + (size_t)band * thread_bytes(job);
    struct floats floats;
    fenv_t before;

    fegetenv(&before);
    fesetenv(FE_DFL_ENV);
    lay_out(&floats, job, &memory);
    set_taps(&floats, job);
    ring_smooth(&floats.ring, first, last);
    fesetenv(&before);
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
