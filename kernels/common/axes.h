/* SPDX-License-Identifier: MIT */
/* A job's filter by axis. */
#ifndef SMOOTHIMG_AXES_H
#define SMOOTHIMG_AXES_H

#include "kernels/variant.h"

#include <string.h>

/* Whether both axes have the same weights: most filters, which many paths are made for. */
static inline bool axes_are_equal(const struct job *job)
{
    const size_t bytes = (size_t)(2 * job->halo_x + 1) * sizeof *job->weights_x;

    return job->halo_x == job->halo_y &&
           (job->weights_x == job->weights_y || memcmp(job->weights_x, job->weights_y, bytes) == 0);
}

#endif
