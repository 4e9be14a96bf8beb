/* SPDX-License-Identifier: MIT */
/* The inner loops of cosines/cosines.h, compiled once for each instruction set (common/isa.h). They
 * compute LINES rows at a time. The LINES sums of a column are adjacent in memory, so that a vector
 * holds several rows, and the recursions along the rows run in vectors too.
 *
 * A sample is unresolved if the error bound does not prove its rounding. */
#ifndef SMOOTHIMG_SMOOTH_COSINES_LOOPS_H
#define SMOOTHIMG_SMOOTH_COSINES_LOOPS_H

#include "kernels/smooth/cpu/cosines/series.h"

#define LINES 8       /* rows that are filtered at a time */
#define STRIP 8       /* most columns that sum_columns takes at a time */
#define MAX_DIRECT 64 /* the largest halo of an axis that is summed directly */
#define LINE_STEP 32  /* pixels that sum_line takes at a time */

/* The weights of an axis as the loops apply them: a series of cosines, or, if the halo is small,
 * the taps themselves. */
struct cosines_axis {
    bool direct;
    int64_t halo; /* reach of the weights that are not 0 */
    struct cosine_series series;
    const double *taps; /* direct: taps 0..halo, from the centre outwards, in units of 1 */
};

struct cosines_columns {
    const struct cosines_axis *axis;
    /* Two lists of LINES + 1 source rows: those that enter the window and those that leave it. For
     * a direct axis, `entering` lists all LINES + 2 halo rows, from the window's first row on. */
    const void *const *entering, *const *leaving;
    int32_t sample_bytes;
    double middle; /* subtracted from each sample */
    int64_t n;     /* columns, at least STRIP */
    double *state; /* cosines_state_bytes() bytes */
};

/* One channel of LINES rows. */
struct cosines_line {
    const struct cosines_axis *axis;
    const double *sums;  /* the first pixel that enters the window; 2 halo + 2 zeros precede it */
    int64_t step;        /* samples from a pixel to the next */
    int64_t n;           /* pixels of the result */
    double bound, raise; /* raise: added to each sum; it includes 1/2 and the bound */
    int32_t maxval, sample_bytes;
    void *const *dst;           /* LINES rows, NULL for a row that is not wanted */
    uint8_t *const *unresolved; /* set to 1 for samples that the bound leaves unresolved */
};

struct smooth_cosines_loops {
    /* Advances the recursions by LINES rows. `sums` has space for LINES sums of each column, or is
     * NULL. */
    void (*sum_columns)(const struct cosines_columns *columns, double *sums);

    /* Sums along LINES rows, rounds and stores. Returns whether any sample is unresolved. Reads
     * LINE_STEP pixels more than the result needs. */
    bool (*sum_line)(const struct cosines_line *line);
};

/* Returns the bytes of the recursions' state for n columns. */
static inline int64_t cosines_state_bytes(int64_t n, int groups)
{
    return (n + STRIP) * groups * GROUP_TERMS * 2 * (int64_t)sizeof(double);
}

#endif
