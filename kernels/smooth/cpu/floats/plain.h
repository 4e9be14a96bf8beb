/* SPDX-License-Identifier: MIT */
/* Sums of plain samples, rounded once: see floats.h. Included by floats/loops.c only. */
#ifndef SMOOTHIMG_SMOOTH_FLOAT_PLAIN_H
#define SMOOTHIMG_SMOOTH_FLOAT_PLAIN_H

#define FLOAT_LACKS 29 /* bits of a double's significand */
#define ALL_LANES ((uint32_t)((UINT64_C(1) << INTS) - 1))

typedef uint32_t unsigned_ints __attribute__((vector_size(VECTOR_BYTES)));

INLINED void store_rows(const struct float_plain *plain, const halves results[2], int64_t x)
{
    *(halves *)(plain->out[0] + x) = results[0];
    *(halves *)(plain->out[1] + x) = results[1];
}

/* Rounds sums of two rows. Returns the lanes, of `closed`, in which neither is open: none whose
 * part of its significand that a float lacks, FLOAT_LACKS bits, lies in 2^(FLOAT_LACKS - 1) -
 * spread .. 2^(FLOAT_LACKS - 1) + spread - 1. */
INLINED uint32_t round_plain(uint32_t closed, const vector sums[2], uint32_t spread,
                             halves results[2])
{
    const uint32_t middle = 1u << (FLOAT_LACKS - 1);
    const unsigned_ints lower = (unsigned_ints)lower_halves((ints)sums[0], (ints)sums[1]);

    results[0] = narrowed(sums[0]);
    results[1] = narrowed(sums[1]);
    return other_lanes(closed, (ints)(lower + (middle + spread)),
                       (int32_t)(2 * middle - 2 * spread));
}

/* A block of both rows from sample x on. */
INLINED uint32_t filter_block(uint32_t closed, const struct float_plain *plain, int64_t halo,
                              int64_t x)
{
    vector sums[2][COLUMN_VECTORS];

    sum_rows(plain->rows, plain->taps_y, halo, 0, x, sums);
    UNROLLED
    for (int i = 0; i < COLUMN_VECTORS; i++) {
        const vector two[2] = {sums[0][i], sums[1][i]};
        halves results[2];

        closed = round_plain(closed, two, plain->spread, results);
        store_rows(plain, results, x + i * WIDTH);
    }
    return closed;
}

/* The last block ends at n, and may begin in the one before it. */
INLINED bool filter_plain_rows(const struct float_plain *plain, int64_t halo,
                               const struct fetches *ahead)
{
    const struct float_plain local = *plain; /* which no store changes */
    const int64_t block = COLUMN_VECTORS * WIDTH;
    uint32_t closed = ALL_LANES;
    int64_t x = 0;

    for (; x + block <= local.n; x += block) {
        if (x * (int64_t)sizeof(float) % CACHE_LINE == 0)
            fetch(ahead, x * (int64_t)sizeof(float));
        closed = filter_block(closed, &local, halo, x);
    }
    if (x < local.n)
        closed = filter_block(closed, &local, halo, local.n - block);
    return closed != ALL_LANES;
}

static bool filter_plain(const struct float_plain *plain, const struct fetches *ahead)
{
#define FILTER(HALO) filter_plain_rows(plain, HALO, ahead)
    return FOR_FEW_TAPS(plain->halo_y, FILTER, FILTER(plain->halo_y));
#undef FILTER
}

#if VECTOR_BYTES > 16 /* conversions of two samples at a time are slow */
INLINED vector widened(const float *from)
{
#ifdef __AVX512F__
    return (vector)_mm512_cvtps_pd(_mm256_loadu_ps(from));
#else
    return (vector)_mm256_cvtps_pd(_mm_loadu_ps(from));
#endif
}

/* Samples are converted for each tap: doubles would be stored, and loaded across cache lines. */
INLINED vector sum_along(const float *centre, const double *taps, int64_t halo, int64_t step)
{
    vector sum = taps[0] * widened(centre);

    UNROLLED
    for (int64_t k = 1; k <= halo; k++)
        sum += taps[k] * (widened(centre - k * step) + widened(centre + k * step));
    return sum;
}

/* As sum_rows, where the last two rows are `last` and not yet in the ring. */
INLINED void sum_down(double *const *rows, const double *taps, int64_t halo, int64_t x,
                      const vector last[2], vector sums[2])
{
    vector above = at(rows[0] + x), below = last[1];

    sums[0] = sums[1] = (vector){0};
    UNROLLED
    for (int64_t k = halo; k > 0; k--) {
        const vector next_above = at(rows[halo + 1 - k] + x);
        const vector next_below = k == halo ? last[0] : at(rows[halo + k] + x);

        sums[0] += taps[k] * (above + next_below);
        sums[1] += taps[k] * (next_above + below);
        above = next_above;
        below = next_below;
    }
    sums[0] += taps[0] * above;
    sums[1] += taps[0] * below;
}

