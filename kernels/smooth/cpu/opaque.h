/* SPDX-License-Identifier: MIT */
/* Finds images in which alpha makes no difference. Alpha cancels out if it is the same everywhere,
 * is not 0, and the weights of each axis sum to one. Most images with alpha are opaque.
 *
 * A piece is the part of a request that is computed at a time (variant.h). */
#ifndef SMOOTHIMG_SMOOTH_OPAQUE_H
#define SMOOTHIMG_SMOOTH_OPAQUE_H

#include "kernels/variant.h"

/* True if alpha makes no difference to the piece's results. Called only for requests in which alpha
 * weights the other samples. */
bool smooth_is_opaque(const struct piece *piece);

#endif
