/* SPDX-License-Identifier: MIT */
/* Declares struct smoothimg_context. */
#ifndef SMOOTHIMG_CONTEXT_H
#define SMOOTHIMG_CONTEXT_H

#include "kernels/common/arrays.h"
#include "src/lib/base/error.h"
#include "src/lib/filter/plan.h"
#include "src/lib/gpu/gpu.h"
#include "src/lib/smoothimg.h"

#include <stdbool.h>
#include <stddef.h>

struct memory {
    void *data; /* aligned to 64 bytes; NULL: none */
    size_t bytes;
};

#define KEPT_PLANS 8

/* The plans of the last calls (call.h). The struct starts as all zeros. */
struct plans {
    /* A plan, and what it was made for. A later call can use the plan if its request is like
     * plan.request, and if its operation, backend, variant and filter are the same. */
    struct known {
        enum op op;
        enum backend backend;
        const char *variant;
        uint64_t filter;
        struct array_job arrays; /* a copy of the request's job, if it has one */
        bool made;
        struct plan plan;
    } known[KEPT_PLANS];
    int next; /* index of the plan that is replaced next */
};

struct smoothimg_context {
    const char *variant; /* the name that smoothimg_choose has set; NULL: the fastest */
    /* True if `variant` runs on a GPU. The context's GPU, if any, then also computes arrays in host
     * memory. */
    bool chose_device;
    const char *chosen; /* result of smoothimg_chosen(); NULL: none */
    struct error error; /* text is "" until a call fails */
    struct gpu *gpu;    /* NULL: none */
    struct plans plans;
    /* Instruction set of the CPU's inner loops, set by study_instructions(); NULL: the highest. */
    const struct isa *isa;
    int block;              /* side of GPU thread blocks (study_block()); 0: the variant's own */
    bool every_thread;      /* for tests: all threads compute, even if there is little to do */
    struct gpu_times times; /* returned by study_times() */
    int threads;
    struct memory memory[]; /* one for each thread */
};

/* The name that makes smoothimg_choose select, for images too, the engine (implementation) that
 * accepts any array. */
extern const char arrays_engine[];

/* Translates a status of the library's own functions into the public one. */
enum smoothimg_status public_status(enum status status);

#endif
