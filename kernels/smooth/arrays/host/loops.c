/* SPDX-License-Identifier: MIT */
/* This file is compiled once for each instruction set; the macro ISA is the name of the set. The
 * compiler must not fuse products and sums, since sums in two doubles rely on the rounding of each
 * operation. Where an operation is to be fused, the code calls fused(). */
#include "kernels/smooth/arrays/host/loops.h"

#include "kernels/common/isa.h"
#include "kernels/common/numbers.h"
#include "kernels/smooth/arrays/combine.h"
#include "kernels/smooth/cpu/vectors/doubles.h"

#include <math.h>

#define VECTORS (VECTOR_REGISTERS == 32 ? 4 : 2) /* vectors of sums in registers at a time */
#define WIDE_VECTORS 4 /* vectors of sums in two doubles in registers at a time */

INLINED vector sizes(vector a)
{
    return (vector)((truths)a & INT64_MAX);
}

/* Returns a b + c, rounded once if the processor has the instruction, otherwise twice. */
INLINED vector fused(vector a, vector b, vector c)
{
#ifdef __FMA__
    return (vector)X86(fmadd_pd)((doubles)a, (doubles)b, (doubles)c);
#elif defined LEVEL_NEON
    return (vector)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
#else
    return a * b + c;
#endif
}

#if !defined __FMA__ && !defined LEVEL_NEON
/* Returns the upper half of a, so that both halves have at most 26 bits, by the method of Veltkamp
 * and Dekker ("A floating-point technique for extending the available precision", 1971). From about
 * 2^997 on the product overflows; the result is then NaN, which leaves the sample unresolved. */
INLINED vector upper_half(vector a)
{
    const vector shifted = a * all(0x1p27 + 1);

    return shifted - (shifted - a);
}
#endif

/* Returns a b - product. This is exact if `product` is a b, rounded. */
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

/* Returns a + b - sum. This is exact if `sum` is a + b, rounded (Knuth). */
INLINED vector sum_rest(vector a, vector b, vector sum)
{
    const vector b1 = sum - a, a1 = sum - b1;

    return (a - a1) + (b - b1);
}

#include "kernels/smooth/arrays/host/columns.h"

/* Adds tap times number to *sum, which is so large that the product is rounded to a multiple of the
 * last bit of *sum. Returns the part of the product that is lost. */
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

INLINED vector negated_if(bool condition, vector a)
{
    if (condition)
        return -a;
    return a;
}

/* Multiplies the two numbers at distance k, from rows[-k] and rows[k], by their tap, and adds the
 * products to `sums`, and to `sums_rest` the parts of the products that `sums` cannot hold. rests:
 * the numbers have rests. lone: there is only the number at the centre; k is 0. apart: multiplies
 * the two numbers separately. */
INLINED void add_pair(const struct array_pass *pass, const double *const *rows, int64_t k,
                      int64_t x, bool rests, bool odd, bool apart, bool lone, vector *sums,
                      vector *sums_rest)
{
    const vector tap = all(pass->taps[k]), taps_rest = all(pass->rests[k]);
    const double *above = rows[-k] + x, *below = rows[k] + x;

    UNROLLED
    for (int i = 0; i < WIDE_VECTORS; i++, above += WIDTH, below += WIDTH) {
        vector a = all(0), b = at(below), both, lost;

        if (!lone)
            a = negated_if(odd, at(above));
        HELD(a); /* keeps `a` in a register; otherwise each operation loads it anew */
        HELD(b);
        both = a + b;
        lost = add_upper(tap, apart ? b : both, &sums[i]);
        if (apart && !lone)
            lost += add_upper(tap, a, &sums[i]);
        if (rests) {
            vector rest = at(below + pass->to_rest);

            if (!lone)
                rest += negated_if(odd, at(above + pass->to_rest));
            lost = fused(tap, rest, lost);
        }
        sums_rest[i] += fused(taps_rest, both, lost);
    }
}

