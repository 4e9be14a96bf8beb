/* SPDX-License-Identifier: MIT */
/* Lays arrays out in memory that somebody else allocates. With an address of 0 it counts the bytes.
 */
#ifndef SMOOTHIMG_CARVE_H
#define SMOOTHIMG_CARVE_H

#include "kernels/common/numbers.h"

#include <stdint.h>

/* Takes bytes, aligned to 64, from *memory on, which is aligned so. */
static inline void *carve(uintptr_t *memory, int64_t bytes)
{
    void *carved = (void *)*memory;

    *memory += (uintptr_t)round_up(bytes, 64);
    return carved;
}

#endif
