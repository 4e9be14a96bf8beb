/* SPDX-License-Identifier: MIT */
/* Rows smoothed separably in doubles, proved right or put right: for 16-bit samples, for halos that
 * smooth_u8 does not take, and for rows where its estimate leaves too many samples in doubt.
 *
 * A row is filtered once, horizontally, into a ring of the last 2 halo + 2 such rows; two rows of
 * the output are vertical sums over the ring. 2 (2 halo + 1) taps a sample in place of (2 halo +
 * 1)^2. Columns are worked off in segments, so that the ring stays in the second-level cache;
 * samples on either side of the centre are added before they are multiplied, which halves the
 * products.
 *
 * Doubles round. But the error is bounded (see smooth_doubles_bound), and a value further than the
 * bound from a half rounds to the same integer as the exact sum. A segment with a sample that lies
 * nearer is computed again in integers (smooth_exact_span). So the result is the definition's,
 * whatever the order of the sums, and whether or not the compiler fuses multiplication and
 * addition. */
#ifndef SMOOTHIMG_SMOOTH_DOUBLES_H
#define SMOOTHIMG_SMOOTH_DOUBLES_H

#include "smooth_loops.h"
#include "variant.h"

/* One thread's work. Lengths are in samples, not pixels: a pixel's neighbour is `step` away. */
struct smooth_doubles {
    const struct job *job;
    const struct smooth_loops *loops;
    int64_t step;  /* samples to the next pixel of the same channel */
    int64_t reach; /* halo * step */
    int64_t tile;  /* greatest length of a segment */
    double bound;  /* see smooth_doubles_bound */

    int64_t first, n; /* the segment of the rows that is being worked on */
    int64_t padded;   /* n, rounded up to LANES: as much is computed */
    int64_t next;     /* the source row that goes into the ring next */

    double *taps;        /* halo + 1 of them, from the centre outwards, the weights in units of 1 */
    double *line;        /* tile + 2 reach: the source row in doubles */
    double *ring;        /* 2 halo + 2 rows of tile */
    double **rows;       /* 2 halo + 2 pointers into the ring, top to bottom */
    int32_t *rounded[2]; /* tile */
    uint64_t *columns;   /* tile + 2 reach: for smooth_exact_span */
};

/* How far a sum in doubles may be from the exact sum / 2^92, in grey levels, if no term of it is
 * rounded more than `roundings` times. */
double smooth_doubles_bound(const struct job *job, int64_t roundings);

/* Bytes of scratch for one thread and segments of up to `tile` samples, a multiple of LANES. */
size_t smooth_doubles_bytes(const struct job *job, int64_t tile);

/* Begins with scratch from `base`, aligned to 64 bytes. */
void smooth_doubles_open(struct smooth_doubles *doubles, const struct job *job, int64_t tile,
                         void *base);

/* Goes on to another segment of the rows. */
void smooth_doubles_segment(struct smooth_doubles *doubles, int64_t first, int64_t n);

/* Writes the segment of row y and, if it is above `last`, of row y + 1. Rows may be left out on the
 * way down; what of the ring is not there is then filled first. */
void smooth_doubles_rows(struct smooth_doubles *doubles, int64_t y, int64_t last);

#endif
