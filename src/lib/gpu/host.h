/* SPDX-License-Identifier: MIT */
/* Arrays of the host that the device computes: memory for them there, copies, and times. In
 * cuda_host.c; in a build without CUDA none.c, whose functions fail with a message. */
#ifndef SMOOTHIMG_GPU_HOST_H
#define SMOOTHIMG_GPU_HOST_H

#include "src/lib/gpu/gpu.h"

/* Begins: makes the device's memory for a source and a result at least so large, and owns it.
 * STATUS_DEVICE if there is no memory (gpu_lacked_memory). */
enum status gpu_host_begin(struct gpu *gpu, int64_t src_bytes, int64_t dst_bytes, void **src,
                           void **dst, struct error *error);

/* Rows of bytes. */
struct gpu_rows {
    void *first;
    int64_t pitch; /* bytes from a row to the next, at least a row's */
    int64_t bytes, rows;
};

/* Copies rows of the host to the device (up), or from there, in the order of gpu_stream: complete
 * after gpu_host_end. threads: how many of the host may copy rows in pageable memory. */
enum status gpu_host_copy(struct gpu *gpu, const struct gpu_rows *host, void *device,
                          int64_t device_pitch, bool up, int threads, struct error *error);

/* What comes next on the stream: the work on the source that is there, and the copies back. */
enum status gpu_host_work(struct gpu *gpu, struct error *error);
enum status gpu_host_back(struct gpu *gpu, struct error *error);

/* Ends, after a failure too: waits for all of it. status: of what was done; returns the first
 * failure. times: gets the seconds, unless it failed. Without enough memory all of it is given
 * back, so that less may succeed. */
enum status gpu_host_end(struct gpu *gpu, enum status status, struct gpu_times *times,
                         struct error *error);

#endif
