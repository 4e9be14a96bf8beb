/* SPDX-License-Identifier: MIT */
/* Jobs with their axes in the order in which they lie in memory. */
#ifndef SMOOTHIMG_ARRAYS_LAYOUT_H
#define SMOOTHIMG_ARRAYS_LAYOUT_H

#include "kernels/common/arrays.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which of the job's filtered axes an axis is; -1: it is not filtered. */
int array_filtered_index(const struct array_job *job, int axis);

/* The same job, with the axes in the order in which they lie in the source's memory, and those that
 * are not filtered joined where they can be; alpha's, which is the last one, stays that. taps: room
 * for ARRAY_FILTERED^2. */
void array_simplify(const struct array_job *job, struct array_job *simple, struct array_taps *taps);

#ifdef __cplusplus
}
#endif

#endif
