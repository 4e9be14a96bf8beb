/* SPDX-License-Identifier: MIT */
#include "smooth_doubles.h"

#include "levels.h"
#include "smooth_exact.h"

#include <float.h>

#define PITCH                                                                                      \
    8 /* doubles between the rows of the ring: else all would use the same few sets of L1 */

static size_t rounded_up(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* Lays the memory out from `base`, and returns its size: with a base of 0, only that. */
static size_t lay_out(struct smooth_doubles *doubles, uintptr_t base, const struct job *job,
                      int64_t tile)
{
    const size_t ring_rows = (size_t)(2 * job->halo + 2);
    const size_t line_samples = (size_t)(tile + 2 * job->halo * job->src.channels);
    uintptr_t next = base;

    doubles->taps = (double *)next;
    next += rounded_up((size_t)(job->halo + 1) * sizeof(double));
    doubles->line = (double *)next;
    next += rounded_up(line_samples * sizeof(double));
    doubles->ring = (double *)next;
    next += rounded_up(ring_rows * (size_t)(tile + PITCH) * sizeof(double));
    doubles->rows = (double **)next;
    next += rounded_up(ring_rows * sizeof(double *));
    for (int row = 0; row < 2; row++) {
        doubles->rounded[row] = (int32_t *)next;
        next += rounded_up((size_t)tile * sizeof(int32_t));
    }
    doubles->columns = (uint64_t *)next;
    next += rounded_up(line_samples * sizeof(uint64_t));
    return next - base;
}

size_t smooth_doubles_bytes(const struct job *job, int64_t tile)
{
    struct smooth_doubles unused;

    return lay_out(&unused, 0, job, tile);
}

/* With u = 2^-53: samples, also folded ones, p(-k) + p(k), and the weights / 2^46 are exact (17 and
 * 48 bits). Each rounding multiplies what a term brings to the sum by a factor (1 + d), |d| <= u,
 * and as nothing is negative the relative error of the sum is at most (1 + u)^roundings - 1 < 1.05
 * roundings u. A sum may start from 1/2 and this bound, which is below one more grey level: at most
 * 2.5e-7, at halo 1024, maxval 65535 and weights that sum to 4. */
double smooth_doubles_bound(const struct job *job, int64_t roundings)
{
    double sum = 0;

    for (int64_t k = 0; k <= 2 * job->halo; k++)
        sum += (double)job->weights[k] * 0x1p-46;
    const double greatest = (double)job->maxval * sum * sum + 1;

    return 1.05 * (double)roundings * greatest * (DBL_EPSILON / 2);
}

/* Of filter_line and filter_rows: a pass is halo + 1 products, each rounded, in as many additions,
 * and one more rounding where the vertical pass folds its inputs; 2 (halo + 3) in both, and some to
 * spare. */
static int64_t roundings(const struct job *job)
{
    return 2 * (job->halo + 4);
}

void smooth_doubles_open(struct smooth_doubles *doubles, const struct job *job, int64_t tile,
                         void *base)
{
    *doubles = (struct smooth_doubles){
        .job = job,
        .loops = level_in_use()->smooth,
        .step = job->src.channels,
        .reach = job->halo * job->src.channels,
        .tile = tile,
        .bound = smooth_doubles_bound(job, roundings(job)),
    };
    lay_out(doubles, (uintptr_t)base, job, tile);
    for (int64_t k = 0; k <= job->halo; k++)
        doubles->taps[k] = (double)job->weights[job->halo + k] * 0x1p-46;
}

void smooth_doubles_segment(struct smooth_doubles *doubles, int64_t first, int64_t n)
{
    doubles->first = first;
    doubles->n = n;
    doubles->padded = (n + LANES - 1) / LANES * LANES;
    doubles->next = -doubles->job->halo; /* of row 0; take_rows skips what is not wanted */
}

static double *ring_row(const struct smooth_doubles *doubles, int64_t y)
{
    const int64_t ring_rows = 2 * doubles->job->halo + 2;

    return doubles->ring + (y + doubles->job->halo) % ring_rows * (doubles->tile + PITCH);
}

/* Row y of the source, from the first sample that the segment's sums need. */
static const void *source(const struct smooth_doubles *doubles, int64_t y)
{
    const struct view *src = &doubles->job->src;

    return (const char *)src->origin + y * src->stride_bytes +
           (doubles->first - doubles->reach) * src->sample_bytes;
}

/* Row y of the target, from the segment's first sample on. */
static void *target(const struct smooth_doubles *doubles, int64_t y)
{
    const struct view *dst = &doubles->job->dst;

    return (char *)dst->origin + y * dst->stride_bytes + doubles->first * dst->sample_bytes;
}

/* Filters source row y, of the border too, into its place in the ring. */
static void take_row(const struct smooth_doubles *doubles, int64_t y)
{
    const int64_t length = doubles->n + 2 * doubles->reach;

    if (doubles->job->src.sample_bytes == 1)
        doubles->loops->widen_u8(source(doubles, y), doubles->line, length);
    else
        doubles->loops->widen_u16(source(doubles, y), doubles->line, length);
    for (int64_t i = length; i < doubles->padded + 2 * doubles->reach; i++)
        doubles->line[i] = 0;
    doubles->loops->filter_line(doubles->line + doubles->reach, doubles->taps, doubles->job->halo,
                                doubles->step, ring_row(doubles, y), doubles->padded);
}

/* Makes sure that rows first..last-1 are in the ring. */
static void take_rows(struct smooth_doubles *doubles, int64_t first, int64_t last)
{
    if (doubles->next < first)
        doubles->next = first;
    for (; doubles->next < last; doubles->next++)
        take_row(doubles, doubles->next);
}

static void give_row(const struct smooth_doubles *doubles, int64_t y, int32_t *rounded, bool risky)
{
    const struct job *job = doubles->job;
    const int32_t maxval = (int32_t)job->maxval;

    if (risky)
        smooth_exact_span(job, y, doubles->first, doubles->n, doubles->columns, rounded);
    if (job->dst.sample_bytes == 1)
        doubles->loops->narrow_u8(rounded, maxval, target(doubles, y), doubles->n);
    else
        doubles->loops->narrow_u16(rounded, maxval, target(doubles, y), doubles->n);
}

void smooth_doubles_rows(struct smooth_doubles *doubles, int64_t y, int64_t last)
{
    const int64_t halo = doubles->job->halo;
    const bool two = y + 1 < last;

    take_rows(doubles, y - halo, y + halo + 1 + two);
    for (int64_t i = 0; i < 2 * halo + 2; i++)
        doubles->rows[i] = ring_row(doubles, y - halo + i);
    if (!two) /* the row below may not exist: any other will do for a second row nobody reads */
        doubles->rows[2 * halo + 1] = doubles->rows[2 * halo];

    const struct fetches ahead = {{source(doubles, y + halo + 2), source(doubles, y + halo + 3)},
                                  {target(doubles, y + 2), target(doubles, y + 3)}};
    const int risky = doubles->loops->filter_rows(doubles->rows, doubles->taps, halo,
                                                  doubles->bound, doubles->rounded, doubles->padded,
                                                  &ahead, doubles->job->src.sample_bytes);

    give_row(doubles, y, doubles->rounded[0], risky & 1);
    if (two)
        give_row(doubles, y + 1, doubles->rounded[1], risky & 2);
}
