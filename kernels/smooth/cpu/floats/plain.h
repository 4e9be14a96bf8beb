/* SPDX-License-Identifier: MIT */
/* Sums of plain samples, rounded once: see floats.h. Included by floats/loops.c only. */
#ifndef SMOOTHIMG_SMOOTH_FLOAT_PLAIN_H
#define SMOOTHIMG_SMOOTH_FLOAT_PLAIN_H

#define FLOAT_LACKS 29 /* bits of a double's significand */

typedef uint32_t unsigned_ints __attribute__((vector_size(VECTOR_BYTES)));

INLINED void store_rows(const struct float_plain *plain, const halves results[2], int64_t x)
{
    *(halves *)(plain->out[0] + x) = results[0];
    *(halves *)(plain->out[1] + x) = results[1];
}

/* Rounds sums of two rows. Not 0 if one of them is open: if the part of its significand that a
 * float lacks, FLOAT_LACKS bits, lies in 2^(FLOAT_LACKS - 1) - spread ..
 * 2^(FLOAT_LACKS - 1) + spread - 1. */
INLINED uint32_t round_plain(const vector sums[2], uint32_t spread, halves results[2])
{
    const uint32_t middle = 1u << (FLOAT_LACKS - 1);
    const unsigned_ints lower = (unsigned_ints)lower_halves((ints)sums[0], (ints)sums[1]);

    results[0] = narrowed(sums[0]);
    results[1] = narrowed(sums[1]);
    return zero_lanes((ints)(lower + (middle + spread)), (int32_t)(2 * middle - 2 * spread));
}

/* A block of both rows from sample x on. */
INLINED uint32_t filter_block(const struct float_plain *plain, int64_t halo, int64_t x)
{
    vector sums[2][COLUMN_VECTORS];
    uint32_t open = 0;

    sum_rows(plain->rows, plain->taps_y, halo, 0, x, sums);
    UNROLLED
    for (int i = 0; i < COLUMN_VECTORS; i++) {
        const vector two[2] = {sums[0][i], sums[1][i]};
        halves results[2];

        open |= round_plain(two, plain->spread, results);
        store_rows(plain, results, x + i * WIDTH);
    }
    return open;
}

/* The last block ends at n, and may begin in the one before it. */
INLINED bool filter_plain_rows(const struct float_plain *plain, int64_t halo,
                               const struct fetches *ahead)
{
    const struct float_plain local = *plain; /* which no store changes */
    const int64_t block = COLUMN_VECTORS * WIDTH;
    uint32_t open = 0;
    int64_t x = 0;

    for (; x + block <= local.n; x += block) {
        if (x * (int64_t)sizeof(float) % CACHE_LINE == 0)
            fetch(ahead, x * (int64_t)sizeof(float));
        open |= filter_block(&local, halo, x);
    }
    if (x < local.n)
        open |= filter_block(&local, halo, local.n - block);
    return open != 0;
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

/* Stores the results of another block, at stored_x, after the samples of this one are loaded, and
 * gives its own in their place. Were they stored before, and source and result as far apart as a
 * multiple of 4096 bytes, the loads would wait for the stores: processors compare the last 12 bits
 * of addresses first. */
INLINED uint32_t fused_block(const struct float_plain *plain, int64_t halo, int64_t x,
                             halves results[2], int64_t stored_x)
{
    const vector last[2] = {sum_along(plain->src[0] + x, plain->taps_x, halo, plain->step),
                            sum_along(plain->src[1] + x, plain->taps_x, halo, plain->step)};
    vector sums[2];

    store_rows(plain, results, stored_x);
    sum_down(plain->rows, plain->taps_y, halo, x, last, sums);
    *(vector *)(plain->rows[2 * halo] + x) = last[0];
    *(vector *)(plain->rows[2 * halo + 1] + x) = last[1];
    return round_plain(sums, plain->spread, results);
}

INLINED bool fuse_rows(const struct float_plain *plain, int64_t halo, const struct fetches *ahead)
{
    double taps[2][FLOAT_FUSED_HALO + 1], *rows[2 * FLOAT_FUSED_HALO + 2];
    struct float_plain local = *plain; /* which no store changes, nor these */
    halves results[2] = {{0}, {0}};    /* stored where the first block's results go later */
    uint32_t open = 0;
    int64_t x = local.first, stored_x = x + WIDTH <= local.n ? x : local.n - WIDTH;

    memcpy(taps[0], local.taps_x, (size_t)(halo + 1) * sizeof **taps);
    memcpy(taps[1], local.taps_y, (size_t)(halo + 1) * sizeof **taps);
    memcpy(rows, local.rows, (size_t)(2 * halo + 2) * sizeof *rows);
    local.taps_x = taps[0];
    local.taps_y = taps[1];
    local.rows = rows;
    for (; x + WIDTH <= local.n; x += WIDTH) {
        if (x * (int64_t)sizeof(float) % CACHE_LINE == 0)
            fetch(ahead, x * (int64_t)sizeof(float));
        open |= fused_block(&local, halo, x, results, stored_x);
        stored_x = x;
    }
    if (x < local.n) {
        open |= fused_block(&local, halo, local.n - WIDTH, results, stored_x);
        stored_x = local.n - WIDTH;
    }
    store_rows(&local, results, stored_x);
    return open != 0;
}

static bool filter_fused(const struct float_plain *plain, const struct fetches *ahead)
{
    switch (plain->halo_y) {
    case 1:
        return fuse_rows(plain, 1, ahead);
    case 2:
        return fuse_rows(plain, 2, ahead);
    case 3:
        return fuse_rows(plain, 3, ahead);
    default:
        return fuse_rows(plain, FLOAT_FUSED_HALO, ahead);
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
