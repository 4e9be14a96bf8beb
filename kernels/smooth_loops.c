/* SPDX-License-Identifier: MIT */
/* Compiled once for each level of the processor, LEVEL being its name: plain C, wide vectors out.
 * Each pass reads two values and does an addition and a fused multiplication for every pair of
 * taps; the sums of LANES samples stay in registers meanwhile, hence the vector type: over plain
 * arrays compilers compute the same, but keep the sums in memory, at half the speed or less. */
#include "smooth_loops.h"

#ifdef __AVX512F__
#define VECTOR_BYTES 64
#elif defined __AVX__
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif
#define WIDTH (VECTOR_BYTES / 8)
#define VECTORS (LANES / WIDTH)

/* As wide as the machine's registers (a wider one would live in memory). Need not be aligned. */
typedef double vector __attribute__((vector_size(VECTOR_BYTES), aligned(8), may_alias));

static inline vector at(const double *line)
{
    return *(const vector *)line;
}

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

static void filter_line(const double *restrict line, const double *restrict taps, int64_t halo,
                        int64_t step, double *restrict out, int64_t n)
{
    for (int64_t x = 0; x < n; x += LANES) {
        const double *centre = line + x;
        vector sums[VECTORS];

        for (int i = 0; i < VECTORS; i++)
            sums[i] = taps[0] * at(centre + WIDTH * i);
        for (int64_t k = 1; k <= halo; k++)
            for (int i = 0; i < VECTORS; i++)
                sums[i] += taps[k] *
                           (at(centre + WIDTH * i - k * step) + at(centre + WIDTH * i + k * step));
        for (int i = 0; i < VECTORS; i++)
            *(vector *)(out + x + WIDTH * i) = sums[i];
    }
}

static void filter_rows(double *const *rows, const double *restrict taps, int64_t halo,
                        double *restrict out, int64_t n)
{
    for (int64_t x = 0; x < n; x += LANES) {
        vector sums[VECTORS];

        for (int i = 0; i < VECTORS; i++)
            sums[i] = taps[0] * at(rows[halo] + x + WIDTH * i);
        for (int64_t k = 1; k <= halo; k++) {
            const double *above = rows[halo - k] + x, *below = rows[halo + k] + x;

            for (int i = 0; i < VECTORS; i++)
                sums[i] += taps[k] * (at(above + WIDTH * i) + at(below + WIDTH * i));
        }
        for (int i = 0; i < VECTORS; i++)
            *(vector *)(out + x + WIDTH * i) = sums[i];
    }
}

static bool round_row(const double *restrict sums, int32_t *restrict rounded, int64_t n,
                      int32_t maxval, double bound)
{
    int risky = 0;

    for (int64_t i = 0; i < n; i++) {
        const double raised = sums[i] + 0.5;
        const int32_t floor = (int32_t)raised; /* never negative */
        const double rest = raised - floor;

        risky |= (rest < bound) | (rest > 1 - bound);
        rounded[i] = floor < maxval ? floor : maxval;
    }
    return risky != 0;
}

static void narrow_u8(const int32_t *restrict rounded, uint8_t *restrict dst, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        dst[i] = (uint8_t)rounded[i];
}

static void narrow_u16(const int32_t *restrict rounded, uint16_t *restrict dst, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        dst[i] = (uint16_t)rounded[i];
}

#define NAME_OF(LEVEL) smooth_loops_##LEVEL
#define NAME(LEVEL) NAME_OF(LEVEL)
#define TEXT_OF(LEVEL) #LEVEL
#define TEXT(LEVEL) TEXT_OF(LEVEL)

extern const struct smooth_loops NAME(LEVEL);
const struct smooth_loops NAME(LEVEL) = {
    .level = TEXT(LEVEL),
    .widen_u8 = widen_u8,
    .widen_u16 = widen_u16,
    .filter_line = filter_line,
    .filter_rows = filter_rows,
    .round_row = round_row,
    .narrow_u8 = narrow_u8,
    .narrow_u16 = narrow_u16,
};
