/* SPDX-License-Identifier: MIT */
/* Where alpha is the same all over the windows of some rows. There it cancels out of N / A
 * (common/exact.h), if it is not 0 and the weights sum to one, and leaves a channel's own sum; if
 * it is 0, pixels stay what they are. Most images with alpha are opaque in most places, and many
 * transparent in others. */
#ifndef SMOOTHIMG_SMOOTH_WEIGHTED_EVEN_H
#define SMOOTHIMG_SMOOTH_WEIGHTED_EVEN_H

#include "kernels/smooth/cpu/ring.h"

/* The last rows of a segment, border included, that have the same alpha everywhere. */
struct even_alpha {
    int64_t next;   /* the first row that has not been looked at */
    int64_t since;  /* the first of these rows; next if there are none */
    uint32_t alpha; /* theirs */
};

/* Whether alpha is the same in n pixels like those of src; n >= 1. *alpha: what the first has. */
bool even_alpha_in_row(const struct view *src, const void *pixels, int64_t n, uint32_t *alpha);

/* The same for all that rows y to y + two of the ring's segment depend on. Goes from top to bottom;
 * even->next is -halo_y in the first call of a segment, or less than y - halo_y. */
bool even_alpha_around(struct even_alpha *even, struct ring *ring, int64_t y, bool two);

/* Whether the weights of each axis sum to exactly one. */
bool even_alpha_cancels(const struct request *request);

#endif
