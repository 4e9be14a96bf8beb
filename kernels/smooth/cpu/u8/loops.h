/* SPDX-License-Identifier: MIT */
/* The inner loops of the estimate and of the repair of 8-bit samples (u8/weights.h), compiled once
 * for each instruction set (common/isa.h). Sums along the rows are stored in the order that the
 * instructions produce (rows_pairs.h, rows_neon.h); the sums down the columns keep that order.
 *
 * Terms: integer weights have one or two digits of 15 bits (weights.h). A sample is unresolved if
 * the error bound does not prove its rounding. `step` is the distance from a sample to the next of
 * its channel, in samples. `reach` is halo_x * step: how many samples the filter reaches to each
 * side along a row. A segment is a range of columns that is computed from top to bottom before the
 * next one. */
#ifndef SMOOTHIMG_SMOOTH_U8_LOOPS_H
#define SMOOTHIMG_SMOOTH_U8_LOOPS_H

#include "kernels/smooth/cpu/u8/weights.h"

#include <stdint.h>

#define CACHE_LINE 64 /* bytes */
/* Lengths of rows of sums are multiples of this. So they consist of whole vectors in every
 * instruction set: no loop computes more than 64 samples at a time. */
#define U8_BLOCK 64

/* Rows of the source and of the result that are needed soon, to be prefetched. The hardware
 * prefetches only within a page of 4 KiB, and the next row is usually on another page. Without a
 * hint every row would begin with a wait for memory. */
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

/* One or two rows of the source. direct[i] and lines[i] point to the first sample that the sums of
 * row i need: direct[i] in the image itself, lines[i] in a copy of the row's ends with the samples
 * that the edge rule adds (ring.h). Sums head..tail-1 are computed from `direct`, all others from
 * `lines`. For a row that the edge rule makes zero, both pointers are to zeros. */
struct source_rows {
    const uint8_t *direct[2], *lines[2];
    int64_t head, tail; /* multiples of U8_BLOCK */
};

/* The unresolved samples of a row: their indices, counted from the segment's first sample. */
struct unresolved {
    int32_t *places; /* space for all samples of the row; the caller owns it */
    int64_t count;
};

struct smooth_u8_loops {
    /* Sums along the first source row with the integer weights W(k). The sum for sample x, 0..n-1,
     * is the sum over k = -halo_x..halo_x of W(k) src[x + (halo_x + k) step], where src is
     * source->direct[0] or source->lines[0]. The sums are stored in the order that the instructions
     * produce. n is a multiple of U8_BLOCK. */
    void (*filter_bytes)(const struct source_rows *source, const struct smooth_u8_weights *weights,
                         int64_t step, float *sums, int64_t n);

    /* Computes two rows of n samples from 2 halo_y + 2 rows of sums: dst[0] from rows[0..2 halo_y],
     * dst[1] from rows[1..2 halo_y + 1]. The length of each row of sums is n rounded up to a
     * multiple of U8_BLOCK. Adds the unresolved samples of dst[0] to unresolved[0], those of dst[1]
     * to unresolved[1]. Prefetches n bytes at each address of *ahead.
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

    /* Returns one sample's value in doubles, before rounding. window: the top left one of the
     * samples that the value depends on; stride: bytes between rows. Rounds a column's sum at most
     * halo_y + 1 times, which weights.c assumes. */
    double (*filter_sample)(const uint8_t *window, int64_t stride,
                            const struct smooth_u8_weights *weights);

    /* Computes n samples of a row in doubles. window: the top left one of the samples that they
     * depend on. columns, values: buffers for n + 2 reach numbers, rounded up to a multiple of
     * U8_BLOCK, and U8_BLOCK more; the window has as many columns. Stores the values before
     * rounding in `values`, and the rounded ones in dst. Returns true if the bound does not prove
     * all roundings. */
    bool (*filter_dense)(const uint8_t *window, int64_t stride,
                         const struct smooth_u8_weights *weights, int64_t step, double *columns,
                         double *values, uint8_t *dst, int64_t n);
};

#endif
