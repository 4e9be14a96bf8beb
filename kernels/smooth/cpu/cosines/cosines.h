/* SPDX-License-Identifier: MIT */
/* smooth_cpu at large halos, at a cost that does not grow with the halo: sums of cosines in doubles
 * (series.h), down the columns and then along the rows, proved right or computed again.
 *
 * LINES rows are summed down their columns, by recursions whose state is kept for each column; then
 * the LINES rows side by side along the rows. No sums are kept but those of these LINES rows. An
 * axis with a small halo is summed directly.
 *
 * Few samples lie within the bound of a half: one in some millions. */
#ifndef SMOOTHIMG_SMOOTH_COSINES_H
#define SMOOTHIMG_SMOOTH_COSINES_H

#include "kernels/smooth/cpu/cosines/plan.h"

/* As in struct engine, for integers that no alpha weights. The state is a cosines_plan. */
const char *smooth_cosines_refuses(const struct request *request);
size_t smooth_cosines_scratch_bytes(const struct request *request, const void *state);
const char *smooth_cosines_run(const struct piece *piece);

#endif
