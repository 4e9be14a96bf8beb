/* SPDX-License-Identifier: MIT */
/* Sorts the axes of jobs as they are in memory. */
#ifndef SMOOTHIMG_ARRAYS_LAYOUT_H
#define SMOOTHIMG_ARRAYS_LAYOUT_H

#include "kernels/common/arrays.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns which of the job's filtered axes an axis is, or -1 if it is not filtered. */
int array_filtered_index(const struct array_job *job, int axis);

/* Makes the same job with its axes in the order of the source's memory, and with axes that are not
 * filtered joined where possible. Alpha's axis, which is the last, stays the last. `taps` has space
 * for ARRAY_FILTERED^2. */
void array_simplify(const struct array_job *job, struct array_job *simple, struct array_taps *taps);

#ifdef __cplusplus
}
#endif

#endif
