/* SPDX-License-Identifier: MIT */
/* How an image is cut into strips, and these into parts, within a limit of memory; strips_bytes is
 * here too. */
#ifndef SMOOTHIMG_STRIP_PLAN_H
#define SMOOTHIMG_STRIP_PLAN_H

#include "strips.h"

struct strip_plan {
    int threads;
    struct sink_wants wants;
    struct shape turned; /* the result */
    int64_t columns;     /* of a strip, without its lead */
    int64_t rows; /* of the source in a part of it: all, unless the sink takes parts of rows */
    int64_t chunk_rows; /* that a thread reads at once */
    int64_t bytes;      /* of memory, with everything */
};

struct strip_plan strip_plan_make(const struct strips *strips, const struct sink *sink,
                                  const struct image *about);

#endif
