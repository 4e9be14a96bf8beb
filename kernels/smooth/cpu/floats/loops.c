/* SPDX-License-Identifier: MIT */
/* Compiled once for each instruction set, ISA being its name. As in doubles/loops.c, sums stay in
 * registers. The caller sees to it that subnormal numbers are not flushed to zero. */
#include "kernels/smooth/cpu/floats/loops.h"

#include "kernels/common/isa.h"
#include "kernels/smooth/cpu/vectors/vectors.h"

#define VECTORS (DOUBLES_BLOCK / WIDTH < 8 ? DOUBLES_BLOCK / WIDTH : 8)
#define CHUNK MAX_HALO
#define REAL double
#define REAL_BYTES 8
#define WHOLE int64_t
#define OF_REALS(STEM) STEM
#include "kernels/smooth/cpu/vectors/reals.h"

#include "kernels/smooth/cpu/doubles/columns.h"
#include "kernels/smooth/cpu/doubles/rows.h"
#include "kernels/smooth/cpu/vectors/halves.h"

INLINED void widen_block(const uint32_t *restrict src, double *restrict line, int64_t n,
                         uint32_t *restrict top, uint32_t *restrict signs)
{
    uint32_t any = 0;
    int32_t greatest = 0;

    for (int64_t i = 0; i < n; i++) {
        const int32_t size = (int32_t)(src[i] & 0x7fffffff);
        float sample;

        memcpy(&sample, src + i, sizeof sample);
        line[i] = sample;
        any |= src[i];
        greatest = size > greatest ? size : greatest;
    }
    *top = (uint32_t)greatest;
    *signs = any;
}

static void widen(const uint32_t *restrict src, double *restrict line, int64_t n,
                  uint32_t *restrict tops, uint32_t *restrict signs)
{
    int64_t i = 0;

    for (; i + DOUBLES_BLOCK <= n; i += DOUBLES_BLOCK)
        widen_block(src + i, line + i, DOUBLES_BLOCK, tops++, signs++);
    if (i < n)
        widen_block(src + i, line + i, n - i, tops, signs);
}

/* Rounds the ends of WIDTH intervals; returns the bits in which they differ. */
INLINED integers round_ends(vector sums, const struct float_bound *bound,
                            const struct float_ends *ends, int64_t x)
{
    const halves low = narrowed(sums * bound->below - bound->off);
    const halves high = narrowed(sums * bound->above + bound->off);

    *(halves *)(ends->low + x) = low;
    *(halves *)(ends->high + x) = high;
    return (integers)low ^ (integers)high;
}

INLINED bool any_of(integers bits)
{
    int32_t any = 0;

    for (int i = 0; i < WIDTH; i++)
        any |= bits[i];
    return any != 0;
}

/* A sum begins with +0, so that it is +0 where all its terms are zeros of any sign. */
INLINED int filter_two_rows(double *const *rows, const double *restrict taps, int64_t halo,
                            const struct float_bound *bounds, const struct float_ends ends[2],
                            int64_t n, const struct fetches *ahead)
{
    integers differ[2] = {{0}, {0}};

    for (int64_t x = 0; x < n; x += COLUMN_VECTORS * WIDTH) {
        vector sums[2][COLUMN_VECTORS];

        if (x * (int64_t)sizeof(float) % CACHE_LINE == 0)
            fetch(ahead, x * (int64_t)sizeof(float));
        sum_rows(rows, taps, halo, 0, x, sums);
        UNROLLED
        for (int i = 0; i < 2 * COLUMN_VECTORS; i++)
            differ[i % 2] |= round_ends(sums[i % 2][i / 2], &bounds[x / DOUBLES_BLOCK],
                                        &ends[i % 2], x + i / 2 * WIDTH);
    }
    return any_of(differ[0]) | any_of(differ[1]) << 1;
}

static int filter_rows(double *const *rows, const double *restrict taps, int64_t halo,
                       const struct float_bound *bounds, const struct float_ends ends[2], int64_t n,
                       const struct fetches *ahead)
{
#define FILTER(HALO) filter_two_rows(rows, taps, HALO, bounds, ends, n, ahead)
    return FOR_FEW_TAPS(halo, FILTER, FILTER(halo));
#undef FILTER
}

static void sum_two_rows(double *const *rows, const double *restrict taps, int64_t halo,
                         double *const *out, int64_t n)
{
    for (int64_t x = 0; x < n; x += COLUMN_VECTORS * WIDTH) {
        vector sums[2][COLUMN_VECTORS];

        sum_rows(rows, taps, halo, 0, x, sums);
        UNROLLED
        for (int i = 0; i < 2 * COLUMN_VECTORS; i++)
            *(vector *)(out[i % 2] + x + i / 2 * WIDTH) = sums[i % 2][i / 2];
    }
}

/* 0 / 0 is a NaN: where nothing is there, the sum is 0 too. */
static bool round_means(const double *sums, const double *there, const struct float_bound *bounds,
                        const struct float_ends *ends, int64_t n)
{
    integers differ = {0};

    for (int64_t x = 0; x < n; x += WIDTH)
        differ |= round_ends(at(sums + x) / at(there + x), &bounds[x / DOUBLES_BLOCK], ends, x);
    return any_of(differ);
}

extern const struct smooth_float_loops FOR_ISA(smooth_float_loops);
const struct smooth_float_loops FOR_ISA(smooth_float_loops) = {
    .widen = widen,
    .filter_line = filter_any_line,
    .filter_rows = filter_rows,
    .sum_rows = sum_two_rows,
    .round_means = round_means,
};
