/* SPDX-License-Identifier: MIT */
/* Transpose by strips of 8 rows, cut into blocks of 64 columns: eight source rows are read along,
 * and of every column eight pixels are written side by side. Reading along rows and writing down
 * columns one by one would touch another cache line with every pixel, and fetch each line anew for
 * each of its pixels as soon as the image is higher than the cache has lines. Blocks of 64 x 64 are
 * not enough: in an image whose stride is a power of two 64 rows share a few sets of the cache. */
#include "parallel.h"
#include "variant.h"

#include <string.h>

#define STRIP 8  /* rows; as many lines of one set a first-level cache can keep */
#define BLOCK 64 /* columns: a cache line of u8 pixels */

/* Columns x..x+BLOCK-1 and rows y..y+height-1 of the source, as far as they exist. Inlined with a
 * constant pixel_bytes and height, so that the memcpy is a load and a store, and the loop unrolled.
 */
static inline __attribute__((always_inline)) void
transpose_block(const struct job *job, int64_t x, int64_t y, int64_t height, size_t pixel_bytes)
{
    const int64_t bytes = (int64_t)pixel_bytes;
    const int64_t right = job->src.width - x < BLOCK ? job->src.width : x + BLOCK;
    const char *src = (const char *)job->src.origin + y * job->src.stride_bytes + x * bytes;
    char *dst = (char *)job->dst.origin + x * job->dst.stride_bytes + y * bytes;

    for (; x < right; x++) {
        for (int64_t i = 0; i < height; i++)
            memcpy(dst + i * bytes, src + i * job->src.stride_bytes, pixel_bytes);
        src += bytes;
        dst += job->dst.stride_bytes;
    }
}

/* Rows first..last-1, a block of columns at a time from top to bottom, so that a line of the target
 * is filled while it is in the cache. */
static inline __attribute__((always_inline)) void
transpose_rows(const struct job *job, int64_t first, int64_t last, size_t pixel_bytes)
{
    for (int64_t x = 0; x < job->src.width; x += BLOCK) {
        int64_t y = first;

        for (; y + STRIP <= last; y += STRIP)
            transpose_block(job, x, y, STRIP, pixel_bytes);
        transpose_block(job, x, y, last - y, pixel_bytes);
    }
}

static void transpose_band(const void *context, int band, int64_t first, int64_t last)
{
    const struct job *job = context;
    const size_t pixel_bytes = (size_t)(job->src.channels * job->src.sample_bytes);

    (void)band;
    switch (pixel_bytes) {
    case 1:
        transpose_rows(job, first, last, 1);
        break;
    case 2:
        transpose_rows(job, first, last, 2);
        break;
    case 3:
        transpose_rows(job, first, last, 3);
        break;
    case 4:
        transpose_rows(job, first, last, 4);
        break;
    case 6:
        transpose_rows(job, first, last, 6);
        break;
    case 8:
        transpose_rows(job, first, last, 8);
        break;
    default:
        transpose_rows(job, first, last, pixel_bytes);
    }
}

static const char *run(const struct job *job)
{
    parallel_rows(job->threads, job->src.height, transpose_band, job);
    return NULL;
}

DEFINE_VARIANT(transpose_cpu) = {
    .op = OP_TRANSPOSE,
    .name = "cpu",
    .place = ON_CPU,
    .reference = false,
    .about = "strips of 8 rows that stay in the cache; threads",
    .refuses = NULL,
    .scratch_bytes = NULL,
    .run = run,
};
