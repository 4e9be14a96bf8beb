/* SPDX-License-Identifier: MIT */
/* Limits for smooths whose weights are replaced by sums of cosines. By these limits rows are cut
 * into short segments, so that small images have several, and the cosines may fit the weights
 * poorly. */
#ifndef SMOOTHIMG_TEST_PARTS_H
#define SMOOTHIMG_TEST_PARTS_H

#include "kernels/smooth/arrays/cosines.h"

static const struct cosines_limits parts_limits = {50, 0, 60, 0.1, 1e6};

#endif
