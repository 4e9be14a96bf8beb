/* SPDX-License-Identifier: MIT */
/* Compiled once for each instruction set, ISA being its name: plain C, wide vectors out.
 * Each pass reads two values and does an addition and a fused multiplication for every pair of
 * taps; the sums of DOUBLES_BLOCK samples stay in registers meanwhile, hence the vector type: over
 * plain arrays compilers compute the same, but keep the sums in memory, at half the speed or less.
 */
#include "kernels/smooth/cpu/loops.h"

#include "kernels/common/isa.h"
#include "kernels/smooth/cpu/vectors.h"

#define VECTORS (DOUBLES_BLOCK / WIDTH)
#define COLUMN_VECTORS (VECTOR_BYTES == 64 ? 4 : 2) /* of each of two rows at a time */

#define CHUNK MAX_HALO
#define REAL double
#define REAL_BYTES 8
#define WHOLE int64_t
#define OF_REALS(STEM) STEM
#include "kernels/smooth/cpu/reals.h"

static void widen_u8(const uint8_t *restrict src, double *restrict line, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        line[i] = src[i];
}

static void widen_u16(const uint16_t *restrict src, double *restrict line, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        line[i] = src[i];
}

/* Rounds a vector of sums that start has been added to: 1/2 and the bound. The result has the sign
 * bit of each lane set that may be wrong. */
static inline truths round_sums(vector sums, double bound, int32_t *rounded)
{
    const integers floors = __builtin_convertvector(sums, integers); /* never negative */
    const vector rest = sums - to_vector(floors);

    *(integers *)rounded = floors;
    return (truths)(rest - 2 * bound);
}

/* A block of two rows of sums, from the outside in, as sum_rows in u8/columns.h: each row is
 * read once for both. start: 1/2 and the bound. */
INLINED void sum_rows(double *const *rows, const double *restrict taps, int64_t halo, double start,
                      int64_t x, vector sums[2][COLUMN_VECTORS])
{
    vector above[COLUMN_VECTORS], below[COLUMN_VECTORS];

    UNROLLED
    for (int i = 0; i < COLUMN_VECTORS; i++) {
        above[i] = at(rows[0] + x + WIDTH * i);
        below[i] = at(rows[2 * halo + 1] + x + WIDTH * i);
        sums[0][i] = sums[1][i] = (vector){0} + start;
    }
    UNROLLED
    for (int64_t k = halo; k > 0; k--) {
        const double *inner_above = rows[halo + 1 - k] + x, *inner_below = rows[halo + k] + x;

        UNROLLED
        for (int i = 0; i < COLUMN_VECTORS; i++) {
            const vector next_above = at(inner_above + WIDTH * i);
            const vector next_below = at(inner_below + WIDTH * i);

            sums[0][i] += taps[k] * (above[i] + next_below);
            sums[1][i] += taps[k] * (next_above + below[i]);
            above[i] = next_above;
            below[i] = next_below;
        }
    }
    UNROLLED
    for (int i = 0; i < COLUMN_VECTORS; i++) {
        sums[0][i] += taps[0] * above[i];
        sums[1][i] += taps[0] * below[i];
    }
}

INLINED int filter_two_rows(double *const *rows, const double *restrict taps, int64_t halo,
                            double bound, int32_t *const *rounded, int64_t n,
                            const struct fetches *ahead, int64_t bytes)
{
    truths risky[2] = {0};
    bool any[2] = {false, false};

    for (int64_t x = 0; x < n; x += COLUMN_VECTORS * WIDTH) {
        vector sums[2][COLUMN_VECTORS];

        UNROLLED
        for (int row = 0; row < 2; row++) {
            __builtin_prefetch((const char *)ahead->read[row] + x * bytes, 0);
            __builtin_prefetch((const char *)ahead->written[row] + x * bytes, 1);
        }
        sum_rows(rows, taps, halo, 0.5 + bound, x, sums);
        UNROLLED
        for (int i = 0; i < COLUMN_VECTORS; i++)
            for (int row = 0; row < 2; row++)
                risky[row] |= round_sums(sums[row][i], bound, rounded[row] + x + WIDTH * i);
    }
    for (int row = 0; row < 2; row++)
        for (int i = 0; i < WIDTH; i++)
            any[row] |= risky[row][i] < 0;
    return any[0] | any[1] << 1;
}

static int filter_rows(double *const *rows, const double *restrict taps, int64_t halo, double bound,
                       int32_t *const *rounded, int64_t n, const struct fetches *ahead,
                       int64_t bytes)
{
    switch (halo) { /* few taps: all of them unrolled */
    case 1:
        return filter_two_rows(rows, taps, 1, bound, rounded, n, ahead, bytes);
    case 2:
        return filter_two_rows(rows, taps, 2, bound, rounded, n, ahead, bytes);
    case 3:
        return filter_two_rows(rows, taps, 3, bound, rounded, n, ahead, bytes);
    case 4:
        return filter_two_rows(rows, taps, 4, bound, rounded, n, ahead, bytes);
    default:
        return filter_two_rows(rows, taps, halo, bound, rounded, n, ahead, bytes);
    }
}

static void narrow_u8(const int32_t *restrict rounded, int32_t maxval, uint8_t *restrict dst,
                      int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        dst[i] = (uint8_t)(rounded[i] < maxval ? rounded[i] : maxval);
}

static void narrow_u16(const int32_t *restrict rounded, int32_t maxval, uint16_t *restrict dst,
                       int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        dst[i] = (uint16_t)(rounded[i] < maxval ? rounded[i] : maxval);
}

extern const struct smooth_loops FOR_ISA(smooth_loops);
const struct smooth_loops FOR_ISA(smooth_loops) = {
    .widen_u8 = widen_u8,
    .widen_u16 = widen_u16,
    .filter_line = filter_line,
    .filter_rows = filter_rows,
    .narrow_u8 = narrow_u8,
    .narrow_u16 = narrow_u16,
};
