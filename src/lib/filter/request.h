/* SPDX-License-Identifier: MIT */
/* What is asked of an operation on images. */
#ifndef SMOOTHIMG_REQUEST_H
#define SMOOTHIMG_REQUEST_H

#include "src/lib/filter/gauss.h"

/* By one thread, with all that the filter reaches beside src. filter: of smooth, which has to
 * outlive it; NULL: nothing is smoothed. */
struct request request_of(enum op op, const struct plane_filter *filter, uint32_t maxval,
                          struct view src, struct view dst);

/* Rows first..last-1 of the first image, of a request that is no transpose unless these are all. */
struct request request_rows(const struct request *all, int64_t first, int64_t last);

#endif
