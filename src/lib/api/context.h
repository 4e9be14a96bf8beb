/* SPDX-License-Identifier: MIT */
/* What is behind the public structs of smoothimg.h. */
#ifndef SMOOTHIMG_CONTEXT_H
#define SMOOTHIMG_CONTEXT_H

#include "kernels/common/arrays.h"
#include "src/lib/base/error.h"
#include "src/lib/filter/plan.h"
#include "src/lib/gpu/gpu.h"
#include "src/lib/smoothimg.h"

#include <stdbool.h>
#include <stddef.h>

/* Working memory of one thread. */
struct memory {
    void *data; /* aligned to 64 bytes; NULL: none */
    size_t bytes;
};

#define KEPT_PLANS 8

/* The plans of the last calls: plans.h. All 0 at first. */
struct plans {
    /* A plan, and what is alike in the calls that it serves beside its request. */
    struct known {
        enum op op;
        const char *variant;
        uint64_t filter;
        struct array_job arrays; /* the request's, if it has any */
        bool made;
        struct plan plan;
    } known[KEPT_PLANS];
    int next; /* to be replaced */
};

struct smoothimg_context {
    const char *variant; /* the name that smoothimg_choose has set; NULL: the fastest */
    bool chose_device;   /* it is one of a GPU: src/lib/api/host_on_device.c */
    const char *chosen;  /* what computed last; NULL: nothing yet */
    struct error error;  /* text is "" until a call fails */
    struct gpu *gpu;     /* NULL: none */
    struct plans plans;
    const struct isa *isa;  /* of study.h; NULL: the highest */
    int block;              /* likewise; 0: the variant's own */
    bool every_thread;      /* likewise: all compute, however little there is to do */
    struct gpu_times times; /* of the last call on arrays of the host that a device computed */
    int threads;
    struct memory memory[]; /* of each thread */
};

/* STATUS_INVALID for a device's memory if the context serves none, or for the host's with a stream.
 */
enum status check_memory(struct smoothimg_context *context, enum smoothimg_memory memory,
                         const void *stream);

/* The name by which smoothimg_choose has the engine of arrays compute images too. */
extern const char arrays_engine[];

/* The public status of a failure inside the library. */
enum smoothimg_status public_status(enum status status);

#endif
