/* SPDX-License-Identifier: MIT */
/* A GPU: memory, copies, streams and times. cuda_*.c call CUDA, or the emulated device; none.c
 * replaces them in a build without CUDA: its functions fail with a sentence. */
#ifndef SMOOTHIMG_GPU_H
#define SMOOTHIMG_GPU_H

#include "src/lib/base/error.h"
#include "kernels/variant.h"

#include <stddef.h>

/* An open device: a stream, and the buffers that runs use one after another. The same device may be
 * open several times: what one does overlaps with what the others do. */
struct gpu;

/* Seconds and bytes of the last run, by the device's own clock. */
struct gpu_times {
    double upload, kernel, download;
    int64_t upload_bytes, download_bytes;
};

/* Adds the seconds and bytes of one run to those of many. */
static inline void gpu_times_add(struct gpu_times *sum, struct gpu_times run)
{
    sum->upload += run.upload;
    sum->kernel += run.kernel;
    sum->download += run.download;
    sum->upload_bytes += run.upload_bytes;
    sum->download_bytes += run.download_bytes;
}

/* One of the devices of --list-devices. */
struct gpu_device {
    char name[256];
    int64_t memory_bytes;
    int major, minor; /* compute capability */
    int multiprocessors;
    int clock_mhz;       /* the highest; 0 if unknown */
    int64_t cache_bytes; /* of the second level, which all multiprocessors share */
};

/* Is the GPU of this build the emulated device, which runs on the processor? */
bool gpu_is_emulated(void);

/* NULL, or in a few words why there is no real GPU: by the driver's files, without starting CUDA,
 * which takes a quarter of a second. NULL promises nothing. */
const char *gpu_absent(void);

/* How many devices there are. STATUS_DEVICE if there are none, or no driver, or no CUDA in this
 * build, with the reason and what to do. */
enum status gpu_count(int *count, struct error *error);

/* Describes device 0..count-1. */
enum status gpu_describe(int device, struct gpu_device *description, struct error *error);

/* Opens a device, for one thread at a time, which may be another one each time. The caller closes
 * it. */
enum status gpu_open(int device, struct gpu **gpu, struct error *error);

/* From now on images travel between the device and other memory than that of gpu_host_memory by
 * plain CUDA copies, and not through pinned buffers. */
void gpu_use_pageable_copies(struct gpu *gpu);

/* NULL is legal. */
void gpu_close(struct gpu *gpu);

/* Runs a variant of the device on a job whose views are in the host's memory: uploads src with its
 * border, runs, downloads dst, waits, also where it fails. No CUDA error goes further than the
 * returned STATUS_DEVICE; without memory the sentence has the sizes. */
enum status gpu_run(struct gpu *gpu, const struct variant *variant, const struct job *job,
                    struct error *error);

/* For measuring: runs what the last gpu_run ran `runs` times more, one after the other, on the
 * image that it brought, where it put it, without copying anything. *seconds is what all of them
 * took, by the device's clock. The job's weights must still be there. STATUS_DEVICE if there was no
 * such run, or it failed. */
enum status gpu_rerun(struct gpu *gpu, int64_t runs, double *seconds, struct error *error);

/* For measuring: copies that many bytes from one place of the device's memory to another, `runs`
 * times. *seconds is what all of them took. It takes the memory of gpu_run's image and result: what
 * is in them is lost. */
enum status gpu_time_copy(struct gpu *gpu, int64_t bytes, int64_t runs, double *seconds,
                          struct error *error);

/* At least that many bytes of pinned memory of the host: images in it are copied at the full speed
 * of the bus, and without the processor. There are GPU_HOST_MEMORIES of
 * them; each grows, its contents lost, and stays until gpu_close. STATUS_DEVICE if there is
 * none: other memory serves too. */
#define GPU_HOST_MEMORIES 2
enum status gpu_host_memory(struct gpu *gpu, int which, int64_t bytes, void **memory,
                            struct error *error);

/* After a failure: is the device still there, for other images? What was begun on it, by others
 * too, is waited for. */
bool gpu_alive(const struct gpu *gpu);

/* Did the last gpu_run fail for want of the device's memory? A job of fewer rows may have room:
 * what the GPU held has been given back. */
bool gpu_lacked_memory(const struct gpu *gpu);

/* Of the last gpu_run. */
struct gpu_times gpu_last_times(const struct gpu *gpu);

/* For tests: from now on dst, and a border of that many pixels around it, which the host's memory
 * has too, is uploaded before the run and comes back after it, so that what a kernel leaves out or
 * writes beside it is seen. */
void gpu_watch_border(struct gpu *gpu, int64_t pixels);

#endif
