/* SPDX-License-Identifier: MIT */
/* Compiled once for each instruction set, ISA being its name, and without contraction: sums of two
 * doubles rest on what each operation rounds. What is fused says so. */
#include "kernels/smooth/arrays/loops.h"

#include "kernels/common/isa.h"
#include "kernels/smooth/cpu/vectors/vectors.h"

#include <math.h>

#define WIDTH (VECTOR_BYTES / 8)
#define VECTORS (VECTOR_REGISTERS == 32 ? 4 : 2) /* of sums in registers at a time */

typedef double vector __attribute__((vector_size(VECTOR_BYTES), aligned(8), may_alias));

INLINED vector at(const double *from)
{
    return *(const vector *)from;
}

INLINED vector all(double value)
{
    return (vector){0} + value;
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

INLINED void sum_block(const double *const *rows, const double *taps, int64_t halo, bool odd,
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

static void sum(const double *const *rows, const double *taps, int64_t halo, bool odd, double *out,
                int64_t n)
{
    for (int64_t x = 0; x < n; x += VECTORS * WIDTH)
        if (odd)
            sum_block(rows, taps, halo, true, out, x);
        else
            sum_block(rows, taps, halo, false, out, x);
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

/* From the outside in. */
static void sum_two(const double *const *rows, const double *taps, int64_t halo, double *out,
                    double *second, int64_t n)
{
    for (int64_t x = 0; x < n; x += VECTORS * WIDTH) {
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
}

/* *sum + *sum_rest += (tap + tap_rest) (number + rest) */
INLINED void add_wide(vector tap, vector tap_rest, vector number, vector rest, vector *sum,
                      vector *sums_rest)
{
    const vector product = tap * number;
    const vector lower =
        fused(tap, rest, fused(tap_rest, number, product_rest(tap, number, product)));
    const vector total = *sum + product;

    *sums_rest += sum_rest(*sum, product, total) + lower;
    *sum = total;
}

INLINED void add_wide_pair(const double *const *rows, const double *const *rests, int64_t k,
                           int64_t x, bool odd, vector tap, vector tap_rest, vector *sum,
                           vector *sums_rest)
{
    const vector a = odd ? -at(rows[-k] + x) : at(rows[-k] + x), b = at(rows[k] + x);
    const vector both = a + b;
    vector rest = sum_rest(a, b, both);

    if (rests)
        rest += odd ? at(rests[k] + x) - at(rests[-k] + x) : at(rests[k] + x) + at(rests[-k] + x);
    add_wide(tap, tap_rest, both, rest, sum, sums_rest);
}

INLINED void sum_wide_block(const double *const *rows, const double *const *rests,
                            const double *taps, const double *tap_rests, int64_t halo, bool odd,
                            double *out, double *out_rest, int64_t x)
{
    vector sums[VECTORS], sums_rest[VECTORS];

    UNROLLED
    for (int i = 0; i < VECTORS; i++) {
        sums[i] = sums_rest[i] = all(0);
        if (!odd && taps[0] != 0)
            add_wide(all(taps[0]), all(tap_rests[0]), at(rows[0] + x + WIDTH * i),
                     rests ? at(rests[0] + x + WIDTH * i) : all(0), &sums[i], &sums_rest[i]);
    }
    for (int64_t k = 1; k <= halo; k++) {
        const vector tap = all(taps[k]), tap_rest = all(tap_rests[k]);

        if (taps[k] == 0)
            continue;
        UNROLLED
        for (int i = 0; i < VECTORS; i++)
            add_wide_pair(rows, rests, k, x + WIDTH * i, odd, tap, tap_rest, &sums[i],
                          &sums_rest[i]);
    }
    UNROLLED
    for (int i = 0; i < VECTORS; i++) {
        *(vector *)(out + x + WIDTH * i) = sums[i];
        *(vector *)(out_rest + x + WIDTH * i) = sums_rest[i];
    }
}

static void sum_wide(const double *const *rows, const double *const *rests, const double *taps,
                     const double *tap_rests, int64_t halo, bool odd, double *out, double *out_rest,
                     int64_t n)
{
    for (int64_t x = 0; x < n; x += VECTORS * WIDTH)
        if (odd)
            sum_wide_block(rows, rests, taps, tap_rests, halo, true, out, out_rest, x);
        else if (rests)
            sum_wide_block(rows, rests, taps, tap_rests, halo, false, out, out_rest, x);
        else
            sum_wide_block(rows, NULL, taps, tap_rests, halo, false, out, out_rest, x);
}

#include "kernels/smooth/arrays/load.h"
#include "kernels/smooth/arrays/store.h"

extern const struct array_loops FOR_ISA(array_loops);
const struct array_loops FOR_ISA(array_loops) = {
    .load = load,
    .measure = measure,
    .sum = sum,
    .sum_two = sum_two,
    .sum_wide = sum_wide,
    .store = store,
};
