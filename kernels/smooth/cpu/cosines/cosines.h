/* SPDX-License-Identifier: MIT */
/* The engine of smooth_cpu for large halos: its cost does not grow with the halo. It sums cosines
 * (series.h) in doubles, down the columns and then along the rows. Each sample is proved right or
 * computed again.
 *
 * It takes LINES rows at a time: down their columns, by recursions with a state for each column;
 * then along these rows, side by side. An axis with a small halo is summed directly.
 *
 * About one sample in some millions is computed again. */
#ifndef SMOOTHIMG_SMOOTH_COSINES_H
#define SMOOTHIMG_SMOOTH_COSINES_H

#include "kernels/smooth/cpu/cosines/plan.h"

/* As in struct engine. The state is a cosines_plan. */
const char *smooth_cosines_refuses(const struct request *request);
size_t smooth_cosines_scratch_bytes(const struct request *request, const void *state);
const char *smooth_cosines_run(const struct piece *piece);

#endif
