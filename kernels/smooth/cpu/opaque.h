/* SPDX-License-Identifier: MIT */
/* Finds images in which alpha makes no difference: it is the same everywhere, and not 0, and the
 * weights of each axis sum to one, so that it cancels out and leaves each channel's own sum. Most
 * images with alpha are opaque. */
#ifndef SMOOTHIMG_SMOOTH_OPAQUE_H
#define SMOOTHIMG_SMOOTH_OPAQUE_H

#include "kernels/variant.h"

/* True if that is so in everything that the piece reads. Its request is weighted. */
bool smooth_is_opaque(const struct piece *piece);

#endif
