/* SPDX-License-Identifier: MIT */
/* A GPU: memory, copies, streams and times. cuda_*.c call CUDA or the emulated device; in a build
 * without CUDA none.c replaces them, whose functions fail with a message. */
#ifndef SMOOTHIMG_GPU_H
#define SMOOTHIMG_GPU_H

#include "src/lib/gpu/devices.h"
#include "kernels/variant.h"

/* An open device: a stream, and the buffers that its runs share. A device may be open several
 * times, each time with a stream of its own: their work overlaps. */
struct gpu;

/* Opens a device. Any thread may use it, but only one at a time. The thread's current device
 * stays what it was. The caller closes it. */
enum status gpu_open(int device, struct gpu **gpu, struct error *error);

/* From now on images in pageable memory (not from gpu_host_memory) are copied by CUDA directly, not
 * through pinned buffers. */
void gpu_use_pageable_copies(struct gpu *gpu);

/* NULL is legal. */
void gpu_close(struct gpu *gpu);

/* For measuring: copies that many bytes within the device's memory, `runs` times. *seconds: of all
 * copies together. */
enum status gpu_time_copy(struct gpu *gpu, int64_t bytes, int64_t runs, double *seconds,
                          struct error *error);

/* *memory: at least that many bytes of pinned host memory, which the device copies at the full
 * speed of the bus, without the processor. which: 0..GPU_HOST_MEMORIES-1, one of several such
 * buffers. A larger request loses the contents. Owned by *gpu, until gpu_close. STATUS_DEVICE if
 * there is none: the caller may use any other memory instead. */
#define GPU_HOST_MEMORIES 2
enum status gpu_host_memory(struct gpu *gpu, int which, int64_t bytes, void **memory,
                            struct error *error);

/* Did the last gpu_host_begin, or gpu_array_make, fail for lack of device memory? Less may succeed
 * then. */
bool gpu_lacked_memory(const struct gpu *gpu);

#endif
