/* SPDX-License-Identifier: MIT */
/* Smooth, separable, in doubles that are proved right or put right.
 *
 * A row is filtered once, horizontally, into a ring of the last 2 halo + 1 such rows; a row of the
 * output is the vertical sum over the ring. 2 (2 halo + 1) taps a sample in place of (2 halo +
 * 1)^2. Columns are worked off in tiles, so that the ring stays in the second-level cache; samples
 * on either side of the centre are added before they are multiplied, which halves the products.
 *
 * Doubles round. But the error is bounded (see error_bound), and a value further than the bound
 * from a half rounds to the same integer as the exact sum. The few samples that lie nearer are
 * computed again in integers (smooth_exact_span). So the result is the definition's, whatever the
 * order of the sums, and whether or not the compiler fuses multiplication and addition. */
#include "parallel.h"
#include "smooth_exact.h"
#include "smooth_loops.h"
#include "variant.h"

#include <float.h>

#define RING_BYTES (256 * 1024) /* aim for the ring: half of a small second-level cache */
#define TILE_MAX 1024           /* samples */
#define TILE_MIN 64

/* What all threads share. Lengths are in samples, not pixels: a pixel's neighbour is `step` away.
 */
struct plan {
    const struct job *job;
    const struct smooth_loops *loops;
    int64_t step;  /* samples to the next pixel of the same channel */
    int64_t reach; /* halo * step */
    int64_t tile;
    size_t thread_bytes; /* of scratch */
    double bound;        /* see error_bound */
};

/* One thread's memory, cut from its share of the scratch. */
struct workspace {
    double *taps;      /* halo + 1 of them, from the centre outwards, the weights in units of 1 */
    double *line;      /* tile + 2 reach: the source row in doubles */
    double *ring;      /* 2 halo + 1 rows of tile */
    double **rows;     /* 2 halo + 1 pointers into the ring, top to bottom */
    int32_t *rounded;  /* tile */
    uint64_t *columns; /* tile + 2 reach: for smooth_exact_span */
};

static int64_t tile_of(int64_t halo)
{
    const int64_t fitting = RING_BYTES / (int64_t)sizeof(double) / (2 * halo + 1) / LANES * LANES;

    return fitting < TILE_MIN ? TILE_MIN : fitting > TILE_MAX ? TILE_MAX : fitting;
}

