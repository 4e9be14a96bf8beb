/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/arrays/host/recursions.h"

#include "kernels/common/isa.h"
#include "kernels/smooth/cpu/vectors/doubles.h"

/* EXCHANGE is one step of transposing a block of WIDTH vectors. For each pair of vectors a, b whose
 * indices in the block differ only in the bit APART, it exchanges the lanes of a whose lane index
 * has that bit with the lanes of b whose lane index lacks it. EXCHANGED is the index, in a followed
 * by b, of the number that lane I of the new a (IS_B is 0) or of the new b (1) gets. */
#define EXCHANGED(I, APART, IS_B)                                                                  \
    ((I) & (APART) ? (I) + WIDTH - (1 - (IS_B)) * (APART) : (I) + (IS_B) * (APART))
#define EXCHANGE(APART)                                                                            \
    UNROLLED                                                                                       \
    for (int i = 0; i < WIDTH; i++)                                                                \
        if (!(i & (APART))) {                                                                      \
            const vector a = block[i], b = block[i + (APART)];                                     \
                                                                                                   \
            block[i] = PICKED(a, b, EXCHANGED, APART, 0);                                          \
            block[i + (APART)] = PICKED(a, b, EXCHANGED, APART, 1);                                \
        }

INLINED void transpose(vector *block)
{
    EXCHANGE(1)
#if WIDTH > 2
    EXCHANGE(2)
#endif
#if WIDTH > 4
    EXCHANGE(4)
#endif
}

/* Advances the recursions of a group of cosines by `count` steps. After step i adds the y of all
 * cosines of the group to sums[i]. series.h defines the symbols: at step i, fresh[i] is x(n+h+1) +
 * x(n-h-1), and stale[i] is x(n+h) + x(n-h). `state` has the y of all cosines of the group, then
 * their d. */
INLINED void advance(const struct cosine_group *group, const vector *fresh, const vector *stale,
                     int64_t count, vector *state, vector *sums)
{
    vector y[GROUP_TERMS], d[GROUP_TERMS];

    memcpy(y, state, sizeof y);
    memcpy(d, state + GROUP_TERMS, sizeof d);
    for (int64_t i = 0; i < count; i++) {
        UNROLLED
        for (int m = 0; m < GROUP_TERMS; m++) {
            d[m] += group->inner[m] * stale[i];
            d[m] += group->outer[m] * fresh[i];
            d[m] -= group->feedback[m] * y[m];
            y[m] += d[m];
        }
        sums[i] += (y[0] + y[1]) + (y[2] + y[3]);
    }
    memcpy(state, y, sizeof y);
    memcpy(state + GROUP_TERMS, d, sizeof d);
}

/* Advances the recursions of all groups of cosines, as advance() does for one. `state` has the
 * groups' states one after another. */
INLINED void advance_all(const struct cosine_series *series, const vector *fresh,
                         const vector *stale, int64_t count, vector *state, vector *sums)
{
    for (int64_t i = 0; i < count; i++)
        sums[i] = all(0);
    for (int g = 0; g < series->groups; g++)
        advance(&series->group[g], fresh, stale, count, state + g * GROUP_TERMS * 2, sums);
}

/* Loads WIDTH numbers of a row, from index x on. Each number takes `bytes` bytes in the row. */
INLINED vector column_at(const void *row, int64_t x, int bytes)
{
    return bytes == 1   ? u8_at((const uint8_t *)row + x)
           : bytes == 2 ? u16_at((const uint16_t *)row + x)
                        : at((const double *)row + x);
}

/* Goes down the columns in strips of WIDTH columns. The last strip may overlap the one before; it
 * has a state of its own. */
INLINED void descend_by(const struct array_descent *descent, int bytes, int64_t n)
{
    const struct cosine_series *series = descent->series;
    vector *state = (vector *)descent->state;

    for (int64_t next = 0; next < n; next += WIDTH, state += series->groups * GROUP_TERMS * 2) {
        const int64_t x = next + WIDTH <= n ? next : n - WIDTH;
        vector fresh[ARRAY_ROWS], stale[ARRAY_ROWS], sums[ARRAY_ROWS];
        vector entered = column_at(descent->entering[0], x, bytes);
        vector left = column_at(descent->leaving[0], x, bytes);

        UNROLLED
        for (int i = 0; i < ARRAY_ROWS; i++) {
            const vector enters = column_at(descent->entering[i + 1], x, bytes);
            const vector leaves = column_at(descent->leaving[i + 1], x, bytes);

            fresh[i] = enters + left;
            stale[i] = entered + leaves;
            entered = enters;
            left = leaves;
        }
        advance_all(series, fresh, stale, ARRAY_ROWS, state, sums);
        UNROLLED
        for (int i = 0; i < ARRAY_ROWS; i++)
            *(vector *)(descent->outs[i] + x) = sums[i];
    }
}

