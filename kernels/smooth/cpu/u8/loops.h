/* SPDX-License-Identifier: MIT */
/* The inner loops of the estimate for 8-bit samples (u8/weights.h), compiled once for each
 * instruction set (common/isa.h). A row of sums is in the order that words_low and words_high leave
 * (cpu/vectors.h): the sums down the columns do not mind. */
#ifndef SMOOTHIMG_SMOOTH_U8_LOOPS_H
#define SMOOTHIMG_SMOOTH_U8_LOOPS_H

#include "kernels/smooth/cpu/loops.h"
#include "kernels/smooth/cpu/u8/weights.h"

#include <stdint.h>

#define U8_BLOCK 128 /* samples that these loops take at a time, in every instruction set */

#define U8_FUSED_HALO 4

/* The samples of a row that failed the test: their places, from 0. */
struct unresolved {
    int32_t *places; /* room for a whole row */
    int64_t count;
};

struct smooth_u8_loops {
    /* line[i] = src[i], i = 0..n-1 */
    void (*widen)(const uint8_t *src, int16_t *line, int64_t n);

    /* sums[..] = sum over k = -halo..halo of W(k) line[x + k step], x = 0..n-1, in the loops' own
     * order. n is a multiple of U8_BLOCK; line has (halo + 1) * step readable words on either side.
     */
    void (*filter_line)(const int16_t *line, const struct smooth_u8_weights *weights, int64_t step,
                        float *sums, int64_t n);

    /* Two rows of pixels from 2 halo + 2 rows of sums: the first from rows[0..2 halo], the second
     * from the row below on. Writes n rounded up to U8_BLOCK, and lists which of the first n
     * are unresolved. Prefetches n bytes at each address of *ahead. */
    void (*filter_rows)(float *const *rows, const struct smooth_u8_weights *weights,
                        uint8_t *const *dst, struct unresolved *unresolved, int64_t n,
                        const struct fetches *ahead);

    /* filter_line for the two lowest of the 2 halo + 2 rows of sums, from the samples themselves,
     * and filter_rows, in one: with few taps the work lies in what goes to the cache and back. For
     * one channel, one digit, halos 1 to U8_FUSED_HALO, and n a multiple of U8_BLOCK. src[r][halo]
     * is the sample that belongs to the first sum of row 2 halo + r. */
    void (*filter_fused)(const uint8_t *const *src, float *const *rows,
                         const struct smooth_u8_weights *weights, uint8_t *const *dst,
                         struct unresolved *unresolved, int64_t n, const struct fetches *ahead);

    /* The value of one sample in doubles; window is the first sample of the first row that it
     * depends on. Takes weights->reach up to U8_MAX_REACH. NULL in instruction sets that have no
     * vectors for it. No term of the sum is rounded more often than halo + reach / 4 + 7 times:
     * halo + 1 down its column, once for each 8 columns of the 2 reach + 1, three times at last. */
    double (*filter_sample)(const uint8_t *window, int64_t stride,
                            const struct smooth_u8_weights *weights);
};

#endif
