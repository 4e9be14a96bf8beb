/* SPDX-License-Identifier: MIT */
#include "smooth_weighted.h"

#include "exact.h"
#include "levels.h"
#include "parallel.h"
#include "sample.h"
#include "smooth_weighted_bound.h"
#include "smooth_weighted_exact.h"
#include "smooth_weighted_loops.h"

#define PITCH_BYTES 64          /* between the rows of the ring, see smooth_doubles.c */
#define RING_BYTES (128 * 1024) /* aim for the ring: half of a small L2 cache */
#define TILE_MAX 1024           /* samples */

/* One thread's work. Lengths are in samples. */
struct worker {
    const struct job *job;
    const struct weighted_loops *loops;
    int64_t reach; /* halo * channels */
    int64_t tile;  /* greatest length of a segment, rounded up to WEIGHTED_BLOCK */
    double bound;

    int64_t first, n; /* the segment of the rows that is being worked on: whole pixels */
    int64_t padded;   /* n, rounded up to WEIGHTED_BLOCK: as much is computed */
    int64_t next;     /* the source row that goes into the ring next */

    char *taps, *line, *ring;
    void **rows;               /* 2 halo + 2 pointers into the ring, top to bottom */
    void *sums[2];             /* tile */
    int32_t *rounded, *doubts; /* tile */
    uint128 *columns;          /* tile + 2 reach: for smooth_weighted_span */
};

static const struct weighted_loops *loops_for(const struct job *job)
{
    const struct weighted_levels *level = level_in_use()->weighted;

    return smooth_weighted_in_floats(job) ? level->floats : level->doubles;
}

