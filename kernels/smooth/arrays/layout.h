/* SPDX-License-Identifier: MIT */
/* Sorts the axes of a job by their strides in memory, and joins unfiltered axes that are
 * contiguous. */
#ifndef SMOOTHIMG_ARRAYS_LAYOUT_H
#define SMOOTHIMG_ARRAYS_LAYOUT_H

#include "kernels/common/arrays.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the index in job->axis[] of an axis, or -1 if it is not filtered. */
int array_filtered_index(const struct array_job *job, int axis);

/* Sets *simple to the same job with its axes sorted by their strides in the source, the longest
 * first. Axes that are not filtered are dropped if their length is 1, and joined if they are
 * contiguous in source and result. Alpha's axis, which is the last, stays the last. Writes to
 * `taps` the taps to which *simple points; `taps` has space for ARRAY_FILTERED^2 elements. */
void array_simplify(const struct array_job *job, struct array_job *simple, struct array_taps *taps);

#ifdef __cplusplus
}
#endif

#endif
