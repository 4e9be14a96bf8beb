/* SPDX-License-Identifier: MIT */
/* The inner loops of the engine u8 (loops.h), compiled once for each instruction set. Weights along
 * the rows are integers of one or two digits of 15 bits (weights.h). `step` is the distance between
 * neighbouring samples of a channel, in samples. A block is 2 WORDS adjacent samples of a row,
 * where a vector has WORDS words of 16 bits. */
#include "kernels/smooth/cpu/u8/loops.h"

#include "kernels/common/isa.h"
#include "kernels/smooth/cpu/vectors/doubles.h"
#include "kernels/smooth/cpu/vectors/vectors.h"

#include <math.h>

/* --- The first pass: along the rows, it sums products of samples and integer weights. The sums of
 * a block stay in registers during the loop over the taps. A block's size is a constant, so the
 * compiler unrolls the inner loops. */

/* Converts the sums of two vectors to floats, and stores them: first those of one[0], then those of
 * two[0]. With two digits these are the sums by the upper digit. one[1] and two[1] are then the
 * sums by the lower digit; they are converted and added. */
INLINED void store_sums(float *to, const ints *one, const ints *two, int digits)
{
    floats first = to_floats(one[0]), second = to_floats(two[0]);

    if (digits == 2) {
        first = first * (float)(1 << DIGIT_BITS) + to_floats(one[1]);
        second = second * (float)(1 << DIGIT_BITS) + to_floats(two[1]);
    }
    floats_store(to, first);
    floats_store(to + INTS, second);
}

// clang-format off
/* Each of the two headers below stores row sums in its own order, and defines
 *   struct row_taps, row_taps(weights, halo)
 *                                 the weights as sum_samples() reads them; with one digit `halo`
 *                                 is a constant
 *   sum_samples(src, count, digits, x, taps, halo, step, sums)
 *                                 sums along `count` rows, one or, with one digit, two; stores a
 *                                 block of sums in each sums[i] from x on; the window of the
 *                                 block's first sum is centred at src[i][x + halo * step]
 *   take_apart(sums, grey, pixels, fractions)
 *                                 converts two vectors of sums down the columns to WORDS integers;
 *                                 their upper words are the pixels, in the order of bytes_place()
 *                                 (vectors.h), and their lower words the fractions, in any order
 *   fraction_place(lane, grey)    the lane of `pixels` with the sample whose fraction is in this
 *                                 lane of `fractions`
 * weights.h defines `grey`. */
// clang-format on
#ifdef LEVEL_NEON
#include "kernels/smooth/cpu/u8/rows_neon.h"
#else
#include "kernels/smooth/cpu/u8/rows_pairs.h"
#endif

/* Sums along `count` source rows, and stores the block of sums from x on in each sums[i]. Near the
 * ends of a row it reads `lines`: copies of these ends, with the samples that the edge rule
 * adds. */
INLINED void sum_source(const struct source_rows *source, int count, int digits, int64_t x,
                        const struct row_taps *taps, int64_t halo, int64_t step, float *const *sums)
{
    const bool lined = x < source->head || x >= source->tail;
    const uint8_t *const src[2] = {lined ? source->lines[0] : source->direct[0],
                                   lined ? source->lines[1] : source->direct[1]};

    sum_samples(src, count, digits, x, taps, halo, step, sums);
}

INLINED void filter_bytes_of(int64_t halo, const struct source_rows *source,
                             const struct smooth_u8_weights *weights, int digits, int64_t step,
                             float *sums, int64_t n)
{
    const struct row_taps taps = row_taps(weights, halo);

    for (int64_t x = 0; x < n; x += 2 * WORDS)
        sum_source(source, 1, digits, x, &taps, halo, step, &sums);
}

/* With one digit the halo is at most U8_ONE_DIGIT_HALO. Each of these halos has its own unrolled
 * loop. */