INLINED void sum_wide_some(const struct array_pass *pass, const double *const *rows, bool rests,
                           bool odd, bool apart, double *out, int64_t x)
{
    const vector start = all(1.5 * pass->scale);
    vector sums[WIDE_VECTORS], sums_rest[WIDE_VECTORS];

    UNROLLED
    for (int i = 0; i < WIDE_VECTORS; i++) {
        sums[i] = start;
        sums_rest[i] = all(0);
        if (pass->adds) {
            sums[i] += at(out + x + WIDTH * i);
            sums_rest[i] = at(out + pass->out_to_rest + x + WIDTH * i);
        }
    }
    if (!odd && pass->taps[0] != 0)
        add_pair(pass, rows, 0, x, rests, false, apart, true, sums, sums_rest);
    for (int64_t k = 1; k <= pass->halo; k++)
        if (pass->dense || pass->taps[k] != 0)
            add_pair(pass, rows, k, x, rests, odd, apart, false, sums, sums_rest);
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
            const double *const *rows = (const double *const *)pass->rows + row + pass->halo;
            const bool apart = pass->apart, rests = pass->to_rest != 0;
            double *const out = pass->outs[row];

            for (int64_t x = first; x < first + ARRAY_BLOCK; x += WIDE_VECTORS * WIDTH)
                if (pass->odd)
                    sum_wide_some(pass, rows, rests, true, apart, out, x);
                else if (!apart)
                    sum_wide_some(pass, rows, rests, false, false, out, x);
                else if (rests)
                    sum_wide_some(pass, rows, true, false, true, out, x);
                else
                    sum_wide_some(pass, rows, false, false, true, out, x);
        }
}

/* Returns the lesser of a and b, or b where a is NaN. */
INLINED vector lesser(vector a, vector b)
{
#ifdef X86
    return (vector)X86(min_pd)((doubles)a, (doubles)b);
#else
    return chosen((truths)(a < b), a, b);
#endif
}

static void add_squares(const double *term, int64_t to_rest, bool adds, int64_t n, double *total)
{
    for (int64_t x = 0; x < n; x += WIDTH) {
        const vector before = adds ? at(total + x) : all(0);
        const vector upper = at(term + x), rest = to_rest > 0 ? at(term + x + to_rest) : all(0);
        const vector value = upper + rest, square = value * value, sum = before + square;

        if (to_rest > 0) {
            const vector lost = sum_rest(upper, rest, value);
            const vector squares_rest = product_rest(value, value, square) + 2 * value * lost;
            const vector before_rest = adds ? at(total + x + to_rest) : all(0);

            *(vector *)(total + x + to_rest) =
                before_rest + sum_rest(before, square, sum) + squares_rest;
        }
        *(vector *)(total + x) = sum;
    }
}

static void make_rests_small(int64_t to_rest, int64_t n, double *total)
{
    for (int64_t x = 0; x < n; x += WIDTH) {
        const vector value = at(total + x), rest = at(total + x + to_rest), sum = value + rest;

        *(vector *)(total + x + to_rest) = sum_rest(value, rest, sum);
        *(vector *)(total + x) = sum;
    }
}

INLINED vector roots_of(vector a)
{
#ifdef X86
    return (vector)X86(sqrt_pd)((doubles)a);
#else
    for (int i = 0; i < WIDTH; i++)
        a[i] = sqrt(a[i]);
    return a;
#endif
}

/* Computes square roots. In two doubles, a step of Newton's method gives the rest of each root. */
static void take_roots(const double *bounds, int64_t to_rest, bool keeps_small, int64_t n,
                       double *total)
{
    for (int64_t x = 0; x < n; x += WIDTH) {
        const vector square = at(total + x), root = roots_of(square);
        const bool keeps = keeps_small || bounds[x / ARRAY_BLOCK] == 0;
        const truths lost = keeps ? (truths){0} : (truths)(square < all(SAFE_SQUARE));

        *(vector *)(total + x) = (vector)((truths)root | (lost & (truths)all(NAN)));
        if (to_rest > 0) {
            const vector product = root * root;
            const vector rest = square - product - product_rest(root, root, product);
            const vector step = (rest + at(total + x + to_rest)) / (2 * root);

            *(vector *)(total + x + to_rest) =
                (vector)((truths)step & (truths)(root > all(0)) & ~lost);
        }
    }
    if (to_rest > 0)
        make_rests_small(to_rest, n, total);
}

