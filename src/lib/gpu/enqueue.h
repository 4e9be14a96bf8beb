/* SPDX-License-Identifier: MIT */
/* Work for a GPU on a stream of the caller's: it is enqueued, and nobody waits for it. In
 * cuda_enqueue.c; in a build without CUDA none.c, whose functions fail with a message. */
#ifndef SMOOTHIMG_GPU_ENQUEUE_H
#define SMOOTHIMG_GPU_ENQUEUE_H

#include "src/lib/gpu/gpu.h"

/* A call that enqueues: between gpu_begin and gpu_end. */
struct gpu_call {
    void *stream;   /* a cudaStream_t; NULL: the default stream */
    void *memory;   /* of gpu_need */
    int was_device; /* the thread's current one before */
    bool captured;  /* the stream is, into a graph */
};

/* Makes the device the thread's current one. Ends with gpu_end, unless it fails. */
enum status gpu_begin(struct gpu *gpu, void *stream, struct gpu_call *call, struct error *error);

/* Working memory for the call, of at least that many bytes, aligned to 256: work that is enqueued
 * from now on begins after that of earlier calls has left it. Allocates, and waits for the device,
 * only if it has to grow: STATUS_NO_MEMORY if it cannot, and STATUS_INVALID if the stream is being
 * captured. */
enum status gpu_need(struct gpu *gpu, struct gpu_call *call, int64_t bytes, struct error *error);

/* The device that was current is so again. */
enum status gpu_end(struct gpu *gpu, const struct gpu_call *call, struct error *error);

/* Waits for all that calls have enqueued. The thread's current device stays what it was. */
enum status gpu_wait(struct gpu *gpu, struct error *error);

#endif
