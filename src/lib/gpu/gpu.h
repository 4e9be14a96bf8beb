/* SPDX-License-Identifier: MIT */
/* A GPU: memory, copies, streams and times. cuda_*.c call CUDA or the emulated device. In a build
 * with neither, none.c replaces cuda_*.c: its functions that return a status fail. */
#ifndef SMOOTHIMG_GPU_H
#define SMOOTHIMG_GPU_H

#include "src/lib/gpu/devices.h"
#include "kernels/variant.h"

/* An open device: a stream, and the buffers that its calls share. To overlap work, open a device
 * several times: each struct gpu has a stream and buffers of its own. */
struct gpu;

/* Opens a device, which the caller closes. Any thread may use it, but only one at a time. Does not
 * change the calling thread's current device. */
enum status gpu_open(int device, struct gpu **gpu, struct error *error);

/* Closes the device. NULL is allowed. */
void gpu_close(struct gpu *gpu);

/* Sets *memory to at least `bytes` bytes of pinned host memory. The device copies it at the full
 * speed of the bus, without the processor. `which`, 0..GPU_HOST_MEMORIES-1, selects a buffer. If
 * the buffer has to grow, its contents are lost. *gpu owns the memory until gpu_close. Returns
 * STATUS_DEVICE if no pinned memory is left: the caller may then use any other memory. */
#define GPU_HOST_MEMORIES 2
enum status gpu_host_memory(struct gpu *gpu, int which, int64_t bytes, void **memory,
                            struct error *error);

/* True if the last allocation of device memory failed because too little was free: a smaller
 * request may succeed. gpu_host_begin and gpu_array_make reset this answer to false first. */
bool gpu_lacked_memory(const struct gpu *gpu);

/* --- Work enqueued on the caller's stream. These functions do not wait, except gpu_wait, and
 * gpu_need if its memory grows. */

/* The state of a call between gpu_begin and gpu_end. */
struct gpu_call {
    void *stream;   /* a cudaStream_t; NULL: the default stream */
    void *memory;   /* set by gpu_need */
    int was_device; /* the thread's current device before gpu_begin */
    bool captured;  /* the stream is being captured into a graph */
};

/* Begins a call: makes the device the thread's current one. After success the call must end with
 * gpu_end. */
enum status gpu_begin(struct gpu *gpu, void *stream, struct gpu_call *call, struct error *error);

/* Sets call->memory to at least `bytes` bytes of working memory, aligned to 256 bytes. Earlier
 * calls use the same memory, so work that is enqueued from now on waits for the work of the last
 * call, unless the stream is being captured. If the memory has to grow, allocates
 * it and waits for the device. It cannot grow while the stream is being captured: returns
 * STATUS_INVALID then. Returns STATUS_NO_MEMORY if the device has too little memory. */
enum status gpu_need(struct gpu *gpu, struct gpu_call *call, int64_t bytes, struct error *error);

/* Ends the call, and makes the thread's former device current again. */
enum status gpu_end(struct gpu *gpu, const struct gpu_call *call, struct error *error);

/* Waits for all work that calls have enqueued, except captured work. Does not change the calling
 * thread's current device. */
enum status gpu_wait(struct gpu *gpu, struct error *error);

/* --- Calls in which the device computes arrays in host memory: device memory, copies, and times.
 */

/* Begins a call. Sets *src and *dst to device memory of at least src_bytes and dst_bytes, which
 * *gpu owns. Returns STATUS_DEVICE if there is no memory (gpu_lacked_memory). */
enum status gpu_host_begin(struct gpu *gpu, int64_t src_bytes, int64_t dst_bytes, void **src,
                           void **dst, struct error *error);

struct gpu_rows {
    void *first;
    int64_t pitch; /* bytes from the beginning of a row to the next; at least `bytes` */
    int64_t bytes, rows;
};

/* Copies rows from the host to the device if `up`, else from the device to the host, after the work
 * that is already in the device's stream (gpu_stream()). The copy is complete after gpu_host_end.
 * Up to `threads` host threads copy rows in pageable memory, through pinned buffers. CUDA alone
 * copies rows in the memory of gpu_host_memory. It also copies other rows alone if `threads` is 0,
 * if the rows have too few bytes, or if there is no pinned memory for the buffers. */
enum status gpu_host_copy(struct gpu *gpu, const struct gpu_rows *host, void *device,
                          int64_t device_pitch, bool up, int threads, struct error *error);

/* Records an event in the device's stream (gpu_stream()). gpu_host_end computes the times between
 * events. */
enum gpu_event { UPLOAD_BEGINS, KERNEL_BEGINS, KERNEL_ENDS, DOWNLOAD_ENDS, GPU_EVENTS };
enum status gpu_mark(struct gpu *gpu, enum gpu_event event, struct error *error);

/* Ends the call and waits for its work. Call it after a failure too: `status` is the call's status
 * so far. Returns the first failure. Adds the call's times to *times unless it failed. If the
 * device ran out of memory, frees the buffers that calls share, so that a smaller call may
 * succeed. */
enum status gpu_host_end(struct gpu *gpu, enum status status, struct gpu_times *times,
                         struct error *error);

/* --- For benchmarks and tests: arrays in device memory, and kernels. */

/* Allocates device memory, which the caller frees. `purpose` is for the message if memory is
 * lacking. */
enum status gpu_array_make(struct gpu *gpu, int64_t bytes, const char *purpose, void **memory,
                           struct error *error);

/* Frees the memory. NULL is allowed. */
void gpu_array_free(struct gpu *gpu, void *memory);

/* gpu_array_put copies from the host to the device, and gpu_array_get back. The copy is complete on
 * return. */
enum status gpu_array_put(struct gpu *gpu, void *device, const void *host, int64_t bytes,
                          struct error *error);
enum status gpu_array_get(struct gpu *gpu, void *host, const void *device, int64_t bytes,
                          struct error *error);

/* Enqueues a copy within the device's memory, in its stream (gpu_stream()). */
enum status gpu_array_copy(struct gpu *gpu, void *to, const void *from, int64_t bytes,
                           struct error *error);

/* Waits for all work in the device's stream (gpu_stream()). */
enum status gpu_array_wait(struct gpu *gpu, struct error *error);

/* Returns the stream for launches of kernels: a cudaStream_t. */
void *gpu_stream(const struct gpu *gpu);

/* The resources of a multiprocessor that a kernel needs. */
struct gpu_kernel {
    /* Registers of a thread; 0 if the device, such as the emulated one, does not report them. */
    int registers;
    int64_t shared_bytes; /* static shared memory of a block */
    /* Blocks that a multiprocessor runs at once, as CUDA's runtime counts them. */
    int blocks;
};
/* Describes a kernel, launched with blocks of `threads` threads and `dynamic_bytes` of dynamic
 * shared memory. */
enum status gpu_describe_kernel(struct gpu *gpu, const void *kernel, int threads,
                                int64_t dynamic_bytes, struct gpu_kernel *description,
                                struct error *error);

#endif