/* Defines measure_block_NAME, for a single block, and measure_NAME. They compare samples by their
 * bits. Without the sign bit (the mask MAGNITUDE), bits are in the order of the samples'
 * magnitudes; INF are the bits of infinity. With the sign bit, as signed integers of type BITS,
 * bits are in the order of the samples themselves if no sample is negative. */
#define DEFINE_MEASURE(NAME, TYPE, BITS, MAGNITUDE, INF)                                           \
    static void measure_block_##NAME(const TYPE *values, int64_t n, struct array_peak *peak)       \
    {                                                                                              \
        BITS greatest = 0, most = 0, least = INF; /* `most`: the greatest finite magnitude */      \
        u##BITS small = INF - 1; /* least magnitude - 1; a 0 wraps to the greatest number */       \
        TYPE ends[3];                                                                              \
                                                                                                   \
        for (int64_t x = 0; x < n; x++) {                                                          \
            BITS bits, size, finite;                                                               \
                                                                                                   \
            memcpy(&bits, &values[x], sizeof bits); /* samples may be unaligned */                 \
            size = bits & MAGNITUDE;                                                               \
            greatest = size > greatest ? size : greatest;                                          \
            finite = size < INF ? size : 0;                                                        \
            most = finite > most ? finite : most;                                                  \
            least = bits < least ? bits : least;                                                   \
            small = (u##BITS)size - 1 < small ? (u##BITS)size - 1 : small;                         \
        }                                                                                          \
        small++;                                                                                   \
        memcpy(&ends[0], &most, sizeof most);                                                      \
        memcpy(&ends[1], &least, sizeof least);                                                    \
        memcpy(&ends[2], &small, sizeof small);                                                    \
        peak->special = peak->special || greatest >= INF;                                          \
        peak->most = ends[0] > peak->most ? ends[0] : peak->most;                                  \
        peak->least = least < 0 ? -1 : ends[1] < peak->least ? ends[1] : peak->least;              \
        peak->smallest = ends[2] < peak->smallest ? ends[2] : peak->smallest;                      \
    }                                                                                              \
                                                                                                   \
    static void measure_##NAME(const void *from, int64_t lead, int64_t n, int64_t block,           \
                               struct array_peak *peaks)                                           \
    {                                                                                              \
        const TYPE *values = from;                                                                 \
                                                                                                   \
        for (int64_t left = n, count; left > 0; left -= count, values += count, lead = 0) {        \
            count = left < block - lead ? left : block - lead;                                     \
            measure_block_##NAME(values, count, peaks++);                                          \
        }                                                                                          \
    }

DEFINE_MEASURE(f32, float, int32_t, INT32_MAX, 0x7f800000)
DEFINE_MEASURE(f64, double, int64_t, INT64_MAX, ((int64_t)0x7ff << 52))

#include "kernels/smooth/arrays/host/load.h"
#include "kernels/smooth/arrays/host/means.h"
#include "kernels/smooth/arrays/host/store.h"
#include "kernels/smooth/arrays/host/line.h"
#include "kernels/smooth/arrays/host/store_line.h"

extern const struct array_loops FOR_ISA(array_loops);
const struct array_loops FOR_ISA(array_loops) = {
    .load = load,
    .drop_nan = drop_nan,
    .weigh_numbers = weigh_numbers,
    .weigh_by_alpha = weigh_by_alpha,
    .take_means = take_means,
    .measure = {[SAMPLE_F32] = measure_f32, [SAMPLE_F64] = measure_f64},
    .sum = sum_doubles,
    .sum_samples = {SAMPLE_COLUMNS(ROW_OF_SAMPLES)[SAMPLE_F64] = sum_doubles},
    .sum_wide = sum_wide,
    .add_squares = add_squares,
    .take_roots = take_roots,
    .make_rests_small = make_rests_small,
    .sum_line = sum_line,
    .store_line = {[SAMPLE_U8] = store_line_u8,
                   [SAMPLE_U16] = store_line_u16,
                   [SAMPLE_I16] = store_line_i16,
                   [SAMPLE_F32] = store_line_floats},
    .store_means = {[SAMPLE_U8] = store_means_u8,
                    [SAMPLE_U16] = store_means_u16,
                    [SAMPLE_F32] = store_means_f32},
    .store = store,
};
