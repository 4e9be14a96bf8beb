/* SPDX-License-Identifier: MIT */
/* The filter of a request, by axis. */
#ifndef SMOOTHIMG_AXES_H
#define SMOOTHIMG_AXES_H

#include "kernels/variant.h"

#include <string.h>

/* True if both axes have the same weights, as in most filters; many paths are faster then. */
static inline bool axes_are_equal(const struct request *request)
{
    const size_t bytes = (size_t)(2 * request->halo_x + 1) * sizeof *request->weights_x;

    return request->halo_x == request->halo_y &&
           (request->weights_x == request->weights_y ||
            memcmp(request->weights_x, request->weights_y, bytes) == 0);
}

#endif
