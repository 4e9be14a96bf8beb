/* SPDX-License-Identifier: MIT */
/* The inner loops of weighted/weighted.h, compiled once for each instruction set (common/isa.h),
 * and each time for floats and for doubles. "Reals" are either; the void pointers point to them,
 * except src and dst, which point to pixels. Each channel of a row is a plane of reals. */
#ifndef SMOOTHIMG_SMOOTH_WEIGHTED_LOOPS_H
#define SMOOTHIMG_SMOOTH_WEIGHTED_LOOPS_H

#include "kernels/smooth/cpu/loops.h"

#include <stdbool.h>
#include <stdint.h>

#define WEIGHTED_BLOCK 32 /* pixels; the length of a plane of sums is a multiple of this */

/* Floats of so many taps are added up before they are added to others, so that a term of a sum is
 * rounded less often: see smooth_weighted_bound(). */
#define FLOAT_CHUNK 4

/* Two rows of the result, and what they are computed from. */
struct weighted_rows {
    void *const *sums; /* 2 halo + 2 rows of sums, top to bottom */
    int64_t plane;     /* reals in each of a row's planes */
    const void *taps;  /* halo + 1 */
    int64_t halo;      /* down the columns */
    int64_t n;         /* pixels of a row */
    int32_t channels;  /* at least 2; the last one is alpha */
    int32_t sample_bytes;
    uint32_t maxval;
    double bound;       /* of the estimates' errors, in grey levels */
    bool two;           /* or else the first row only */
    const void *src[2]; /* the same pixels before */
    void *dst[2];
    struct unresolved *unresolved; /* of each row; count is increased */
    struct fetches ahead;
};

struct weighted_loops {
    int bytes; /* of a real */

    /* taps[k] = weights[k] 2^-46, rounded, k = 0..halo */
    void (*set_taps)(const uint64_t *weights, int64_t halo, void *taps);

    /* line[c * plane + x] = sample c of pixel x, times the pixel's alpha if it is a colour, x =
     * 0..n-1; zeros up to x = plane - 1. plane is n or more, and a multiple of WEIGHTED_BLOCK. */
    void (*take)(const void *src, int32_t sample_bytes, int32_t channels, void *line, int64_t plane,
                 int64_t n);

    /* out[x] = sum over k = -halo..halo of taps[|k|] line[x + k], x = 0..n-1; n is a multiple of
     * WEIGHTED_BLOCK; line has halo readable values on either side. */
    void (*filter_line)(const void *line, const void *taps, int64_t halo, void *out, int64_t n);

    /* Writes n pixels of one row or two: sums down the columns, those of colours divided by
     * alpha's, rounded, halves up; a colour under no alpha at all stays what it is. Lists the
     * samples that may be wrong. */
    void (*filter_rows)(const struct weighted_rows *rows);
};

/* The loops for both kinds of reals. */
struct weighted_precisions {
    const struct weighted_loops *floats, *doubles;
};

#endif
