/* SPDX-License-Identifier: MIT */
/* Declares what the files that call CUDA share: an open device, its buffers, and copies of rows. */
#ifndef SMOOTHIMG_GPU_CUDA_H
#define SMOOTHIMG_GPU_CUDA_H

#include "src/lib/gpu/gpu.h"

#include <cuda_runtime_api.h>

/* In builds with the emulated device: true if it is available without gpu_take_emulated(). Defined
 * in at_once.c. */
#ifdef SMOOTHIMG_EMULATED
extern const bool gpu_emulated_at_once;
#endif

/* Memory that grows when a call needs more, and is kept for later calls. */
struct buffer {
    void *memory;
    int64_t bytes;
};

#define MAX_COPY_THREADS 8
#define COPY_MAX_PITCH (((int64_t)1 << 31) - 1) /* bytes: the limit of cudaMemcpy2D */

/* The stream and the buffers of a thread that copies through pinned memory (cuda_staging.c). */
struct copy_thread {
    cudaStream_t stream;
    char *buffers[2];         /* pinned host memory */
    cudaEvent_t travelled[2]; /* recorded after the last transfer from or to each buffer */
};

struct gpu {
    int device;
    cudaStream_t stream;
    cudaEvent_t events[GPU_EVENTS];
    struct buffer src, dst;                            /* device memory of gpu_host_begin */
    struct buffer pinned[GPU_HOST_MEMORIES];           /* host memory of gpu_host_memory */
    struct copy_thread copy_threads[MAX_COPY_THREADS]; /* made when they are needed */
    struct buffer work;                                /* device memory of gpu_need */
    cudaEvent_t ended;                                 /* recorded by gpu_end */
    bool lacked_memory; /* gpu_grow's last allocation failed for lack of memory */
    int was_device;     /* the thread's device before gpu_host_begin */
};

/* Returns STATUS_OK, or STATUS_DEVICE with a message that says that `what` failed, and CUDA's
 * error. */
enum status gpu_check(cudaError_t result, const char *what, struct error *error);

/* Makes this device the calling thread's current one. */
enum status gpu_bind(const struct gpu *gpu, struct error *error);

/* Like gpu_bind, and sets *was_device to the former device, for gpu_unbind. */
enum status gpu_enter(const struct gpu *gpu, int *was_device, struct error *error);

/* Makes was_device the calling thread's current device again. */
void gpu_unbind(const struct gpu *gpu, int was_device);

/* Makes the buffer at least `bytes` large. If it grows, fills it with zeros, in the device's
 * stream. Returns STATUS_DEVICE if there is no memory; the message has the sizes and the
 * purpose. */
enum status gpu_grow(struct gpu *gpu, struct buffer *buffer, int64_t bytes, const char *purpose,
                     struct error *error);

/* Frees the device memory that calls share: src, dst and work. */
void gpu_free_buffers(struct gpu *gpu);

/* Returns how many threads, at most `threads`, should copy `bytes` bytes through pinned buffers; 0
 * if there are too few bytes, or no memory for the buffers. */
int gpu_copy_threads(struct gpu *gpu, int64_t bytes, int threads);

/* Copies as gpu_host_copy does, through pinned buffers, with this number of threads. The copy is
 * complete on return. */
enum status gpu_staged_copy(struct gpu *gpu, const struct gpu_rows *host,
                            const struct gpu_rows *device, bool up, int threads,
                            struct error *error);
void gpu_staging_close(struct gpu *gpu);

#endif
