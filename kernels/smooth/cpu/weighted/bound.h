/* SPDX-License-Identifier: MIT */
/* How far the estimates of weighted/weighted.h can be off. */
#ifndef SMOOTHIMG_SMOOTH_WEIGHTED_BOUND_H
#define SMOOTHIMG_SMOOTH_WEIGHTED_BOUND_H

#include "kernels/variant.h"

/* Whether the request is computed in floats, or else in doubles. */
bool smooth_weighted_in_floats(const struct request *request);

/* How far a result may be from the exact one before it is rounded, in grey levels. */
double smooth_weighted_bound(const struct request *request);

#endif
