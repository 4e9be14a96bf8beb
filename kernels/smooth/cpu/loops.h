/* SPDX-License-Identifier: MIT */
/* What the loops of u8/loops.h take beside rows. */
#ifndef SMOOTHIMG_SMOOTH_LOOPS_H
#define SMOOTHIMG_SMOOTH_LOOPS_H

#include <stdint.h>

/* Rows that are wanted soon. Processors fetch ahead by themselves only within 4 KiB of what they
 * have seen: without a hint every row would begin by waiting for memory. */
struct fetches {
    const void *read[2], *written[2]; /* need not exist */
};

#define CACHE_LINE 64 /* bytes */

/* Prefetches at byte x of each row. */
static inline __attribute__((always_inline)) void fetch(const struct fetches *ahead, int64_t x)
{
    for (int i = 0; i < 2; i++) {
        __builtin_prefetch((const char *)ahead->read[i] + x, 0, 3);
        __builtin_prefetch((const char *)ahead->written[i] + x, 1, 3);
    }
}

/* Two rows of the source as ring_row has them, from the first sample that their sums need: where
 * they lie, from which sums head..tail-1 are computed, and in lines, for the others. */
struct source_rows {
    const void *direct[2], *lines[2];
    int64_t head, tail; /* multiples of the loops' block */
};

/* The rows from which the sums of a block from x on are computed. */
static inline __attribute__((always_inline)) const void *const *
source_rows_at(const struct source_rows *source, int64_t x)
{
    return x < source->head || x >= source->tail ? source->lines : source->direct;
}

/* CALL(halo), whose loops over taps are unrolled where these are few: HALO 1 to 4; else OTHERS. */
#define FOR_FEW_TAPS(HALO, CALL, OTHERS)                                                           \
    ((HALO) == 1   ? CALL(1)                                                                       \
     : (HALO) == 2 ? CALL(2)                                                                       \
     : (HALO) == 3 ? CALL(3)                                                                       \
     : (HALO) == 4 ? CALL(4)                                                                       \
                   : (OTHERS))

/* The unresolved samples of a row: their indices, from 0. */
struct unresolved {
    int32_t *places; /* room for a whole segment; the caller owns it */
    int64_t count;
};

#endif