INLINED void filter_bytes_by(const struct source_rows *source,
                             const struct smooth_u8_weights *weights, int64_t step, float *sums,
                             int64_t n)
{
    if (weights->digits == 2)
        filter_bytes_of(weights->halo_x, source, weights, 2, step, sums, n);
    else if (weights->halo_x == 0)
        filter_bytes_of(0, source, weights, 1, step, sums, n);
    else
        FOR_FEW_TAPS(weights->halo_x,
                     filter_bytes_of(U8_ONE_DIGIT_HALO, source, weights, 1, step, sums, n),
                     filter_bytes_of, source, weights, 1, step, sums, n);
}

static void filter_bytes(const struct source_rows *source, const struct smooth_u8_weights *weights,
                         int64_t step, float *sums, int64_t n)
{
    const struct source_rows local = *source; /* no store to sums can change this copy */

    if (step == 1)
        filter_bytes_by(&local, weights, 1, sums, n);
    else
        filter_bytes_by(&local, weights, step, sums, n);
}

/* --- The second pass: estimates the sums down the columns, tests the estimates, and stores pixels.
 *
 * An estimate is an integer. Its fraction is its lowest FRACTION_BITS bits, and its pixel the bits
 * above these. If its error bound does not prove the pixel, the sample is unresolved; its fraction
 * is then at most unresolved_limit (weights.h). `grey` means one channel and weights of one
 * digit. */

#define COLUMN floats
#define COLUMN_REAL float
#define COLUMN_VECTORS (2 * PAIRS)
#define COLUMN_AT floats_load
#define COLUMN_PLUS(SUM, TAP, NUMBERS) ((SUM) + (TAP) * (NUMBERS))
#define COLUMN_HELD HELD
#include "kernels/smooth/cpu/vectors/columns.h"

/* Adds to *unresolved the index of each sample whose fraction is at most `limit`, if the index is
 * below n. x: the index of the block's first sample; half: 0 or 1, the number that bytes_place()
 * gives to the vector of pixels. Not inlined, since it is rarely called. */
static __attribute__((noinline)) void list_unresolved(words fractions, uint16_t limit, bool grey,
                                                      int half, struct unresolved *unresolved,
                                                      int64_t x, int64_t n)
{
    for (uint32_t bits = small_lanes(fractions, limit); bits; bits &= bits - 1) {
        const int word = fraction_place(__builtin_ctz(bits) / LANE_BITS, grey);
        const int64_t place = x + bytes_place(half, word);

        if (place < n)
            unresolved->places[unresolved->count++] = (int32_t)place;
    }
}

/* Computes the pixels of one half of a block, WORDS samples, in each of two rows, and lists the
 * unresolved ones. half: 0 or 1, the vector of bytes_place() (vectors.h) whose samples it computes.
 * If there are registers for all sums of a block (PAIRS is 2), computes both halves together. */
INLINED void filter_half(float *const *rows, const struct smooth_u8_weights *weights, int64_t halo,
                         bool grey, uint16_t limit, int half, words pixels[2][2],
                         struct unresolved *unresolved, int64_t x, int64_t n)
{
    floats sums[2][2 * PAIRS];
    words fractions[2][PAIRS], least;

    sum_rows(rows, weights->column, halo, weights->start, x + half * WORDS, sums);
    UNROLLED
    for (int i = 0; i < 2 * PAIRS; i++) {
        take_apart(sums[i % 2] + i / 2 * 2, grey, &pixels[i % 2][half + i / 2],
                   &fractions[i % 2][i / 2]);
        least = i ? words_min(least, fractions[i % 2][i / 2]) : fractions[0][0];
    }
    if (__builtin_expect(any_small(least, limit), 0))
        for (int i = 0; i < 2 * PAIRS; i++)
            list_unresolved(fractions[i % 2][i / 2], limit, grey, half + i / 2, &unresolved[i % 2],
                            x, n);
}

/* Computes a block in each of two rows. If there are too few registers for all its sums (PAIRS is
 * 1), computes one half and then the other. Writes a block that reaches beyond n to `spare`. */
