/* SPDX-License-Identifier: MIT */
/* smooth_cpu at large halos, at a cost that does not grow with the halo: sums of cosines in doubles
 * (series.h), down the columns and then along the rows, proved right or computed again.
 *
 * LINES rows are summed down their columns, by recursions whose state is kept for each column; then
 * the LINES rows side by side along the rows. No sums are kept but those of these LINES rows. An
 * axis with a small halo is summed directly.
 *
 * The bound on the error, for samples up to X, where an axis has weights of sum S, the cosines' sum
 * is `off` by d, and N steps of the recursion round by r X each: of a column's sum
 *     E = (d + N r) X
 * and its size is less than Z = S X + E. A row's sum adds (d + N r) Z of its own axis, and sums the
 * errors of columns: E (S + d). Few samples lie within the bound of a half, but at halo 1024 a
 * repair takes as long as a thousand pixels: see USEFUL. */
#ifndef SMOOTHIMG_SMOOTH_COSINES_H
#define SMOOTHIMG_SMOOTH_COSINES_H

#include "kernels/smooth/cpu/cosines/loops.h"
#include "kernels/variant.h"

/* What all threads share. */
struct cosines_plan {
    const struct job *job;
    struct cosines_axis x, y;
    double bound; /* in grey levels */
};

/* Whether halos and size are such that this path is the fastest, if the weights suit it. */
bool smooth_cosines_pay(const struct job *job);

/* As in struct variant; for jobs that pay. */
size_t smooth_cosines_scratch_bytes(const struct job *job);

/* Computes, or returns false if the weights do not suit it. */
bool smooth_cosines_run(const struct job *job);

/* Fills *plan; taps is room for 2 (MAX_DIRECT + 1) values. False if the weights do not suit it. */
bool smooth_cosines_prepare(const struct job *job, double *taps, struct cosines_plan *plan);

#define MAX_DIRECT 64       /* the halo of an axis that is summed directly, at most */
#define MAX_BAND_ROWS 16384 /* that a recursion goes down, and pixels that it goes along */

#endif