static size_t rounded_up(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* Lays the workspace out from `base`, and returns its size: with a base of 0, only that. */
static size_t lay_out(struct workspace *space, uintptr_t base, const struct job *job, int64_t tile)
{
    const size_t ring_rows = (size_t)(2 * job->halo + 1);
    const size_t line_samples = (size_t)(tile + 2 * job->halo * job->src.channels);
    uintptr_t next = base;

    space->taps = (double *)next;
    next += rounded_up((size_t)(job->halo + 1) * sizeof(double));
    space->line = (double *)next;
    next += rounded_up(line_samples * sizeof(double));
    space->ring = (double *)next;
    next += rounded_up(ring_rows * (size_t)tile * sizeof(double));
    space->rows = (double **)next;
    next += rounded_up(ring_rows * sizeof(double *));
    space->rounded = (int32_t *)next;
    next += rounded_up((size_t)tile * sizeof(int32_t));
    space->columns = (uint64_t *)next;
    next += rounded_up(line_samples * sizeof(uint64_t));
    return next - base;
}

/* Greatest distance, in grey levels, of the doubles' result from the exact sum / 2^92.
 * With u = 2^-53: the folded samples p(-k) + p(k) and the weights / 2^46 are exact (17 and 48
 * bits). A pass adds halo + 1 non-negative products, each rounded, in at most halo + 1 roundings,
 * folding the vertical pass's inputs rounds once more: each pass multiplies by factors (1 + d), |d|
 * <= u, at most halo + 3 of them, and as nothing is negative the relative error of the result is at
 * most (1 + u)^(2 (halo + 3)) - 1 < 2.1 (halo + 3) u. Adding 1/2 before truncating rounds once
 * more. */
static double error_bound(const struct job *job)
{
    double sum = 0;

    for (int64_t k = 0; k <= 2 * job->halo; k++)
        sum += (double)job->weights[k] * 0x1p-46;
    const double greatest = (double)job->maxval * sum * sum + 1;

    return (2.1 * (double)(job->halo + 3) + 2) * greatest * (DBL_EPSILON / 2);
}

/* Samples first..first+n-1 of a row are on their way through a tile. */
struct segment {
    int64_t first, n;
    int64_t padded; /* n, rounded up to LANES: as much is computed */
};

/* Filters source row y, of the border too, into its place in the ring. */
static void take_row(const struct plan *plan, const struct workspace *space,
                     const struct segment *segment, int64_t y)
{
    const struct view *src = &plan->job->src;
    const int64_t ring_rows = 2 * plan->job->halo + 1;
    const int64_t length = segment->n + 2 * plan->reach;
    const char *row = (const char *)src->origin + y * src->stride_bytes;

    if (src->sample_bytes == 1)
        plan->loops->widen_u8((const uint8_t *)row + segment->first - plan->reach, space->line,
                              length);
    else
        plan->loops->widen_u16((const uint16_t *)(const void *)row + segment->first - plan->reach,
                               space->line, length);
    for (int64_t i = length; i < segment->padded + 2 * plan->reach; i++)
        space->line[i] = 0;
    plan->loops->filter_line(space->line + plan->reach, space->taps, plan->job->halo, plan->step,
                             space->ring + (y + ring_rows) % ring_rows * plan->tile,
                             segment->padded);
}

/* Sums up the ring around row y, and writes the row's segment. */
static void give_row(const struct plan *plan, const struct workspace *space,
                     const struct segment *segment, int64_t y)
{
    const struct job *job = plan->job;
    const int64_t ring_rows = 2 * job->halo + 1;
    char *row = (char *)job->dst.origin + y * job->dst.stride_bytes;
    double *sums = space->line;
    int32_t *rounded = space->rounded;

    for (int64_t i = 0; i < ring_rows; i++)
        space->rows[i] = space->ring + (y - job->halo + i + ring_rows) % ring_rows * plan->tile;
    plan->loops->filter_rows(space->rows, space->taps, job->halo, sums, segment->padded);
    if (plan->loops->round_row(sums, rounded, segment->n, (int32_t)job->maxval, plan->bound))
        smooth_exact_span(job, y, segment->first, segment->n, space->columns, rounded);
    if (job->dst.sample_bytes == 1)
        plan->loops->narrow_u8(rounded, (uint8_t *)row + segment->first, segment->n);
    else
        plan->loops->narrow_u16(rounded, (uint16_t *)(void *)row + segment->first, segment->n);
}

static void smooth_band(const void *context, int band, int64_t first, int64_t last)
{
    const struct plan *plan = context;
    const struct job *job = plan->job;
    const int64_t row_samples = job->src.width * plan->step;
    struct workspace space;

    lay_out(&space, (uintptr_t)job->scratch + (size_t)band * plan->thread_bytes, job, plan->tile);
    for (int64_t k = 0; k <= job->halo; k++)
        space.taps[k] = (double)job->weights[job->halo + k] * 0x1p-46;
    for (int64_t x = 0; x < row_samples; x += plan->tile) {
        const int64_t n = row_samples - x < plan->tile ? row_samples - x : plan->tile;
        const struct segment segment = {x, n, (n + LANES - 1) / LANES * LANES};

        for (int64_t y = first - job->halo; y < first + job->halo; y++)
            take_row(plan, &space, &segment, y);
        for (int64_t y = first; y < last; y++) {
            take_row(plan, &space, &segment, y + job->halo);
            give_row(plan, &space, &segment, y);
        }
    }
}

static struct plan plan_of(const struct job *job)
{
    struct workspace unused;
    struct plan plan = {
        .job = job,
        .loops = smooth_loops(),
        .step = job->src.channels,
        .reach = job->halo * job->src.channels,
        .tile = tile_of(job->halo),
    };

    plan.thread_bytes = lay_out(&unused, 0, job, plan.tile);
    plan.bound = error_bound(job);
    return plan;
}

static size_t scratch_bytes(const struct job *job)
{
    return (size_t)job->threads * plan_of(job).thread_bytes;
}

static const char *run(const struct job *job)
{
    const struct plan plan = plan_of(job);

    parallel_rows(job->threads, job->dst.height, smooth_band, &plan);
    return NULL;
}

DEFINE_VARIANT(smooth_cpu) = {
    .op = OP_SMOOTH,
    .name = "cpu",
    .place = ON_CPU,
    .reference = false,
    .about = "separable doubles, proved or put right; threads",
    .refuses = NULL,
    .scratch_bytes = scratch_bytes,
    .run = run,
};
