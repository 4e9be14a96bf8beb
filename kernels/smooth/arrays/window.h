/* SPDX-License-Identifier: MIT */
/* Windows of single samples, which the estimates of rows leave open. */
#ifndef SMOOTHIMG_ARRAYS_WINDOW_H
#define SMOOTHIMG_ARRAYS_WINDOW_H

#include "kernels/common/arrays.h"

/* One of the samples at this place's window, in every term, if all have the same bits and none is
 * outside of the array; else NULL. */
const char *array_flat_window(const struct array_job *job, const int64_t *place);

#endif
