/* SPDX-License-Identifier: MIT */
/* Calculates, by CUDA's rules, how many blocks of a kernel a streaming multiprocessor (SM) holds at
 * once, and which resource limits them. Needs no device. */
#ifndef SMOOTHIMG_OCCUPANCY_H
#define SMOOTHIMG_OCCUPANCY_H

#include "src/bench/options/options.h"
#include "src/lib/gpu/gpu.h"

#include <stdint.h>
#include <stdio.h>

/* The multiprocessor of an A100, compute capability 8.0, which many courses use in examples of
 * occupancy. */
extern const struct gpu_sm sm_a100;

struct block_needs {
    int threads;
    int registers;        /* registers of a thread; 0: unknown, and then no limit */
    int64_t shared_bytes; /* shared memory of a block, static and dynamic */
};

enum limiter { LIMIT_NONE, LIMIT_THREADS, LIMIT_BLOCKS, LIMIT_REGISTERS, LIMIT_SHARED };

struct occupancy {
    int blocks, warps; /* blocks and warps that one SM holds at once */
    /* The number of threads in these blocks, divided by the maximum number that the SM holds:
     * 0..1. */
    double share;
    enum limiter limiter;
};

#define WARP_THREADS 32

/* Returns the occupancy. `counted` is the number of blocks that one SM holds at once, as CUDA's
 * runtime reports it, which is 0 if not even one block fits. If `counted` is -1, the function
 * calculates this number. */
struct occupancy occupancy_of(const struct gpu_sm *sm, const struct block_needs *needs,
                              int counted);

/* The names of the limiters, indexed by enum limiter. */
extern const char *const limiter_words[];

/* In occupancy_report.c. Prints what --occupancy asks for: textbook examples on an A100 and, unless
 * gpu is NULL, the same examples and the selected experiments on the GPU that `device` describes.
 * Returns STATUS_DEVICE if CUDA's runtime cannot count the blocks of a kernel. */
enum status occupancy_print(const struct bench_options *options, struct gpu *gpu,
                            const struct gpu_device *device, FILE *stream, struct error *error);

#endif
