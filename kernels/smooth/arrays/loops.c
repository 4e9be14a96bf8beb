/* SPDX-License-Identifier: MIT */
/* Compiled once for each instruction set, ISA being its name, and without contraction: sums of two
 * doubles rest on what each operation rounds. What is fused says so. */
#include "kernels/smooth/arrays/loops.h"

#include "kernels/common/isa.h"
#include "kernels/smooth/cpu/loops.h"
#include "kernels/smooth/cpu/vectors/vectors.h"

#include <math.h>

#define WIDTH (VECTOR_BYTES / 8)
#define VECTORS (VECTOR_REGISTERS == 32 ? 4 : 2) /* of sums in registers at a time */
#define WIDE_VECTORS 4                           /* the same, of two doubles */

typedef double vector __attribute__((vector_size(VECTOR_BYTES), ANYWHERE(8)));
typedef int64_t truths __attribute__((vector_size(VECTOR_BYTES), may_alias));

INLINED vector at(const double *from)
{
    return *(const vector *)from;
}

INLINED vector all(double value)
{
    return value - (vector){0};
}

INLINED bool any_negative(truths a)
{
    int64_t any = 0;

    UNROLLED
    for (int i = 0; i < WIDTH; i++)
        any |= a[i];
    return any < 0;
}

INLINED vector sizes(vector a)
{
    return (vector)((truths)a & INT64_MAX);
}

/* a b + c, rounded once where the processor can, else twice. */
INLINED vector fused(vector a, vector b, vector c)
{
#ifdef __AVX512F__
    return (vector)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined __FMA__
    return (vector)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#elif defined LEVEL_NEON
    return (vector)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
#else
    return a * b + c;
#endif
}

#if !defined __FMA__ && !defined LEVEL_NEON
/* a in two halves of at most 26 bits: Veltkamp's and Dekker's, "A floating-point technique for
 * extending the available precision", 1971. From 2^996 on it overflows, and a NaN is open. */
INLINED vector upper_half(vector a)
{
    const vector shifted = a * all(0x1p27 + 1);

    return shifted - (shifted - a);
}
#endif

/* a b - product, exact, where product is a b, rounded. */
INLINED vector product_rest(vector a, vector b, vector product)
{
#if defined __FMA__ || defined LEVEL_NEON
    return fused(a, b, -product);
#else
    const vector a1 = upper_half(a), b1 = upper_half(b);
    const vector a2 = a - a1, b2 = b - b1;

    return a2 * b2 - (((product - a1 * b1) - a2 * b1) - a1 * b2);
#endif
}

/* a + b - sum, exact, where sum is a + b, rounded: Knuth's. */
INLINED vector sum_rest(vector a, vector b, vector sum)
{
    const vector b1 = sum - a, a1 = sum - b1;

    return (a - a1) + (b - b1);
}

INLINED void sum_one(const double *const *rows, const double *taps, int64_t halo, bool odd,
                     double *out, int64_t x)
{
    vector sums[VECTORS];

    UNROLLED
    for (int i = 0; i < VECTORS; i++)
        sums[i] =
            odd || taps[0] == 0 ? all(0) : fused(all(taps[0]), at(rows[0] + x + WIDTH * i), all(0));
    for (int64_t k = 1; k <= halo; k++) {
        const double *above = rows[-k] + x, *below = rows[k] + x;
        const vector tap = all(taps[k]);

        if (taps[k] == 0)
            continue;
        UNROLLED
        for (int i = 0; i < VECTORS; i++) {
            const vector a = at(above + WIDTH * i), b = at(below + WIDTH * i);

            sums[i] = fused(tap, odd ? b - a : a + b, sums[i]);
        }
    }
    UNROLLED
    for (int i = 0; i < VECTORS; i++)
        *(vector *)(out + x + WIDTH * i) = sums[i];
}

/* Rows that are read for the second sum at one distance and for the first at the next one, or the
 * other way round. */
struct edges {
    vector above[VECTORS], below[VECTORS];
};

INLINED void add_two(const double *above, const double *below, double tap, vector sums[2][VECTORS],
                     struct edges *edges)
{
    UNROLLED
    for (int i = 0; i < VECTORS; i++) {
        const vector inner_above = at(above + WIDTH * i), inner_below = at(below + WIDTH * i);

        sums[0][i] = fused(all(tap), edges->above[i] + inner_below, sums[0][i]);
        sums[1][i] = fused(all(tap), inner_above + edges->below[i], sums[1][i]);
        edges->above[i] = inner_above;
        edges->below[i] = inner_below;
    }
}

