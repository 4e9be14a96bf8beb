/* SPDX-License-Identifier: MIT */
/* The inner loop of reverse_cpu, compiled once for each instruction set (common/isa.h). */
#ifndef SMOOTHIMG_REVERSE_LOOPS_H
#define SMOOTHIMG_REVERSE_LOOPS_H

#include <stddef.h>

struct reverse_loops {
    /* Writes the pixels of a row in reverse order. dst_end: the address after the last byte of the
     * target's row. The stores may bypass the caches. */
    void (*reverse_row)(const char *src, char *dst_end, size_t row_bytes, size_t pixel_bytes);
    /* Completes the stores of this thread. Call it before another thread reads the target. */
    void (*settle)(void);
};

#endif
