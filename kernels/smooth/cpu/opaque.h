/* SPDX-License-Identifier: MIT */
/* Where alpha makes no difference: it is the same everywhere, and not 0, and the weights of each
 * axis sum to one, so that it cancels out and leaves a channel's own sum. Most images with alpha
 * are opaque. */
#ifndef SMOOTHIMG_SMOOTH_OPAQUE_H
#define SMOOTHIMG_SMOOTH_OPAQUE_H

#include "kernels/variant.h"

/* Is that so in all that the piece reads? Its request is weighted. */
bool smooth_is_opaque(const struct piece *piece);

#endif
