/* SPDX-License-Identifier: MIT */
/* The inner loops of the estimate for 8-bit samples (u8/weights.h), compiled once for each
 * instruction set (common/isa.h). Row sums are stored in the order that the instructions produce
 * (loops.c); the sums down the columns keep that order.
 *
 * Terms: integer weights have one or two digits of 15 bits (weights.h). A sample is unresolved
 * if the error bound does not prove its rounding. `step` is the distance from a sample to the
 * next of its channel, `reach` that from the centre of a window to its last sample. A segment is
 * a range of columns that is computed from top to bottom before the next one. */
#ifndef SMOOTHIMG_SMOOTH_U8_LOOPS_H
#define SMOOTHIMG_SMOOTH_U8_LOOPS_H

#include "kernels/smooth/cpu/u8/weights.h"

#include <stdint.h>

#define CACHE_LINE 64 /* bytes */
#define U8_BLOCK 64   /* samples that these loops process at a time, in every instruction set */

/* Rows that are needed soon, to be prefetched. The hardware prefetches only within a page of 4 KiB,
 * and the next row is usually on another page. Without a hint every row would begin with a wait for
 * memory. */
struct fetches {
    const void *read[2], *written[2]; /* the addresses need not be valid */
};

/* Prefetches at byte x of each row. */
static inline __attribute__((always_inline)) void fetch(const struct fetches *ahead, int64_t x)
{
    for (int i = 0; i < 2; i++) {
        __builtin_prefetch((const char *)ahead->read[i] + x, 0, 3);
        __builtin_prefetch((const char *)ahead->written[i] + x, 1, 3);
    }
}

/* One or two rows of the source, from the first sample that their sums need. Sums head..tail-1 are
 * computed from the image itself. The others are computed from lines, which are copies of the rows'
 * ends with the samples that the edge rule adds (ring.h). */
struct source_rows {
    const uint8_t *direct[2], *lines[2];
    int64_t head, tail; /* multiples of U8_BLOCK */
};

/* The samples of a row whose rounding the error bound does not prove: their indices, from 0. */
struct unresolved {
    int32_t *places; /* space for all samples of the row; the caller owns it */
    int64_t count;
};

struct smooth_u8_loops {
    /* Filters the first source row with the integer weights W(k): sums[x] = sum over k =
     * -halo_x..halo_x of W(k) src[x + (halo_x + k) step], x = 0..n-1, stored in the order that the
     * instructions produce. n is a multiple of U8_BLOCK. */
    void (*filter_bytes)(const struct source_rows *source, const struct smooth_u8_weights *weights,
                         int64_t step, float *sums, int64_t n);

    /* Computes two rows of n samples from 2 halo_y + 2 rows of sums, whose lengths are n rounded up
     * to a multiple of U8_BLOCK: dst[0] from rows[0..2 halo_y], dst[1] from rows[1..2 halo_y + 1].
     * Lists the unresolved samples in unresolved[0] and [1]. Prefetches n bytes at each address of
     * *ahead.
     *
     * If source is not NULL, first computes the last two rows of sums, as filter_bytes does, in the
     * same loop. With few taps this saves time, since most of the work would be to write the sums
     * to the cache and to read them again. A source is passed only if both axes have the same halo,
     * from 1 to fused_halo, and the weights have one digit. */
    void (*filter_rows)(const struct source_rows *source, float *const *rows,
                        const struct smooth_u8_weights *weights, int64_t step, uint8_t *const *dst,
                        struct unresolved *unresolved, int64_t n, const struct fetches *ahead);

    /* The greatest halo for which filter_rows is faster with a source; 0: none. */
    int64_t fused_halo;

    /* Returns one sample's value in doubles, before rounding. window: the first of the samples that
     * the value depends on; stride: bytes between rows. Rounds a column's sum at most halo_y + 1
     * times. */
    double (*filter_sample)(const uint8_t *window, int64_t stride,
                            const struct smooth_u8_weights *weights);

    /* Computes n samples of a row in doubles. window: the first of the samples that they depend on;
     * columns, values: buffers for n + 2 reach numbers, rounded up to a multiple of U8_BLOCK; the
     * window has as many columns. Stores the results before rounding in `values`. Returns true if
     * the bound does not prove all roundings. */
    bool (*filter_dense)(const uint8_t *window, int64_t stride,
                         const struct smooth_u8_weights *weights, int64_t step, double *columns,
                         double *values, uint8_t *dst, int64_t n);
};

#endif
