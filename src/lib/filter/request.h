/* SPDX-License-Identifier: MIT */
/* What is asked of an operation on images: requests are made here, and nowhere else. */
#ifndef SMOOTHIMG_REQUEST_H
#define SMOOTHIMG_REQUEST_H

#include "src/lib/filter/gauss.h"

/* By one thread, with all that the filter reaches beside src. filter: of smooth, which has to
 * outlive it; NULL: nothing is smoothed. */
struct request request_of(enum op op, const struct plane_filter *filter, uint32_t maxval,
                          struct view src, struct view dst);

#endif
