/* SPDX-License-Identifier: MIT */
/* A ring of the last 2 halo + 2 filtered rows, two rows of the output at a time, and a tile of
 * columns from top to bottom before the next, so that the ring stays in the cache. */
#include "smooth_u8.h"

#include "levels.h"
#include "parallel.h"
#include "smooth_doubles.h"
#include "smooth_u8_loops.h"
#include "smooth_u8_repair.h"
#include "smooth_u8_weights.h"

#include <string.h>

#define RING_BYTES (32 * 1024) /* aim for the ring */
#define TILE_MAX 1536          /* samples */
#define TILE_MIN 256
#define PITCH                                                                                      \
    16 /* floats between the rows of the ring: else all would use the same few sets of L1 */
#define MANY 32        /* one in so many samples of a row in doubt: it is done in doubles */
#define DENSE_ROWS 126 /* that go straight to the doubles after such a row */

/* What all threads share. */
struct plan {
    const struct job *job;
    const struct smooth_u8_loops *loops;
    struct smooth_u8_weights weights;
    int64_t step, reach; /* in samples */
    int64_t tile;
    bool fused;          /* filter_fused will do */
    size_t thread_bytes; /* of scratch */
};

/* One thread's memory, and where it is. */
struct worker {
    const struct plan *plan;
    int16_t *line;     /* tile + 2 (reach + step): a source row */
    float *ring;       /* 2 halo + 2 rows of tile */
    float **rows;      /* 2 halo + 2 pointers into the ring, top to bottom */
    uint8_t *bytes[2]; /* tile: rows of the output that are no multiple of the block */
    struct doubts doubts[2];
    struct smooth_doubles doubles;

    int64_t first, n; /* the samples of a row that are on their way */
    int64_t padded;   /* n, rounded up to U8_BLOCK: as much is computed */
    int64_t next;     /* the source row that goes into the ring next */
    int64_t dense;    /* rows above this one go straight to the doubles */
};

static int64_t tile_of(int64_t halo)
{
    const int64_t fitting =
        RING_BYTES / (int64_t)sizeof(float) / (2 * halo + 2) / U8_BLOCK * U8_BLOCK;

    return fitting < TILE_MIN ? TILE_MIN : fitting > TILE_MAX ? TILE_MAX : fitting;
}