static void descend(const struct array_descent *descent, int64_t n)
{
    if (descent->bytes == 1)
        descend_by(descent, 1, n);
    else if (descent->bytes == 2)
        descend_by(descent, 2, n);
    else
        descend_by(descent, sizeof(double), n);
}

#define STRIDE 32 /* numbers of each row that are loaded at a time */

/* Loads numbers x to x + STRIDE - 1 of WIDTH rows. The vector numbers[i] receives number x + i of
 * every row, one row in each lane. Numbers at negative indices are 0. */
INLINED void load_across(double *const *rows, int64_t x, vector *numbers)
{
    for (int64_t i = 0; i < STRIDE; i += WIDTH) {
        for (int row = 0; row < WIDTH; row++) {
            vector some = all(0);

            if (x + i >= 0)
                some = at(rows[row] + x + i);
            else
                for (int lane = 0; lane < WIDTH; lane++)
                    some[lane] = x + i + lane < 0 ? 0 : rows[row][x + i + lane];
            numbers[i + row] = some;
        }
        transpose(numbers + i);
    }
}

/* Sums along WIDTH rows, in blocks of as many whole pixels as STRIDE numbers contain. */
INLINED void sum_along_some(const struct cosine_series *series, double *const *rows, int64_t step,
                            int64_t n, double *const *outs)
{
    const int64_t pixels = STRIDE / step, block = pixels * step;
    const int64_t window = (2 * series->halo + 1) * step;
    vector state[STRIDE / 2][MAX_GROUPS * GROUP_TERMS * 2];
    /* The numbers that enter and leave the window: first the numbers of the pixel before the block,
     * then the numbers of the block. */
    vector enters[STRIDE / 2 + STRIDE], leaves[STRIDE / 2 + STRIDE], sums[STRIDE];

    memset(state, 0, (size_t)step * sizeof *state);
    memset(enters, 0, (size_t)step * sizeof *enters);
    memset(leaves, 0, (size_t)step * sizeof *leaves);
    for (int64_t x = 0; x < n; x += block) {
        load_across(rows, x, enters + step);
        load_across(rows, x - window, leaves + step);
        for (int64_t channel = 0; channel < step; channel++) {
            vector fresh[STRIDE], stale[STRIDE], of_channel[STRIDE];

            for (int64_t i = 0, k = channel; i < pixels; i++, k += step) {
                fresh[i] = enters[k + step] + leaves[k];
                stale[i] = enters[k] + leaves[k + step];
            }
            advance_all(series, fresh, stale, pixels, state[channel], of_channel);
            for (int64_t i = 0; i < pixels; i++)
                sums[channel + i * step] = of_channel[i];
        }
        memcpy(enters, enters + block, (size_t)step * sizeof *enters);
        memcpy(leaves, leaves + block, (size_t)step * sizeof *leaves);
        for (int64_t i = 0; i < STRIDE && x + block >= window; i += WIDTH) {
            transpose(sums + i);
            for (int row = 0; row < WIDTH; row++)
                *(vector *)(outs[row] + x + i) = sums[i + row];
        }
    }
}

static void sum_along(const struct cosine_series *series, double *const *rows, int64_t step,
                      int64_t n, double *const *outs)
{
    for (int row = 0; row < ARRAY_ROWS; row += WIDTH)
        if (step == 1)
            sum_along_some(series, rows + row, 1, n, outs + row);
        else
            sum_along_some(series, rows + row, step, n, outs + row);
}

extern const struct smooth_cosines_loops FOR_ISA(smooth_cosines_loops);
const struct smooth_cosines_loops FOR_ISA(smooth_cosines_loops) = {
    .descend = descend,
    .sum_along = sum_along,
};
