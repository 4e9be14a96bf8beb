/* SPDX-License-Identifier: MIT */
/* What the three gpu_cuda_*.c share: an open device, its buffers, and images on the way to it. */
#ifndef SMOOTHIMG_GPU_CUDA_H
#define SMOOTHIMG_GPU_CUDA_H

#include "gpu.h"

#include <cuda_runtime_api.h>

/* Memory that grows when a run needs more, and stays. */
struct buffer {
    void *memory;
    int64_t bytes;
};

enum { UPLOAD_BEGINS, KERNEL_BEGINS, KERNEL_ENDS, DOWNLOAD_ENDS, EVENTS };

struct gpu {
    int device;
    cudaStream_t stream;
    cudaEvent_t events[EVENTS];
    struct buffer src, dst, scratch;
    struct gpu_times times;
    int64_t watched;                    /* border of dst that travels; -1: dst only comes down */
    const struct variant *last_variant; /* run, or NULL */
    struct job last;                    /* its job, with the device's views and scratch */
};

/* A view with its border: the rectangle that travels, on either side. */
struct plane {
    struct view view;
    int64_t border; /* pixels */
};

/* STATUS_OK, or the GPU's failure as a sentence: what it was doing, and CUDA's words. */
enum status gpu_check(cudaError_t result, const char *what, struct error *error);

/* Makes the device that of the calling thread: CUDA remembers one for each. */
enum status gpu_bind(const struct gpu *gpu, struct error *error);

/* Makes the buffer at least that large; its contents are lost where it grows, and cleared.
 * STATUS_DEVICE with the sizes where there is no memory; purpose says what for. */
enum status gpu_grow(struct gpu *gpu, struct buffer *buffer, int64_t bytes, const char *purpose,
                     struct error *error);

/* The device's plane for a plane of the host's, in the buffer; its rows begin `phase` bytes off
 * a multiple of 256. */
enum status gpu_place(struct gpu *gpu, struct buffer *buffer, const struct plane *host,
                      int64_t phase, const char *purpose, struct plane *device,
                      struct error *error);

/* Starts the copy of a rectangle to one of the same size. The stream is to be waited for. */
enum status gpu_copy(struct gpu *gpu, const struct plane *to, const struct plane *from,
                     enum cudaMemcpyKind kind, struct error *error);

/* Bytes of the rectangle, without what lies between its rows. */
int64_t plane_bytes(const struct plane *plane);

#endif
