/* SPDX-License-Identifier: MIT */
/* What the experiments' .cu files share: their arrays by type, and short forms of shapes. */
#ifndef SMOOTHIMG_EXPERIMENT_CUH
#define SMOOTHIMG_EXPERIMENT_CUH

#include "experiment.h"
#include "launch.cuh"

template <typename T> static inline const T *lab_in(const struct lab_job *job, int index)
{
    return static_cast<const T *>(job->in[index].memory);
}

template <typename T> static inline T *lab_out(const struct lab_job *job)
{
    return static_cast<T *>(job->out.memory);
}

static inline int64_t lab_elements(const struct lab_size *size)
{
    return size->width * size->height;
}

static inline struct lab_want lab_numbers(enum lab_type type, int64_t count, int32_t low,
                                          int32_t high)
{
    return {type, count, false, 0, low, high};
}

static inline struct lab_want lab_image(const struct lab_size *size, int64_t border)
{
    return {LAB_U8, (size->width + 2 * border) * (size->height + 2 * border), true, border, 0, 255};
}

static inline struct lab_want lab_results(enum lab_type type, int64_t count)
{
    return {type, count, false, 0, 0, 0};
}

/* Blocks of `threads` over a list. A grid has room for 2^31 - 1 of them in x: more than memory. */
static inline dim3 lab_grid(int64_t count, int threads)
{
    return dim3((unsigned)blocks_for(count, threads));
}

/* Edge of the square block or tile. */
static inline int lab_edge(const struct lab_size *size, int own)
{
    return size->block > 0 ? size->block : own;
}

/* For `refuses`. */
static inline const char *lab_refuses_block(const struct experiment *, const struct lab_size *size)
{
    return size->block * size->block > MAX_BLOCK_THREADS
               ? "a block may have 1024 threads, that is --block 32 at most"
               : NULL;
}

#endif
