/* SPDX-License-Identifier: MIT */
/* Allocates arrays one after the other from memory that the caller provides. If the address is 0 at
 * first, nothing is allocated: the address after the last call is the number of bytes that the
 * arrays take. */
#ifndef SMOOTHIMG_CARVE_H
#define SMOOTHIMG_CARVE_H

#include "kernels/common/numbers.h"

#include <stdint.h>

/* Returns *memory, which is aligned to 64 bytes, and advances it by `bytes`, rounded up to 64. */
static inline void *carve(uintptr_t *memory, int64_t bytes)
{
    void *carved = (void *)*memory;

    *memory += (uintptr_t)round_up(bytes, 64);
    return carved;
}

#endif
