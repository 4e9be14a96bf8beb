/* SPDX-License-Identifier: MIT */
/* The inner loops of transpose_cpu, which transposes an image block by block. They are compiled
 * once for each instruction set (common/isa.h). */
#ifndef SMOOTHIMG_TRANSPOSE_LOOPS_H
#define SMOOTHIMG_TRANSPOSE_LOOPS_H

#include <stddef.h>
#include <stdint.h>

/* A block of the source has BLOCK_ROWS rows of BLOCK_BYTES bytes. If pixels have 8 bits, a row of
 * the transposed block fills a cache line. */
#define BLOCK_ROWS 64
#define BLOCK_BYTES 64

struct transpose_loops {
    /* Transposes BLOCK_ROWS rows of BLOCK_BYTES into BLOCK_BYTES / pixel_bytes rows of BLOCK_ROWS
     * pixels without gaps; pixel_bytes is 1, 2, 4 or 8. stride: bytes from a row of src to the
     * next. */
    void (*transpose)(const char *src, int64_t stride, char *block, size_t pixel_bytes);

    /* Copies n bytes, a multiple of 64, to a target that is aligned to 64 bytes. With AVX2 and
     * above, writes past the caches, since the target is not read soon. Call settle(), a store
     * fence, before another thread reads the target. */
    void (*put)(const char *src, char *target, size_t n);
    void (*settle)(void);
};

#endif