INLINED void filter_block(float *const *rows, const struct smooth_u8_weights *weights, int64_t halo,
                          bool grey, uint16_t limit, uint8_t *const *dst,
                          uint8_t spare[2][2 * WORDS], struct unresolved *unresolved, int64_t x,
                          int64_t n)
{
    words pixels[2][2];

    filter_half(rows, weights, halo, grey, limit, 0, pixels, unresolved, x, n);
    if (PAIRS == 1) {
        if (halo > 2)
            RELOADED();
        filter_half(rows, weights, halo, grey, limit, 1, pixels, unresolved, x, n);
    }
    UNROLLED
    for (int row = 0; row < 2; row++)
        bytes_store(x + 2 * WORDS <= n ? dst[row] + x : spare[row], pixels[row][0], pixels[row][1]);
}

/* Computes two rows of n samples from 2 halo + 2 rows of sums. If `source` is not NULL, also
 * computes the last two of these rows of sums, along the source rows, always one block ahead of the
 * samples; so neither pass waits for results of the other. `halo` is the halo down the columns; if
 * `source` is not NULL, the halo along the rows is the same. `step` is 1 for grey. */
INLINED void filter_two_rows(int64_t halo, const struct source_rows *source, float *const *rows,
                             const struct smooth_u8_weights *weights, int64_t step, bool grey,
                             uint8_t *const *dst, struct unresolved *unresolved, int64_t n,
                             const struct fetches *ahead)
{
    const struct row_taps taps = source ? row_taps(weights, halo) : (struct row_taps){0};
    const uint16_t limit = weights->unresolved_limit;
    uint8_t *const rows_of_pixels[2] = {dst[0], dst[1]};
    const int64_t rest = n % (2 * WORDS);
    uint8_t spare[2][2 * WORDS];

    if (source)
        sum_source(source, 2, 1, 0, &taps, halo, step, rows + 2 * halo);
    for (int64_t x = 0; x < n; x += 2 * WORDS) {
        const int64_t next = x + 2 * WORDS;

        if (x % CACHE_LINE == 0)
            fetch(ahead, x);
        if (source && next < n)
            sum_source(source, 2, 1, next, &taps, halo, step, rows + 2 * halo);
        filter_block(rows, weights, halo, grey, limit, rows_of_pixels, spare, unresolved, x, n);
    }
    for (int row = 0; row < 2 && rest > 0; row++)
        memcpy(dst[row] + n - rest, spare[row], (size_t)rest);
}

/* The loops for halos 1 to 4 are unrolled. `source` is not NULL only with these halos, so the loop
 * for all other halos gets NULL. */
INLINED void filter_rows_of(const struct source_rows *source, float *const *rows,
                            const struct smooth_u8_weights *weights, int64_t step, bool grey,
                            uint8_t *const *dst, struct unresolved *unresolved, int64_t n,
                            const struct fetches *ahead)
{
    FOR_FEW_TAPS(weights->halo_y,
                 filter_two_rows(weights->halo_y, NULL, rows, weights, step, grey, dst, unresolved,
                                 n, ahead),
                 filter_two_rows, source, rows, weights, step, grey, dst, unresolved, n, ahead);
}

static void filter_rows(const struct source_rows *source, float *const *rows,
                        const struct smooth_u8_weights *weights, int64_t step, uint8_t *const *dst,
                        struct unresolved *unresolved, int64_t n, const struct fetches *ahead)
{
    if (source && weights->grey)
        filter_rows_of(source, rows, weights, 1, true, dst, unresolved, n, ahead);
    else if (source)
        filter_rows_of(source, rows, weights, step, false, dst, unresolved, n, ahead);
    else if (weights->grey)
        filter_rows_of(NULL, rows, weights, 1, true, dst, unresolved, n, ahead);
    else
        filter_rows_of(NULL, rows, weights, 1, false, dst, unresolved, n, ahead);
}

/* --- Computes an unresolved sample again, in doubles. */

/* Returns the weighted sum of one column of a window. *centre is the column's middle sample;
 * `stride` is the number of bytes between rows. */
INLINED double sum_column(const uint8_t *centre, int64_t stride,
                          const struct smooth_u8_weights *weights)
{
    double sum = weights->taps[0] * *centre;

    for (int64_t k = 1; k <= weights->halo_y; k++)
        sum += weights->taps[k] * (centre[-k * stride] + centre[k * stride]);
    return sum;
}

