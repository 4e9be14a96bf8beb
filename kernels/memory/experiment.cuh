/* SPDX-License-Identifier: MIT */
/* Helpers for the .cu files of the memory experiments. */
#ifndef SMOOTHIMG_EXPERIMENT_CUH
#define SMOOTHIMG_EXPERIMENT_CUH

#include "kernels/memory/experiment.h"
#include "kernels/common/launch.cuh"

template <typename T> static inline const T *input(const struct experiment_job *job, int index)
{
    return static_cast<const T *>(job->in[index].memory);
}

template <typename T> static inline T *output(const struct experiment_job *job)
{
    return static_cast<T *>(job->out.memory);
}

static inline int64_t element_count(const struct problem_size *size)
{
    return size->width * size->height;
}

static inline struct array_spec number_array(enum element_type type, int64_t count, int32_t low,
                                             int32_t high)
{
    return {type, count, false, 0, low, high};
}

static inline struct array_spec image_array(const struct problem_size *size, int64_t border)
{
    return {ELEMENT_U8, (size->width + 2 * border) * (size->height + 2 * border), true, border, 0,
            255};
}

static inline struct array_spec result_array(enum element_type type, int64_t count)
{
    return {type, count, false, 0, 0, 0};
}

/* Returns a grid with a thread for each of `count` elements of a list. A grid may have 2^31 - 1
 * blocks in x, enough for any list that fits in memory. */
static inline dim3 grid_for(int64_t count, int threads)
{
    return dim3((unsigned)blocks_for(count, threads));
}

/* Returns the edge of the square block or tile: the value of --block, or, without that option,
 * `own`, which is the experiment's default. */
static inline int block_edge(const struct problem_size *size, int own)
{
    return size->block > 0 ? size->block : own;
}

/* For the member `refuses` of struct experiment: refuses blocks of more than 1024 threads. */
static inline const char *refuses_block(const struct experiment *, const struct problem_size *size)
{
    return size->block * size->block > MAX_BLOCK_THREADS
               ? "a block may have 1024 threads, that is --block 32 at most"
               : NULL;
}

/* --- Members of struct experiment that several experiments have. */

/* For the member `shape`: asks for INPUTS lists or matrices with values from -LIMIT to LIMIT, and
 * for an output of the same type and size. */
template <enum element_type TYPE, int INPUTS, int LIMIT>
static void equal_arrays(const struct experiment *, const struct problem_size *size,
                         struct array_specs *shape)
{
    for (int i = 0; i < INPUTS; i++)
        shape->in[i] = number_array(TYPE, element_count(size), -LIMIT, LIMIT);
    shape->out = result_array(TYPE, element_count(size));
}

/* For the member `shape`: asks for arrays of floats whose values are integers of at most 8000000 in
 * magnitude. The sum of two of them is below 2^24, so it is exact. */
template <int INPUTS> constexpr auto float_arrays = equal_arrays<ELEMENT_F32, INPUTS, 8000000>;

/* For the member `work` of kernels that for each element access BYTES bytes, all of them useful,
 * and compute FLOPS operations. */
template <int BYTES, int FLOPS>
static void elementwise_work(const struct experiment *, const struct problem_size *size,
                             struct experiment_work *work)
{
    const double count = (double)element_count(size);

    *work = {.useful_bytes = BYTES * count, .asked_bytes = BYTES * count, .flops = FLOPS * count};
}

template <auto KERNEL, int THREADS>
static void list_geometry(const struct experiment *, const struct problem_size *,
                          struct launch_geometry *geometry)
{
    *geometry = {(const void *)KERNEL, THREADS, 0};
}

/* The type of functions that return the dynamic shared memory of a kernel's block, in bytes. */
typedef size_t shared_size(const struct experiment *row, const struct problem_size *size);

static inline size_t no_shared_memory(const struct experiment *, const struct problem_size *)
{
    return 0;
}

/* For the member `geometry` of kernels with square blocks. A block has EDGE threads a side, unless
 * --block gives another edge. */
template <auto KERNEL, int EDGE, shared_size *SHARED = no_shared_memory>
static void square_geometry(const struct experiment *row, const struct problem_size *size,
                            struct launch_geometry *geometry)
{
    const int edge = block_edge(size, EDGE);

    *geometry = {(const void *)KERNEL, edge * edge, SHARED(row, size)};
}

#endif