static int64_t rounded_up(int64_t value, int64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static int64_t tile_of(const struct job *job)
{
    const int64_t row = 2 * job->halo + 2, pixel = rounded_up(job->src.channels, WEIGHTED_BLOCK);
    const int64_t fitting =
        RING_BYTES / loops_for(job)->bytes / row / WEIGHTED_BLOCK * WEIGHTED_BLOCK;

    return fitting < pixel ? pixel : fitting < TILE_MAX ? fitting : TILE_MAX;
}

static int64_t pitch_of(const struct worker *worker)
{
    return worker->tile * worker->loops->bytes + PITCH_BYTES;
}

/* Takes bytes from *next on. */
static void *carve(uintptr_t *next, int64_t bytes)
{
    void *memory = (void *)*next;

    *next += (uintptr_t)rounded_up(bytes, 64);
    return memory;
}

/* Lays the memory out from `base`, and returns its size: with a base of 0, only that. */
static size_t lay_out(struct worker *worker, const struct job *job, uintptr_t base)
{
    const int64_t ring_rows = 2 * job->halo + 2;
    uintptr_t next = base;

    *worker = (struct worker){.job = job, .loops = loops_for(job), .tile = tile_of(job)};
    worker->reach = job->halo * job->src.channels;

    const int64_t bytes = worker->loops->bytes, line = worker->tile + 2 * worker->reach;

    worker->taps = carve(&next, (job->halo + 1) * bytes);
    worker->line = carve(&next, line * bytes);
    worker->ring = carve(&next, ring_rows * pitch_of(worker));
    worker->rows = carve(&next, ring_rows * (int64_t)sizeof(void *));
    for (int row = 0; row < 2; row++)
        worker->sums[row] = carve(&next, worker->tile * bytes);
    worker->rounded = carve(&next, worker->tile * (int64_t)sizeof(int32_t));
    worker->doubts = carve(&next, worker->tile * (int64_t)sizeof(int32_t));
    worker->columns = carve(&next, line * (int64_t)sizeof(uint128));
    return next - base;
}

static void *ring_row(const struct worker *worker, int64_t y)
{
    const int64_t ring_rows = 2 * worker->job->halo + 2;

    return worker->ring + (y + worker->job->halo) % ring_rows * pitch_of(worker);
}

/* The segment's first sample in row y. */
static void *segment(const struct worker *worker, const struct view *view, int64_t y)
{
    return (char *)sample_address(view, y, 0, 0) + worker->first * view->sample_bytes;
}

/* Filters source row y, of the border too, into its place in the ring. */
static void take_row(const struct worker *worker, int64_t y)
{
    const struct view *src = &worker->job->src;
    const struct weighted_loops *loops = worker->loops;
    const int64_t length = worker->n + 2 * worker->reach;
    const int64_t padded = worker->padded + 2 * worker->reach;

    for (int64_t i = length * loops->bytes; i < padded * loops->bytes; i++)
        worker->line[i] = 0;
    loops->take((const char *)segment(worker, src, y) - worker->reach * src->sample_bytes,
                src->sample_bytes, src->channels, worker->line, length);
    loops->filter_line(worker->line + worker->reach * loops->bytes, worker->taps, worker->job->halo,
                       src->channels, ring_row(worker, y), worker->padded);
}

/* Sample by sample, or all of the segment if that is less work: in the one case (2 halo + 1)^2
 * steps for each that is in doubt, in the other 2 (2 halo + 1) for every sample. */
static void repair(const struct worker *worker, int64_t y, int64_t count)
{
    const struct job *job = worker->job;

    if (count * (2 * job->halo + 1) > 2 * worker->n) {
        smooth_weighted_span(job, y, worker->first, worker->n, worker->columns, worker->rounded);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        worker->rounded[worker->doubts[i]] =
            (int32_t)smooth_weighted_sample(job, y, worker->first + worker->doubts[i]);
}

/* Writes the segment of row y from its sums. */
static void give_row(const struct worker *worker, int64_t y, const void *sums)
{
    const struct job *job = worker->job;
    const struct weighted_loops *loops = worker->loops;
    const int64_t doubts = loops->divide(sums, job->src.channels, worker->bound, worker->rounded,
                                         worker->n, worker->doubts);

    if (doubts > 0)
        repair(worker, y, doubts);
    loops->narrow(worker->rounded, segment(worker, &job->src, y), job->src.sample_bytes,
                  (int32_t)job->maxval, segment(worker, &job->dst, y), worker->n);
}

/* Row y and, if it is above `last`, row y + 1. */
static void do_rows(struct worker *worker, int64_t y, int64_t last)
{
    const int64_t halo = worker->job->halo, end = y + halo + 1 + (y + 1 < last);

    for (; worker->next < end; worker->next++)
        take_row(worker, worker->next);
    for (int64_t i = 0; i < 2 * halo + 2; i++)
        worker->rows[i] = ring_row(worker, y - halo + i);
    if (y + 1 == last) /* the row below may not exist: any other will do for what nobody reads */
        worker->rows[2 * halo + 1] = worker->rows[2 * halo];
    worker->loops->filter_rows(worker->rows, worker->taps, halo, worker->sums, worker->padded);
    give_row(worker, y, worker->sums[0]);
    if (y + 1 < last)
        give_row(worker, y + 1, worker->sums[1]);
}

static void do_band(const void *context, int band, int64_t first, int64_t last)
{
    const struct job *job = context;
    const int64_t row_samples = job->src.width * job->src.channels;
    struct worker worker;
    const size_t bytes = lay_out(&worker, job, 0);
    const int64_t most = worker.tile / job->src.channels * job->src.channels;

    lay_out(&worker, job, (uintptr_t)job->scratch + (size_t)band * bytes);
    worker.bound = smooth_weighted_bound(job);
    worker.loops->set_taps(job->weights + job->halo, job->halo, worker.taps);
    for (worker.first = 0; worker.first < row_samples; worker.first += most) {
        worker.n = row_samples - worker.first < most ? row_samples - worker.first : most;
        worker.padded = rounded_up(worker.n, WEIGHTED_BLOCK);
        worker.next = first - job->halo;
        for (int64_t y = first; y < last; y += 2)
            do_rows(&worker, y, last);
    }
}

size_t smooth_weighted_scratch_bytes(const struct job *job)
{
    struct worker unused;

    return lay_out(&unused, job, 0) * (size_t)job->threads;
}

const char *smooth_weighted_run(const struct job *job)
{
    parallel_rows(job->threads, job->src.height, do_band, job);
    return NULL;
}