/* Sums count * WIDTH adjacent columns as sum_column() does, from the column of *centre on, and
 * stores `count` vectors of sums. They are summed side by side, so that the additions to one vector
 * do not wait for the additions to another. */
INLINED void sum_columns(const uint8_t *centre, int64_t stride,
                         const struct smooth_u8_weights *weights, int count, vector *sums)
{
    for (int i = 0; i < count; i++)
        sums[i] = weights->taps[0] * u8_at(centre + i * WIDTH);
    for (int64_t k = 1; k <= weights->halo_y; k++) {
        const uint8_t *above = centre - k * stride, *below = centre + k * stride;

        UNROLLED
        for (int i = 0; i < count; i++)
            sums[i] += weights->taps[k] * (u8_at(above + i * WIDTH) + u8_at(below + i * WIDTH));
    }
}

#define SIDE_BY_SIDE (2 * WIDTH) /* columns that filter_sample() sums at a time */

/* Sums each column of the window, multiplies the sum by the column's weight, and adds the products.
 * Columns of other channels have weight 0. */
static double filter_sample(const uint8_t *window, int64_t stride,
                            const struct smooth_u8_weights *weights)
{
    const int64_t n = 2 * weights->reach + 1;
    const uint8_t *centre = window + weights->halo_y * stride;
    const double *spread = weights->spread;
    vector totals[2] = {0};
    double total = 0;
    int64_t x = 0;

    for (; x + SIDE_BY_SIDE <= n; x += SIDE_BY_SIDE) {
        vector sums[2];

        sum_columns(centre + x, stride, weights, 2, sums);
        for (int i = 0; i < 2; i++)
            totals[i] += at(spread + x + i * WIDTH) * sums[i];
    }
    for (; x < n; x++)
        total += spread[x] * sum_column(centre + x, stride, weights);
    for (int i = 0; i < WIDTH; i++)
        total += totals[0][i] + totals[1][i];
    return total;
}

/* --- Computes rows with many unresolved samples in doubles: first a sum down each column, then
 * sums along the row. */

#define ABREAST 4 /* vectors of sums that are computed together */

static bool filter_dense(const uint8_t *window, int64_t stride,
                         const struct smooth_u8_weights *weights, int64_t step, double *columns,
                         double *values, uint8_t *dst, int64_t n)
{
    const int64_t reach = weights->reach;
    const double bound = weights->repair_bound, *along = weights->spread + reach;
    vector sums[ABREAST];
    int32_t open = 0;

    for (int64_t x = 0; x < n + 2 * reach; x += ABREAST * WIDTH) {
        sum_columns(window + weights->halo_y * stride + x, stride, weights, ABREAST, sums);
        memcpy(columns + x, sums, sizeof sums);
    }
    for (int64_t x = 0; x < n; x += ABREAST * WIDTH) {
        const double *centre = columns + reach + x;

        for (int i = 0; i < ABREAST; i++)
            sums[i] = along[0] * at(centre + i * WIDTH);
        for (int64_t k = step; k <= reach; k += step)
            for (int i = 0; i < ABREAST; i++)
                sums[i] += along[k] * (at(centre - k + i * WIDTH) + at(centre + k + i * WIDTH));
        memcpy(values + x, sums, sizeof sums);
    }
    for (int64_t x = 0; x < n; x++) {
        const double raised = values[x] + 0.5;
        const int32_t pixel = (int32_t)raised;

        open |= fabs(raised - (int32_t)(raised + 0.5)) <= bound;
        dst[x] = (uint8_t)(pixel < weights->maxval ? pixel : weights->maxval);
    }
    return open != 0;
}

/* The greatest halo for which both passes run in one loop; 0: none, since SSE2 has too few
 * registers. */
#if defined __SSE2__ && !defined __AVX2__
#define FUSED_HALO 0
#else
#define FUSED_HALO FEW_TAPS
#endif

extern const struct smooth_u8_loops FOR_ISA(smooth_u8_loops);
const struct smooth_u8_loops FOR_ISA(smooth_u8_loops) = {
    .filter_bytes = filter_bytes,
    .filter_rows = filter_rows,
    .fused_halo = FUSED_HALO,
    .filter_sample = filter_sample,
    .filter_dense = filter_dense,
};
