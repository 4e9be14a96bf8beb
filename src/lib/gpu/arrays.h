/* SPDX-License-Identifier: MIT */
/* Arrays in device memory, and timed launches of kernels on them: for the experiments of
 * kernels/memory/, which have neither images nor variants. In cuda_arrays.c; in a build without
 * CUDA none.c, whose functions fail with a message. */
#ifndef SMOOTHIMG_GPU_ARRAYS_H
#define SMOOTHIMG_GPU_ARRAYS_H

#include "src/lib/gpu/gpu.h"

/* Allocates device memory; the caller frees it. purpose: for the message if there is none. */
enum status gpu_array_make(struct gpu *gpu, int64_t bytes, const char *purpose, void **memory,
                           struct error *error);

/* NULL is legal. */
void gpu_array_free(struct gpu *gpu, void *memory);

/* Sets every byte. */
enum status gpu_array_set(struct gpu *gpu, void *memory, int byte, int64_t bytes,
                          struct error *error);

/* Copies from host to device, or back; complete on return. */
enum status gpu_array_put(struct gpu *gpu, void *device, const void *host, int64_t bytes,
                          struct error *error);
enum status gpu_array_get(struct gpu *gpu, void *host, const void *device, int64_t bytes,
                          struct error *error);

/* Waits for all that was begun on the device. */
enum status gpu_array_wait(struct gpu *gpu, struct error *error);

/* The stream to launch kernels in: a cudaStream_t. */
void *gpu_stream(const struct gpu *gpu);

/* Launches kernels: NULL, or what failed. */
typedef const char *gpu_launch(void *context);

/* Calls launch(context) `runs` times, and waits. *seconds: of all runs together, by CUDA events.
 * name: for the message. STATUS_DEVICE if a launch or a kernel failed. */
enum status gpu_time_launches(struct gpu *gpu, gpu_launch *launch, void *context, const char *name,
                              int64_t runs, double *seconds, struct error *error);

/* What a multiprocessor has, and what a kernel needs of it. Registers are 0 where the device does
 * not say (the emulated one). */
struct gpu_sm {
    int threads, blocks, registers;
    int64_t shared_bytes, reserved_bytes; /* of all blocks together; of each, for CUDA itself */
};
struct gpu_kernel {
    int registers;        /* of a thread */
    int64_t shared_bytes; /* static */
    int blocks;           /* that fit, by the runtime's own count, for the given launch */
};
enum status gpu_describe_sm(struct gpu *gpu, struct gpu_sm *sm, struct error *error);
enum status gpu_describe_kernel(struct gpu *gpu, const void *kernel, int threads,
                                int64_t dynamic_bytes, struct gpu_kernel *description,
                                struct error *error);

#endif
