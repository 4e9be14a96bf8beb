/* SPDX-License-Identifier: MIT */
/* How many blocks of a kernel a streaming multiprocessor (SM) holds at once, and which resource
 * limits that, calculated by CUDA's rules. Needs no device. */
#ifndef SMOOTHIMG_OCCUPANCY_H
#define SMOOTHIMG_OCCUPANCY_H

#include "src/bench/options/options.h"
#include "src/lib/gpu/gpu.h"

#include <stdint.h>
#include <stdio.h>

/* Of an A100, compute capability 8.0: many courses take their examples of occupancy from it. */
extern const struct gpu_sm sm_a100;

/* The resources that a block needs. */
struct block_needs {
    int threads;
    int registers;        /* of a thread; 0: not known, ignored */
    int64_t shared_bytes; /* static and dynamic */
};

enum limiter { LIMIT_NONE, LIMIT_THREADS, LIMIT_BLOCKS, LIMIT_REGISTERS, LIMIT_SHARED };

struct occupancy {
    int blocks, warps; /* on one SM */
    double share;      /* threads of these blocks divided by the most that the SM holds, 0..1 */
    enum limiter limiter;
};

#define WARP_THREADS 32

/* counted: how many blocks there are, as CUDA's runtime says; or -1: that is calculated too, and is
 * 0 if not even one fits. */
struct occupancy occupancy_of(const struct gpu_sm *sm, const struct block_needs *needs,
                              int counted);

/* "threads", "blocks", "registers", "shared memory"; "none (full)" where the SM is full. */
const char *limiter_word(enum limiter limiter);

/* occupancy_report.c: prints --occupancy: textbook examples on an A100; and, unless gpu is NULL,
 * the same examples and the wanted rows on that GPU, which `device` describes. The GPU's runtime
 * counts the blocks of the rows. STATUS_DEVICE if it fails. */
enum status occupancy_print(const struct bench_options *options, struct gpu *gpu,
                            const struct gpu_device *device, FILE *stream, struct error *error);

#endif
