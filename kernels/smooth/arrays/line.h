/* SPDX-License-Identifier: MIT */
/* The last pass, along a line, with a storer right behind it: what it makes stays in registers.
 * Part of loops.c. */
#ifndef SMOOTHIMG_ARRAYS_LINE_H
#define SMOOTHIMG_ARRAYS_LINE_H

#define PLUS_PRODUCT(SUM, TAP, VECTOR) fused(all(TAP), VECTOR, SUM)
#include "kernels/smooth/cpu/vectors/windows.h"

INLINED void sum_line(const double *centre, const double *taps, int64_t halo, int64_t step,
                      vector sums[VECTORS])
{
#if VECTOR_BYTES > 16
    _Static_assert(SLID == VECTORS, "windows have as many vectors");
    if (step == 1 && halo >= WIDTH) {
        sum_windows(centre, taps, halo, sums);
        return;
    }
#endif
    UNROLLED
    for (int i = 0; i < VECTORS; i++)
        sums[i] = fused(all(taps[0]), at(centre + WIDTH * i), all(0));
    for (int64_t k = 1; k <= halo; k++) {
        const double *left = centre - k * step, *right = centre + k * step;

        UNROLLED
        for (int i = 0; i < VECTORS; i++)
            sums[i] = fused(all(taps[k]), at(left + WIDTH * i) + at(right + WIDTH * i), sums[i]);
    }
}

#define SAME_BOUND(SIZE, B) all(B)
#define BOUND_OF_SIZE(SIZE, B) ((SIZE) * (B))

/* store_line_NAME, of STEM _NAME: samples of TYPE by ROUND. The bound is BOUND of magnitudes, which
 * are the sums themselves or, if sized, others. */
#define DEFINE_STORE_LINE(STEM, TYPE, ROUND, BOUND)                                                \
    INLINED truths store_block##STEM(const struct array_line *line, int64_t step, bool sized,      \
                                     double b, int64_t x, TYPE *dst)                               \
    {                                                                                              \
        vector sums[VECTORS], magnitudes[VECTORS];                                                 \
        truths open = {0};                                                                         \
                                                                                                   \
        sum_line(line->values + x, line->taps, line->halo, step, sums);                            \
        if (sized)                                                                                 \
            sum_line(line->magnitudes + x, line->taps, line->halo, step, magnitudes);              \
        UNROLLED                                                                                   \
        for (int i = 0; i < VECTORS; i++) {                                                        \
            const vector size = sized ? magnitudes[i] : sums[i];                                   \
                                                                                                   \
            open |= ROUND(sums[i], BOUND(size, b), (char *)(dst + WIDTH * i));                     \
            if (sized)                                                                             \
                open |= ~all_finite(size);                                                         \
        }                                                                                          \
        return open;                                                                               \
    }                                                                                              \
                                                                                                   \
    INLINED bool store_blocks##STEM(const struct array_line *line, int64_t step, bool sized,       \
                                    double b, int64_t n, TYPE *dst)                                \
    {                                                                                              \
        const struct array_line local = *line; /* which no store changes */                        \
        TYPE end[VECTORS * WIDTH];                                                                 \
        truths open = {0};                                                                         \
        int64_t x = 0;                                                                             \
                                                                                                   \
        for (; x + VECTORS * WIDTH <= n; x += VECTORS * WIDTH)                                     \
            open |= store_block##STEM(&local, step, sized, b, x, dst + x);                         \
        if (x < n)                                                                                 \
            open |= store_block##STEM(&local, step, sized, b, x, end);                             \
        memcpy(dst + x, end, (size_t)(n - x) * sizeof(TYPE));                                      \
        return !any_negative(open);                                                                \
    }                                                                                              \
                                                                                                   \
    static bool store_line##STEM(const struct array_line *line, double b, int64_t n, void *dst)    \
    {                                                                                              \
        if (line->magnitudes && line->magnitudes != line->values)                                  \
            return store_blocks##STEM(line, line->step, true, b, n, dst);                          \
        if (line->step == 1)                                                                       \
            return store_blocks##STEM(line, 1, false, b, n, dst);                                  \
        return store_blocks##STEM(line, line->step, false, b, n, dst);                             \
    }

#define DEFINE_STORE_LINE_OF(SAMPLE, NAME, TYPE, LEAST, MOST)                                      \
    DEFINE_STORE_LINE(_##NAME, TYPE, round_all_##NAME, SAME_BOUND)
SMALL_INTEGERS(DEFINE_STORE_LINE_OF)
DEFINE_STORE_LINE(_f32, float, round_floats, BOUND_OF_SIZE)

static bool store_line(const struct array_line *line, const struct array_bound *bound,
                       enum sample_type type, int64_t n, void *dst)
{
    static bool (*const stores[SAMPLE_TYPES])(const struct array_line *, double, int64_t,
                                              void *) = {
#define ROW(SAMPLE, NAME, TYPE, LEAST, MOST) [SAMPLE] = store_line_##NAME,
        SMALL_INTEGERS(ROW)
#undef ROW
            [SAMPLE_F32] = store_line_f32};
    const bool sized = line->magnitudes != NULL;

    if (!stores[type] || sized != (type == SAMPLE_F32))
        return false;
    return stores[type](line, sized ? 1.001 * bound->relative + 0x1p-51 : 1.25 * bound->absolute, n,
                        dst);
}

#endif