static size_t rounded_up(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* Lays the worker's memory out from `base`, and returns its size: with a base of 0, only that. */
static size_t lay_out(struct worker *worker, uintptr_t base, const struct job *job, int64_t tile)
{
    const size_t ring_rows = (size_t)(2 * job->halo + 2), samples = (size_t)tile;
    uintptr_t next = base;

    worker->line = (int16_t *)next;
    next +=
        rounded_up((samples + 2 * (size_t)((job->halo + 1) * job->src.channels)) * sizeof(int16_t));
    worker->ring = (float *)next;
    next += rounded_up(ring_rows * (samples + PITCH) * sizeof(float));
    worker->rows = (float **)next;
    next += rounded_up(ring_rows * sizeof(float *));
    for (int row = 0; row < 2; row++) {
        worker->bytes[row] = (uint8_t *)next;
        next += rounded_up(samples);
        worker->doubts[row].places = (int32_t *)next;
        next += rounded_up(samples * sizeof(int32_t));
    }
    if (base)
        smooth_doubles_open(&worker->doubles, job, tile, (void *)next);
    return next - base + smooth_doubles_bytes(job, tile);
}

static float *ring_row(const struct worker *worker, int64_t y)
{
    const int64_t halo = worker->plan->job->halo;

    return worker->ring + (y + halo) % (2 * halo + 2) * (worker->plan->tile + PITCH);
}

/* Row y of the source, from the first sample that the segment's sums need. */
static const uint8_t *source(const struct worker *worker, int64_t y)
{
    const struct view *src = &worker->plan->job->src;

    return (const uint8_t *)src->origin + y * src->stride_bytes + worker->first -
           worker->plan->reach;
}

/* Filters source row y, of the border too, into its place in the ring. */
static void take_row(const struct worker *worker, int64_t y)
{
    const struct plan *plan = worker->plan;
    const int64_t length = worker->n + 2 * plan->reach;
    int16_t *line = worker->line + plan->step;

    plan->loops->widen(source(worker, y), line, length);
    memset(line + length, 0, (size_t)(worker->padded - worker->n + plan->step) * sizeof *line);
    plan->loops->filter_line(line + plan->reach, &plan->weights, plan->step, ring_row(worker, y),
                             worker->padded);
}

static void take_rows(struct worker *worker, int64_t first, int64_t last)
{
    if (worker->next < first)
        worker->next = first;
    for (; worker->next < last; worker->next++)
        take_row(worker, worker->next);
}

/* Estimates row y and, if there are two, y + 1, and lists who is in doubt. */
static void estimate_rows(struct worker *worker, int64_t y, bool two)
{
    const bool fused = two && worker->plan->fused && worker->n == worker->padded;

    const struct plan *plan = worker->plan;
    const struct view *dst = &plan->job->dst;
    const int64_t halo = plan->job->halo;
    const bool whole = worker->n == worker->padded;
    uint8_t *target = (uint8_t *)dst->origin + y * dst->stride_bytes + worker->first;
    uint8_t *const rows[2] = {whole ? target : worker->bytes[0],
                              whole && two ? target + dst->stride_bytes : worker->bytes[1]};

    take_rows(worker, y - halo, fused ? y + halo : y + halo + 1 + two);
    for (int64_t i = 0; i < 2 * halo + 2; i++)
        worker->rows[i] = ring_row(worker, y - halo + i);
    if (!two) /* the row below may not exist: any other will do for a second row nobody reads */
        worker->rows[2 * halo + 1] = worker->rows[2 * halo];
    worker->doubts[0].count = worker->doubts[1].count = 0;
    const struct fetches ahead = {{source(worker, y + halo + 2), source(worker, y + halo + 3)},
                                  {target + 2 * dst->stride_bytes, target + 3 * dst->stride_bytes}};

    if (fused) {
        const uint8_t *const src[2] = {source(worker, y + halo), source(worker, y + halo + 1)};

        plan->loops->filter_fused(src, worker->rows, &plan->weights, rows, worker->doubts,
                                  worker->n, &ahead);
        worker->next = y + halo + 2;
    } else {
        plan->loops->filter_rows(worker->rows, &plan->weights, rows, worker->doubts, worker->n,
                                 &ahead);
    }
    if (!two)
        worker->doubts[1].count = 0;
    for (int row = 0; row <= two && !whole; row++)
        memcpy(target + row * dst->stride_bytes, rows[row], (size_t)worker->n);
}

static void repair_row(const struct worker *worker, int64_t y, const struct doubts *doubts)
{
    const struct plan *plan = worker->plan;
    const struct job *job = plan->job;
    uint8_t *row = (uint8_t *)job->dst.origin + y * job->dst.stride_bytes + worker->first;

    for (int64_t i = 0; i < doubts->count; i++)
        row[doubts->places[i]] = smooth_u8_repaired(job, plan->loops, &plan->weights, y,
                                                    worker->first + doubts->places[i]);
    /* Only weights that sum to more than 1 can exceed maxval; above 255 the loops cut already. */
    for (int64_t i = 0; job->maxval < 255 && i < worker->n; i++)
        row[i] = row[i] < job->maxval ? row[i] : (uint8_t)job->maxval;
}

/* Two rows, or the last one alone. */
static void give_rows(struct worker *worker, int64_t y, int64_t last)
{
    const bool two = y + 1 < last;

    if (y >= worker->dense) {
        estimate_rows(worker, y, two);
        if (worker->doubts[0].count + worker->doubts[1].count <= worker->n / MANY) {
            repair_row(worker, y, &worker->doubts[0]);
            if (two)
                repair_row(worker, y + 1, &worker->doubts[1]);
            return;
        }
        worker->dense = y + 2 + DENSE_ROWS;
    }
    smooth_doubles_rows(&worker->doubles, y, last);
}

static void smooth_band(const void *context, int band, int64_t first, int64_t last)
{
    const struct plan *plan = context;
    const struct job *job = plan->job;
    const int64_t row_samples = job->src.width * plan->step;
    struct worker worker = {.plan = plan};

    lay_out(&worker, (uintptr_t)job->scratch + (size_t)band * plan->thread_bytes, job, plan->tile);
    memset(worker.line, 0, (size_t)plan->step * sizeof *worker.line);
    for (worker.first = 0; worker.first < row_samples; worker.first += worker.n) {
        const int64_t rest = row_samples - worker.first;

        worker.n = rest < plan->tile ? rest : plan->tile;
        if (plan->fused && worker.n > U8_BLOCK)
            worker.n -= worker.n % U8_BLOCK;
        worker.padded = (worker.n + U8_BLOCK - 1) / U8_BLOCK * U8_BLOCK;
        worker.next = first - job->halo;
        worker.dense = first;
        smooth_doubles_segment(&worker.doubles, worker.first, worker.n);
        for (int64_t y = first; y < last; y += 2)
            give_rows(&worker, y, last);
    }
}

static struct plan plan_of(const struct job *job)
{
    struct worker unused;
    struct plan plan = {
        .job = job,
        .loops = level_in_use()->smooth_u8,
        .step = job->src.channels,
        .reach = job->halo * job->src.channels,
        .tile = tile_of(job->halo),
    };

    plan.thread_bytes = lay_out(&unused, 0, job, plan.tile);
    return plan;
}

size_t smooth_u8_scratch_bytes(const struct job *job)
{
    return plan_of(job).thread_bytes * (size_t)job->threads;
}

const char *smooth_u8_run(const struct job *job)
{
    struct plan plan = plan_of(job);

    smooth_u8_prepare(job, &plan.weights);
    plan.fused =
        plan.step == 1 && plan.weights.digits == 1 && job->halo >= 1 && job->halo <= U8_FUSED_HALO;
    parallel_rows(job->threads, job->src.height, smooth_band, &plan);
    return NULL;
}
