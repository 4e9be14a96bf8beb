/* SPDX-License-Identifier: MIT */
/* The edge rules: they define the pixels outside an image. Only this file implements them, for the
 * host and for GPUs. */
#ifndef SMOOTHIMG_EDGE_H
#define SMOOTHIMG_EDGE_H

#include "kernels/common/host_device.h"

#include <stdint.h>

/* The pixels that each rule defines on the left and on the right of a line of pixels a, b, c, d. */
enum edge {
    EDGE_REFLECT, /* cba|abcd|dcb  a mirror on the edge: the last pixel is seen twice */
    EDGE_CLAMP,   /* aaa|abcd|ddd  the nearest pixel */
    EDGE_MIRROR,  /* dcb|abcd|cba  a mirror in the last pixel, which is seen once */
    EDGE_WRAP,    /* bcd|abcd|abc  the image repeats */
    EDGE_ZERO     /* 000|abcd|000 */
};

/* Returns i modulo period, in 0..period-1. An i in -period..period-1 needs no division. Any other i
 * must be at most 2^31 - 1 outside of that range: then a 32-bit division is enough. On GPUs 64-bit
 * divisions are slow and take many registers. */
HOST_DEVICE int64_t edge_modulo(int64_t i, int64_t period)
{
    int64_t rest = i;

    if (i < -period || i >= period) {
        const int32_t beyond = (int32_t)(i < 0 ? i + period : i - period);

        rest = period > INT32_MAX ? beyond : beyond % (int32_t)period;
    }

    return rest < 0 ? rest + period : rest;
}

/* Returns the index, 0..length-1, of the pixel that the rule copies to index i of a line, or -1 if
 * the rule makes the pixel at i zero. i is at most 2^31 - 1 pixels outside of the line. A line may
 * be shorter than the halo; the rule is then applied repeatedly. */
HOST_DEVICE int64_t edge_index(enum edge edge, int64_t i, int64_t length)
{
    int64_t m;

    if (i >= 0 && i < length)
        return i;
    switch (edge) {
    case EDGE_CLAMP:
        return i < 0 ? 0 : length - 1;
    case EDGE_REFLECT:
        m = edge_modulo(i, 2 * length);
        return m < length ? m : 2 * length - 1 - m;
    case EDGE_MIRROR:
        if (length == 1)
            return 0;
        m = edge_modulo(i, 2 * length - 2);
        return m < length ? m : 2 * length - 2 - m;
    case EDGE_WRAP:
        return edge_modulo(i, length);
    case EDGE_ZERO:
        break;
    }
    return -1;
}

#define NOWHERE INT64_MIN /* the result of edge_place() if the rule makes the sample zero */

/* Returns the index of the sample that the rule copies to index i, or NOWHERE if it makes the
 * sample zero. Indices along an axis begin with 0 at the first of `extent` samples; the axis has
 * `before` samples before these and `after` samples after them. */
HOST_DEVICE int64_t edge_place(enum edge edge, int64_t i, int64_t before, int64_t extent,
                               int64_t after)
{
    const int64_t index = edge_index(edge, before + i, before + extent + after);

    return index < 0 ? NOWHERE : index - before;
}

#endif
