/* SPDX-License-Identifier: MIT */
/* Limits (struct cosines_limits) for filters that replace weights by sums of cosines. With these
 * limits, rows are cut into segments so short that small images have several, and the cosines fit
 * the weights poorly. */
#ifndef SMOOTHIMG_TEST_PARTS_H
#define SMOOTHIMG_TEST_PARTS_H

#include "kernels/smooth/arrays/host/cosines.h"

static const struct cosines_limits parts_limits = {50, 0, 60, 0.1, 1e6};

#endif
