/* SPDX-License-Identifier: MIT */
/* The definition: one sample of the result, as plain loops over its window and one exact sum. */
#ifndef SMOOTHIMG_ARRAYS_EXACT_H
#define SMOOTHIMG_ARRAYS_EXACT_H

#include "kernels/common/arrays.h"

/* The bits of the result at this place, one coordinate for each axis. */
uint64_t array_exact(const struct array_job *job, const int64_t *place);

#endif
