/* SPDX-License-Identifier: MIT */
/* The engine of smooth_cpu for large halos: its cost does not grow with the halo. It sums cosines
 * (series.h) in doubles, down the columns and then along the rows. A sample whose rounding the
 * error bound does not prove is computed again.
 *
 * It computes LINES rows at a time: first sums down the columns, by recursions with a state for
 * each column, then sums along these rows, side by side in a vector. An axis with a small halo is
 * summed directly.
 *
 * About one sample in a few million is computed again. */
#ifndef SMOOTHIMG_SMOOTH_COSINES_H
#define SMOOTHIMG_SMOOTH_COSINES_H

#include "kernels/smooth/cpu/cosines/plan.h"

/* These are members of a struct engine (variant.h). The state is a cosines_plan. */
const char *smooth_cosines_refuses(const struct request *request);
size_t smooth_cosines_scratch_bytes(const struct request *request, const void *state);
const char *smooth_cosines_run(const struct piece *piece);

#endif
