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

/* What a run was done by, and how long it took. */
struct gpu_note {
    const struct engine *engine; /* that computed it */
    struct gpu_times times;
};

/* Opens a device. Any thread may use it, but only one at a time. The thread's current device
 * stays what it was. The caller closes it. */
enum status gpu_open(int device, struct gpu **gpu, struct error *error);

/* From now on images in pageable memory (not from gpu_host_memory) are copied by CUDA directly, not
 * through pinned buffers. */
void gpu_use_pageable_copies(struct gpu *gpu);

/* NULL is legal. */
void gpu_close(struct gpu *gpu);

/* Plans what is asked of a GPU variant, and computes the piece that the request names, whose images
 * are in host memory: uploads src with what is beside it, runs, downloads dst. Of a stack, images
 * are whole rows apart, and what lies between them is copied too. Waits for all of it, also on
 * failure. *note: set; or NULL. STATUS_UNSUPPORTED if the variant refuses; STATUS_DEVICE on any
 * CUDA error, which it resets if CUDA allows; without memory the message has the sizes. */
enum status gpu_run(struct gpu *gpu, const struct variant *variant, const struct request *request,
                    struct gpu_note *note, struct error *error);

/* For measuring: repeats the last gpu_run's kernels `runs` times on the image that it uploaded,
 * without any copy. *seconds: of all runs together, by CUDA events. The request's weights must
 * still be valid. STATUS_DEVICE if there was no such run, or it failed. */
enum status gpu_rerun(struct gpu *gpu, int64_t runs, double *seconds, struct error *error);

/* For measuring: copies that many bytes within the device's memory, `runs` times. *seconds: of all
 * copies together. Overwrites the image and result of the last gpu_run. */
enum status gpu_time_copy(struct gpu *gpu, int64_t bytes, int64_t runs, double *seconds,
                          struct error *error);

/* *memory: at least that many bytes of pinned host memory, which the device copies at the full
 * speed of the bus, without the processor. which: 0..GPU_HOST_MEMORIES-1, one of several such
 * buffers. A larger request loses the contents. Owned by *gpu, until gpu_close. STATUS_DEVICE if
 * there is none: the caller may use any other memory instead. */
#define GPU_HOST_MEMORIES 2
enum status gpu_host_memory(struct gpu *gpu, int which, int64_t bytes, void **memory,
                            struct error *error);

/* After a failure: can the device still process other images? Waits for all work on it. */
bool gpu_alive(const struct gpu *gpu);

/* Did the last gpu_run, or gpu_array_make, fail for lack of device memory? gpu_run has freed its
 * buffers then, so that a job of fewer rows may succeed. */
bool gpu_lacked_memory(const struct gpu *gpu);

/* For tests: from now on dst and a border of that many pixels around it, which the host's dst must
 * have, are uploaded before a run and downloaded after it. So a test sees which samples a kernel
 * does not write, and which it writes outside dst. */
void gpu_watch_border(struct gpu *gpu, int64_t pixels);

#endif
