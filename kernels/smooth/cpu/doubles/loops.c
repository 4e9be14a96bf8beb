/* SPDX-License-Identifier: MIT */
/* Compiled once for each instruction set, ISA being its name: plain C, wide vectors out.
 * Each pass reads two values and does an addition and a fused multiplication for every pair of
 * taps; the sums of DOUBLES_BLOCK samples stay in registers meanwhile, hence the vector type: over
 * plain arrays compilers compute the same, but keep the sums in memory, at half the speed or less.
 */
#include "kernels/smooth/cpu/doubles/loops.h"

#include "kernels/common/isa.h"
#include "kernels/smooth/cpu/vectors/vectors.h"

/* Compilers keep no more than 8 in registers. */
#define VECTORS (DOUBLES_BLOCK / WIDTH < 8 ? DOUBLES_BLOCK / WIDTH : 8)

#define CHUNK MAX_HALO
#define REAL double
#define REAL_BYTES 8
#define WHOLE int64_t
#define OF_REALS(STEM) STEM
#include "kernels/smooth/cpu/vectors/reals.h"

#include "kernels/smooth/cpu/doubles/columns.h"
#include "kernels/smooth/cpu/doubles/rows.h"

/* Rounds the sums of a block, that start has been added to: 1/2 and the bound. The result has the
 * sign bit of each lane set in which one may be wrong. */
INLINED truths round_sums(const vector sums[COLUMN_VECTORS], double bound, int32_t *rounded)
#ifdef LEVEL_NEON
{
    float64x2_t least = vdupq_n_f64(1);

    UNROLLED
    for (int i = 0; i < COLUMN_VECTORS; i += 2) { /* no conversion narrows */
        const float64x2_t a = (float64x2_t)sums[i], b = (float64x2_t)sums[i + 1];

        vst1q_s32(rounded + WIDTH * i, vuzp1q_s32(vreinterpretq_s32_s64(vcvtq_s64_f64(a)),
                                                  vreinterpretq_s32_s64(vcvtq_s64_f64(b))));
        least = vminq_f64(least, vsubq_f64(a, vrndq_f64(a)));
        least = vminq_f64(least, vsubq_f64(b, vrndq_f64(b)));
    }
    return (truths)((vector)least - 2 * bound);
}
#else
{
    truths risky = {0};

    UNROLLED
    for (int i = 0; i < COLUMN_VECTORS; i++) {
        const integers floors = __builtin_convertvector(sums[i], integers); /* never negative */
        const vector rest = sums[i] - to_vector(floors);

        *(integers *)(rounded + WIDTH * i) = floors;
        risky |= (truths)(rest - 2 * bound);
    }
    return risky;
}
#endif

INLINED int filter_two_rows(double *const *rows, const double *restrict taps, int64_t halo,
                            double bound, int32_t *const *rounded, int64_t n,
                            const struct fetches *ahead, int64_t bytes)
{
    truths risky[2] = {0};
    bool any[2] = {false, false};

    for (int64_t x = 0; x < n; x += COLUMN_VECTORS * WIDTH) {
        vector sums[2][COLUMN_VECTORS];

        if (x * bytes % CACHE_LINE == 0)
            fetch(ahead, x * bytes);
        sum_rows(rows, taps, halo, 0.5 + bound, x, sums);
        UNROLLED
        for (int row = 0; row < 2; row++)
            risky[row] |= round_sums(sums[row], bound, rounded[row] + x);
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
#define FILTER(HALO) filter_two_rows(rows, taps, HALO, bound, rounded, n, ahead, bytes)
    return FOR_FEW_TAPS(halo, FILTER, FILTER(halo));
#undef FILTER
}

/* For samples of TYPE; in halves of the weight: few instruction sets multiply 64 bits in vectors.
 */
#define DEFINE_SAMPLE_LOOPS(NAME, TYPE)                                                            \
    static void widen_##NAME(const TYPE *restrict src, double *restrict line, int64_t n)           \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++)                                                            \
            line[i] = src[i];                                                                      \
    }                                                                                              \
                                                                                                   \
    static void add_rows_##NAME(const TYPE *restrict above, const TYPE *restrict below,            \
                                uint64_t weight, uint64_t *restrict columns, int64_t n)            \
    {                                                                                              \
        const uint32_t lower = (uint32_t)weight, upper = (uint32_t)(weight >> 32);                 \
                                                                                                   \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const uint32_t both = (uint32_t)above[i] + below[i];                                   \
                                                                                                   \
            columns[i] += (uint64_t)both * lower + ((uint64_t)(both * upper) << 32);               \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void narrow_##NAME(const int32_t *restrict rounded, int32_t maxval, TYPE *restrict dst, \
                              int64_t n)                                                           \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++)                                                            \
            dst[i] = (TYPE)(rounded[i] < maxval ? rounded[i] : maxval);                            \
    }

DEFINE_SAMPLE_LOOPS(u8, uint8_t)
DEFINE_SAMPLE_LOOPS(u16, uint16_t)

extern const struct smooth_loops FOR_ISA(smooth_loops);
const struct smooth_loops FOR_ISA(smooth_loops) = {
    .widen_u8 = widen_u8,
    .widen_u16 = widen_u16,
    .filter_line = filter_any_line,
    .filter_rows = filter_rows,
    .add_rows_u8 = add_rows_u8,
    .add_rows_u16 = add_rows_u16,
    .narrow_u8 = narrow_u8,
    .narrow_u16 = narrow_u16,
};
