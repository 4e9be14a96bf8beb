/* SPDX-License-Identifier: MIT */
/* A stack of images in one: below one another, each with a border of its own. */
#ifndef SMOOTHIMG_BENCH_STACK_H
#define SMOOTHIMG_BENCH_STACK_H

#include "src/lib/image/image.h"

/* Rows from an image's first to that of the next, for borders of `halo` pixels. */
static inline int64_t stack_pitch(int64_t height, int64_t halo)
{
    return height + 2 * halo;
}

/* Rows that hold all of them, and the borders between. */
static inline int64_t stack_rows(int64_t height, int64_t halo, int64_t images)
{
    return stack_pitch(height, halo) * (images - 1) + height;
}

/* Image number i of those `apart` bytes from one to the next. */
static inline struct view stack_image(struct view first, int64_t i, int64_t apart)
{
    first.origin = (char *)first.origin + i * apart;
    return first;
}

#endif
