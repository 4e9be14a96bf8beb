/* SPDX-License-Identifier: MIT */
/* How many blocks of a kernel a streaming multiprocessor (SM) holds at once, and what stops it from
 * holding more: CUDA's rules as a calculation, which needs no device. */
#ifndef SMOOTHIMG_OCCUPANCY_H
#define SMOOTHIMG_OCCUPANCY_H

#include "src/bench/options/options.h"
#include "src/lib/gpu/gpu.h"

#include <stdint.h>
#include <stdio.h>

/* What an SM has. */
struct sm {
    const char *name;       /* of the device */
    int threads, blocks;    /* at most */
    int registers;          /* of 32 bits */
    int64_t shared_bytes;   /* for all blocks together */
    int64_t reserved_bytes; /* of it, that CUDA takes for each block */
};

/* An A100's, of compute capability 8.0, which the occupancy examples of many courses are about. */
extern const struct sm sm_a100;

/* What a block needs. */
struct block_needs {
    int threads;
    int registers;        /* of a thread; 0: not looked at */
    int64_t shared_bytes; /* static and dynamic */
};

enum limiter { LIMIT_NONE, LIMIT_THREADS, LIMIT_BLOCKS, LIMIT_REGISTERS, LIMIT_SHARED };

struct occupancy {
    int blocks, warps; /* on one SM */
    int most_warps;    /* that an SM holds */
    double share;      /* of the SM's threads that are there, 0..1 */
    enum limiter limiter;
};

#define WARP_THREADS 32

/* By the rules: 0 blocks where one alone does not fit. */
struct occupancy occupancy_of(const struct sm *sm, const struct block_needs *needs);

/* The same, where the runtime has said how many blocks there are. */
struct occupancy occupancy_with(const struct sm *sm, const struct block_needs *needs, int blocks);

/* "threads", "blocks", "registers", "shared memory"; "none (full)" where the SM is full. */
const char *limiter_word(enum limiter limiter);

/* occupancy_report.c: prints --occupancy: the textbook's blocks on an A100, by calculation; and,
 * unless gpu is NULL, the same and the rows that the options ask for on that device, as its runtime
 * counts them. STATUS_DEVICE if it does not answer. */
enum status occupancy_print(const struct bench_options *options, struct gpu *gpu,
                            const char *device, FILE *stream, struct error *error);

#endif
