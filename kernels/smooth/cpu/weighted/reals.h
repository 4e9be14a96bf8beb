/* SPDX-License-Identifier: MIT */
/* The loops of weighted/loops.c for one kind of REAL. That file includes this one twice, having
 * defined what kernels/smooth/cpu/vectors/reals.h asks for, and
 *
 *     LANE       an unsigned integer as long as a REAL
 *     FRACTION   the bits of an estimate's fraction
 */
#define VECTORS (VECTOR_BYTES / REAL_BYTES > 8 ? 2 : 4) /* a WEIGHTED_BLOCK or less */
#include "kernels/smooth/cpu/vectors/reals.h"
#include "kernels/smooth/cpu/weighted/pixels.h"
#include "kernels/smooth/cpu/weighted/columns.h"

static void OF_REALS(set_taps)(const uint64_t *weights, int64_t halo, void *taps)
{
    for (int64_t k = 0; k <= halo; k++)
        ((REAL *)taps)[k] = (REAL)((double)weights[k] * 0x1p-46);
}

INLINED void OF_REALS(take_lanes)(const void *src, int channels, int bits, REAL *line,
                                  int64_t plane, int64_t n)
{
    const int bytes = channels * bits / 8;

    for (int64_t x = 0; x < n; x += WIDTH) {
        const lanes pixels = OF_REALS(load_some)((const char *)src + x * bytes, bytes, n - x);
        const vector alpha = OF_REALS(sample)(pixels, channels - 1, channels, bits);

        UNROLLED
        for (int c = 0; c < channels - 1; c++)
            *(vector *)(line + c * plane + x) = OF_REALS(sample)(pixels, c, channels, bits) * alpha;
        *(vector *)(line + (channels - 1) * plane + x) = alpha;
    }
}

/* For any number of channels. */
static void OF_REALS(take_any)(const void *src, int32_t sample_bytes, int32_t channels, REAL *line,
                               int64_t plane, int64_t n)
{
    for (int32_t c = 0; c < channels; c++)
        for (int64_t x = 0; x < n; x++) {
            const REAL own = (REAL)row_get(src, sample_bytes, x * channels + c);
            const REAL alpha = (REAL)row_get(src, sample_bytes, (x + 1) * channels - 1);

            line[c * plane + x] = c < channels - 1 ? own * alpha : own;
        }
}

static void OF_REALS(take)(const void *src, int32_t sample_bytes, int32_t channels, void *to,
                           int64_t plane, int64_t n)
{
    REAL *line = to;

    for (int32_t c = 0; c < channels; c++)
        memset(line + c * plane + n, 0, (size_t)(plane - n) * sizeof(REAL));
    if (channels == 4 && sample_bytes == 1)
        OF_REALS(take_lanes)(src, 4, 8, line, plane, n);
    else if (channels == 2 && sample_bytes == 1)
        OF_REALS(take_lanes)(src, 2, 8, line, plane, n);
    else if (channels == 2)
        OF_REALS(take_lanes)(src, 2, 16, line, plane, n);
#if REAL_BYTES == 8
    else if (channels == 4)
        OF_REALS(take_lanes)(src, 4, 16, line, plane, n);
#endif
    else
        OF_REALS(take_any)(src, sample_bytes, channels, line, plane, n);
}

static void OF_REALS(filter)(const void *line, const void *taps, int64_t halo, void *out, int64_t n)
{
    OF_REALS(filter_line)(line, taps, halo, 1, out, n);
}

/* Few taps of the samples that these reals are for: all of them unrolled. */
INLINED void OF_REALS(filter_lanes)(const struct weighted_rows *rows, int channels, int bits)
{
    if (rows->halo == 1 && bits == 2 * REAL_BYTES)
        OF_REALS(filter_two_rows)(rows, 1, channels, bits);
    else if (rows->halo == 2 && bits == 2 * REAL_BYTES)
        OF_REALS(filter_two_rows)(rows, 2, channels, bits);
    else
        OF_REALS(filter_two_rows)(rows, rows->halo, channels, bits);
}

static void OF_REALS(filter_rows)(const struct weighted_rows *rows)
{
    const int32_t channels = rows->channels;

    if (channels == 4 && rows->sample_bytes == 1)
        OF_REALS(filter_lanes)(rows, 4, 8);
    else if (channels == 2 && rows->sample_bytes == 1)
        OF_REALS(filter_lanes)(rows, 2, 8);
#if REAL_BYTES == 8
    else if (channels == 4)
        OF_REALS(filter_lanes)(rows, 4, 16);
    else if (channels == 2)
        OF_REALS(filter_lanes)(rows, 2, 16);
#endif
    else
        OF_REALS(filter_any)(rows);
}

static const struct weighted_loops OF_REALS(loops) = {
    .bytes = REAL_BYTES,
    .set_taps = OF_REALS(set_taps),
    .take = OF_REALS(take),
    .filter_line = OF_REALS(filter),
    .filter_rows = OF_REALS(filter_rows),
};

#undef VECTORS
#undef WIDTH
#undef vector
#undef truths
#undef integers
#undef at
#undef lanes
