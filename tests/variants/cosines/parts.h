/* SPDX-License-Identifier: MIT */
/* Limits by which sums of cosines have short segments, and may fit the weights poorly. */
#ifndef SMOOTHIMG_TEST_PARTS_H
#define SMOOTHIMG_TEST_PARTS_H

#include "kernels/smooth/arrays/cosines.h"

static const struct cosines_limits parts_limits = {50, 0, 60, 0.1, 1e6};

#endif