/* Of two rows of a result, from the outside in: each row is read once for both. */
INLINED void sum_two(const double *const *rows, const double *taps, int64_t halo, double *out,
                     double *second, int64_t x)
{
    vector sums[2][VECTORS];
    struct edges edges;

    UNROLLED
    for (int i = 0; i < VECTORS; i++) {
        edges.above[i] = at(rows[-halo] + x + WIDTH * i);
        edges.below[i] = at(rows[halo + 1] + x + WIDTH * i);
        sums[0][i] = sums[1][i] = all(0);
    }
    for (int64_t k = halo; k > 0; k--)
        add_two(rows[1 - k] + x, rows[k] + x, taps[k], sums, &edges);
    UNROLLED
    for (int i = 0; i < VECTORS; i++) {
        *(vector *)(out + x + WIDTH * i) = fused(all(taps[0]), edges.above[i], sums[0][i]);
        *(vector *)(second + x + WIDTH * i) = fused(all(taps[0]), edges.below[i], sums[1][i]);
    }
}

/* Of all rows block by block: what they share is read from the first-level cache. */
static void sum(const struct array_pass *pass, int64_t n)
{
    for (int64_t first = 0; first < n; first += ARRAY_BLOCK)
        for (int row = 0, made; row < pass->count; row += made) {
            const double *const *rows = pass->rows + row;

            made = pass->dense && row + 1 < pass->count ? 2 : 1;
            for (int64_t x = first; x < first + ARRAY_BLOCK; x += VECTORS * WIDTH)
                if (made == 2)
                    sum_two(rows, pass->taps, pass->halo, pass->outs[row], pass->outs[row + 1], x);
                else if (pass->odd)
                    sum_one(rows, pass->taps, pass->halo, true, pass->outs[row], x);
                else
                    sum_one(rows, pass->taps, pass->halo, false, pass->outs[row], x);
        }
}

/* *sum is so large that it takes tap number in on its grid; what the grid does not take is
 * returned. */
INLINED vector add_upper(vector tap, vector number, vector *sum)
{
#if defined __FMA__ || defined LEVEL_NEON
    const vector before = *sum;

    *sum = fused(tap, number, before);
    return fused(tap, number, before - *sum);
#else
    const vector product = tap * number, before = *sum;

    *sum = before + product;
    return (product - (*sum - before)) + product_rest(tap, number, product);
#endif
}

/* A tap as two doubles. */
struct wide_tap {
    vector tap, rest;
};

/* Adds tap (a + b + rest) to a sum of two doubles. rest: NULL: 0. apart: a and b one by one; lone:
 * a is 0. */
INLINED void add_wide(const struct wide_tap *tap, vector a, vector b, const vector *rest,
                      bool apart, bool lone, vector *sum, vector *sums_rest)
{
    const vector both = a + b;
    vector lost = add_upper(tap->tap, apart ? b : both, sum);

    if (apart && !lone)
        lost += add_upper(tap->tap, a, sum);
    if (rest)
        lost = fused(tap->tap, *rest, lost);
    *sums_rest += fused(tap->rest, both, lost);
}

INLINED void add_centre(const struct array_pass *pass, const double *row, bool rests, bool apart,
                        vector *sums, vector *sums_rest)
{
    const struct wide_tap tap = {all(pass->taps[0]), all(pass->tap_rests[0])};

    UNROLLED
    for (int i = 0; i < WIDE_VECTORS; i++, row += WIDTH) {
        const vector rest = rests ? at(row + pass->to_rest) : at(row);

        add_wide(&tap, all(0), at(row), rests ? &rest : NULL, apart, true, &sums[i], &sums_rest[i]);
    }
}

INLINED vector negated_if(bool condition, vector a)
{
    if (condition)
        return -a;
    return a;
}

INLINED void add_pair(const struct array_pass *pass, const double *const *rows, int64_t k,
                      int64_t x, bool rests, bool odd, bool apart, vector *sums, vector *sums_rest)
{
    const struct wide_tap tap = {all(pass->taps[k]), all(pass->tap_rests[k])};
    const double *above = rows[-k] + x, *below = rows[k] + x;

    UNROLLED
    for (int i = 0; i < WIDE_VECTORS; i++, above += WIDTH, below += WIDTH) {
        vector a = at(above), b = at(below), rest = all(0);

        HELD(a); /* else it is loaded anew by each operation */
        HELD(b);
        if (rests)
            rest = at(below + pass->to_rest) + negated_if(odd, at(above + pass->to_rest));
        add_wide(&tap, negated_if(odd, a), b, rests ? &rest : NULL, apart, false, &sums[i],
                 &sums_rest[i]);
    }
}

