/* SPDX-License-Identifier: MIT */
/* Compiled once for each instruction set, ISA being its name. The same loops serve floats
 * and doubles. */
#include "kernels/smooth/cpu/weighted/loops.h"

#include "kernels/common/isa.h"
#include "kernels/smooth/cpu/vectors/vectors.h"

#define MAX_PLANES 4 /* of pixels that are vectors' lanes */

static uint32_t sample_at(const void *src, int32_t sample_bytes, int64_t i)
{
    return sample_bytes == 1 ? ((const uint8_t *)src)[i] : ((const uint16_t *)src)[i];
}

static void set_sample(void *dst, int32_t sample_bytes, int64_t i, uint32_t value)
{
    if (sample_bytes == 1)
        ((uint8_t *)dst)[i] = (uint8_t)value;
    else
        ((uint16_t *)dst)[i] = (uint16_t)value;
}

#define CHUNK FLOAT_CHUNK
#define REAL float
#define REAL_BYTES 4
#define WHOLE int32_t
#define LANE uint32_t
#define FRACTION 16
#define OF_REALS(STEM) STEM##_floats
#include "kernels/smooth/cpu/weighted/reals.h"
#undef CHUNK
#undef REAL
#undef REAL_BYTES
#undef WHOLE
#undef LANE
#undef FRACTION
#undef OF_REALS

#define CHUNK MAX_HALO
#define REAL double
#define REAL_BYTES 8
#define WHOLE int64_t
#define LANE uint64_t
#define FRACTION 32
#define OF_REALS(STEM) STEM##_doubles
#include "kernels/smooth/cpu/weighted/reals.h"

/* As many columns of the window as a vector has lanes, from x on, or what is left of them: sums
 * down them, each times its weight along the row. */
INLINED void add_columns(const struct weighted_window *window, int64_t x, const double *taps_x,
                         int channels, vector_doubles totals[MAX_PLANES])
{
    const int64_t n = 2 * window->halo_x + 1 - x, halo = window->halo_y;
    const uint8_t *row = window->first + x * channels;
    vector_doubles columns[MAX_PLANES] = {0};

    for (int64_t k = -halo; k <= halo; k++, row += window->stride) {
        const lanes_doubles pixels = load_some_doubles(row, channels, n);
        const vector_doubles alpha = sample_doubles(pixels, channels - 1, channels, 8);
        const double tap = window->taps_y[k < 0 ? -k : k];

        UNROLLED
        for (int c = 0; c < channels - 1; c++)
            columns[c] += tap * (sample_doubles(pixels, c, channels, 8) * alpha);
        columns[channels - 1] += tap * alpha;
    }
    UNROLLED
    for (int c = 0; c < channels; c++)
        totals[c] += columns[c] * at_doubles(taps_x);
}

/* The last columns are the window's last, some of them a second time, with weights of 0: to take
 * fewer would take longer. */
INLINED void sum_columns(const struct weighted_window *window, int channels, double *sums)
{
    const int64_t width = VECTOR_BYTES / (int)sizeof(double), n = 2 * window->halo_x + 1;
    const int64_t whole = n - n % width;
    vector_doubles totals[MAX_PLANES] = {0};

    for (int64_t x = 0; x < whole; x += width)
        add_columns(window, x, window->taps_x + x, channels, totals);
    if (whole == 0) {
        add_columns(window, 0, window->taps_x, channels, totals);
    } else if (whole < n) {
        double taps[VECTOR_BYTES / sizeof(double)] = {0};

        for (int64_t x = whole; x < n; x++)
            taps[x - n + width] = window->taps_x[x];
        add_columns(window, n - width, taps, channels, totals);
    }
    for (int c = 0; c < channels; c++) {
        sums[c] = 0;
        for (int i = 0; i < width; i++)
            sums[c] += totals[c][i];
    }
}

static void sum_window(const struct weighted_window *window, double *sums)
{
    if (window->channels == 4)
        sum_columns(window, 4, sums);
    else
        sum_columns(window, 2, sums);
}

extern const struct weighted_precisions FOR_ISA(weighted_loops);
const struct weighted_precisions FOR_ISA(weighted_loops) = {&loops_floats, &loops_doubles,
                                                            sum_window};