/* Results that are not yet stored, at x. */
struct float_late {
    halves results[2];
    int64_t x;
};

/* Stores the results of the block before after the samples of this one are loaded. Were they stored
 * before, and source and result as far apart as a multiple of 4096 bytes, the loads would wait for
 * the stores: processors compare the last 12 bits of addresses first. */
INLINED uint32_t fused_block(uint32_t closed, const struct float_plain *plain,
                             const float *const *src, int64_t halo, int64_t x,
                             struct float_late *late)
{
    const vector last[2] = {sum_along(src[0] + x, plain->taps_x, halo, plain->step),
                            sum_along(src[1] + x, plain->taps_x, halo, plain->step)};
    vector sums[2];

    store_rows(plain, late->results, late->x);
    sum_down(plain->rows, plain->taps_y, halo, x, last, sums);
    *(vector *)(plain->rows[2 * halo] + x) = last[0];
    *(vector *)(plain->rows[2 * halo + 1] + x) = last[1];
    late->x = x;
    return round_plain(closed, sums, plain->spread, late->results);
}

/* Sums first..last-1, none or a vector and more, all from the same rows. To choose these for each
 * vector takes 2 to 9 % longer. */
INLINED uint32_t fuse_span(uint32_t closed, const struct float_plain *plain,
                           const struct source_rows *source, int64_t first, int64_t last,
                           int64_t halo, const struct fetches *ahead, struct float_late *late)
{
    const void *const *rows = source_rows_at(source, first);
    const float *const src[2] = {(const float *)rows[0] + halo * plain->step,
                                 (const float *)rows[1] + halo * plain->step};
    int64_t x = first;

    for (; x + WIDTH <= last; x += WIDTH) {
        if (x * (int64_t)sizeof(float) % CACHE_LINE == 0)
            fetch(ahead, x * (int64_t)sizeof(float));
        closed = fused_block(closed, plain, src, halo, x, late);
    }
    if (x < last)
        closed = fused_block(closed, plain, src, halo, last - WIDTH, late);
    return closed;
}

INLINED bool fuse_rows(const struct float_plain *plain, const struct source_rows *source,
                       int64_t halo, const struct fetches *ahead)
{
    const int64_t tail = source->tail < plain->n ? source->tail : plain->n;
    const int64_t ends[4] = {0, source->head, tail, plain->n};
    double taps[2][FLOAT_FUSED_HALO + 1], *rows[2 * FLOAT_FUSED_HALO + 2];
    struct float_plain local = *plain; /* which no store changes, nor these */
    struct float_late late = {0};      /* stored where the first block's results go later */
    uint32_t closed = ALL_LANES;

    memcpy(taps[0], local.taps_x, (size_t)(halo + 1) * sizeof **taps);
    memcpy(taps[1], local.taps_y, (size_t)(halo + 1) * sizeof **taps);
    memcpy(rows, local.rows, (size_t)(2 * halo + 2) * sizeof *rows);
    local.taps_x = taps[0];
    local.taps_y = taps[1];
    local.rows = rows;
    for (int i = 0; i < 3; i++)
        closed = fuse_span(closed, &local, source, ends[i], ends[i + 1], halo, ahead, &late);
    store_rows(&local, late.results, late.x);
    return closed != ALL_LANES;
}

static bool filter_fused(const struct float_plain *plain, const struct source_rows *source,
                         const struct fetches *ahead)
{
    switch (plain->halo_y) {
    case 1:
        return fuse_rows(plain, source, 1, ahead);
    case 2:
        return fuse_rows(plain, source, 2, ahead);
    case 3:
        return fuse_rows(plain, source, 3, ahead);
    default:
        return fuse_rows(plain, source, FLOAT_FUSED_HALO, ahead);
    }
}
#endif

static struct float_extent scan(const uint32_t *src, int64_t n)
{
    struct float_extent extent = {0, UINT32_MAX};

    for (int64_t i = 0; i < n; i++) {
        const uint32_t less = src[i] - 1;

        extent.greatest = src[i] > extent.greatest ? src[i] : extent.greatest;
        extent.least = less < extent.least ? less : extent.least;
    }
    return extent;
}

static void widen_plain(const float *restrict src, double *restrict line, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        line[i] = src[i];
}

#endif