INLINED void sum_wide_some(const struct array_pass *pass, const double *const *rows, bool rests,
                           bool odd, bool apart, double *out, int64_t x)
{
    const vector start = all(1.5 * pass->scales[x / ARRAY_BLOCK]);
    vector sums[WIDE_VECTORS], sums_rest[WIDE_VECTORS];

    UNROLLED
    for (int i = 0; i < WIDE_VECTORS; i++) {
        sums[i] = start;
        sums_rest[i] = all(0);
    }
    if (!odd && pass->taps[0] != 0)
        add_centre(pass, rows[0] + x, rests, apart, sums, sums_rest);
    for (int64_t k = 1; k <= pass->halo; k++)
        if (pass->dense || pass->taps[k] != 0)
            add_pair(pass, rows, k, x, rests, odd, apart, sums, sums_rest);
    UNROLLED
    for (int i = 0; i < WIDE_VECTORS; i++) {
        *(vector *)(out + x + WIDTH * i) = sums[i] - start;
        *(vector *)(out + pass->out_to_rest + x + WIDTH * i) = sums_rest[i];
    }
}

static void sum_wide(const struct array_pass *pass, int64_t n)
{
    for (int64_t first = 0; first < n; first += ARRAY_BLOCK)
        for (int row = 0; row < pass->count; row++) {
            const double *const *rows = pass->rows + row;
            const bool apart = pass->apart[first / ARRAY_BLOCK], rests = pass->to_rest != 0;
            double *const out = pass->outs[row];

            for (int64_t x = first; x < first + ARRAY_BLOCK; x += WIDE_VECTORS * WIDTH)
                if (pass->odd)
                    sum_wide_some(pass, rows, rests, true, apart, out, x);
                else if (!apart)
                    sum_wide_some(pass, rows, true, false, false, out, x);
                else if (rests)
                    sum_wide_some(pass, rows, true, false, true, out, x);
                else
                    sum_wide_some(pass, rows, false, false, true, out, x);
        }
}

static void most(const double *values, int64_t n, double *scales)
{
    for (int64_t x = 0; x < n; x += ARRAY_BLOCK) {
        vector most = all(0);
        double greatest = 0; /* a NaN is greater than nothing */

        for (int i = 0; i < ARRAY_BLOCK; i += WIDTH) {
            const vector size = sizes(at(values + x + i));
            const truths more = (truths)(size > most) & (truths)(size < all(INFINITY));

            most = (vector)(((truths)size & more) | ((truths)most & ~more));
        }
        UNROLLED
        for (int i = 0; i < WIDTH; i++)
            greatest = most[i] > greatest ? most[i] : greatest;
        scales[x / ARRAY_BLOCK] = greatest;
    }
}

static void flat(const double *restrict values, int64_t n, double *restrict flats)
{
    for (int64_t x = 0; x < n; x += ARRAY_BLOCK) {
        const double first = values[x];
        int64_t others = 0;

        for (int i = 1; i < ARRAY_BLOCK; i++)
            others |= !(values[x + i] == first);
        flats[x / ARRAY_BLOCK] = others ? NAN : first;
    }
}

static void add_row(const struct reals *sum, const double *row, const double *magnitudes,
                    double weight, double weight_rest, int64_t n)
{
    const vector tap = all(weight), tap_rest = all(weight_rest), size = all(fabs(weight));

    for (int64_t x = 0; x < n; x += WIDTH) {
        const vector number = at(row + x), before = at(sum->value + x), product = tap * number;
        const vector after = before + product;
        const vector lost = fused(tap_rest, number, product_rest(tap, number, product));

        *(vector *)(sum->value + x) = after;
        *(vector *)(sum->rest + x) = at(sum->rest + x) + (sum_rest(before, product, after) + lost);
        *(vector *)(sum->magnitude + x) = fused(size, at(magnitudes + x), at(sum->magnitude + x));
    }
}

static void finish(const struct reals *row, const double *scales, int64_t n, double *magnitudes)
{
    for (int64_t x = 0; x < n; x += WIDTH) {
        const vector value = at(row->value + x);
        const truths finite = (truths)(sizes(value) < all(INFINITY));
        const vector rest = (vector)((truths)at(row->rest + x) & finite), sum = value + rest;
        const vector size = row->magnitude ? at(row->magnitude + x) : sum;
        const vector scale = all(scales[x / ARRAY_BLOCK]);
        const truths counts = (truths)(size != all(0)) | (truths)(scale == all(INFINITY));

        *(vector *)(row->value + x) = sum;
        *(vector *)(row->rest + x) = (vector)((truths)sum_rest(value, rest, sum) & finite);
        *(vector *)(magnitudes + x) = (vector)((truths)scale & counts);
    }
}

#include "kernels/smooth/arrays/load.h"
#include "kernels/smooth/arrays/store.h"
#include "kernels/smooth/arrays/line.h"

extern const struct array_loops FOR_ISA(array_loops);
const struct array_loops FOR_ISA(array_loops) = {
    .load = load,
    .measure = measure,
    .most = most,
    .flat = flat,
    .sum = sum,
    .sum_wide = sum_wide,
    .add_row = add_row,
    .finish = finish,
    .store = store,
    .store_line = store_line,
};
