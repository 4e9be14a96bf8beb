/* SPDX-License-Identifier: MIT */
/* The machine's GPUs, and the times of work on them. Defined in cuda_device.c, or, in a build
 * without CUDA and without the emulated device, in none.c. */
#ifndef SMOOTHIMG_GPU_DEVICES_H
#define SMOOTHIMG_GPU_DEVICES_H

#include "src/lib/base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* The resources of a multiprocessor: the maximum numbers of threads and blocks that it holds at
 * once, and its number of registers. */
struct gpu_sm {
    int threads, blocks, registers;
    /* Shared memory of all blocks together, and the bytes that CUDA reserves for itself in each
     * block. */
    int64_t shared_bytes, reserved_bytes;
};

struct gpu_device {
    char name[256];
    int64_t memory_bytes;
    int major, minor; /* compute capability */
    int multiprocessors;
    int64_t cache_bytes; /* the second-level cache, which all multiprocessors share */
    struct gpu_sm sm;
};

/* True if this build's GPU is the emulated device, which runs on the processor. */
bool gpu_is_emulated(void);

/* True if the build has the emulated device, but only gpu_take_emulated() makes it available, and
 * has not been called. Such a build has no CUDA, and so no device until that call. */
bool gpu_offers_emulated(void);

/* Makes the emulated device available; call it before all other functions here. Returns false if
 * this build has no emulated device. */
bool gpu_take_emulated(void);

/* Counts the devices. Returns STATUS_DEVICE, with the reason and a remedy, if there is no device,
 * no driver, or no CUDA in this build. */
enum status gpu_count(int *count, struct error *error);

/* Describes device 0..count-1. */
enum status gpu_describe(int device, struct gpu_device *description, struct error *error);

/* The times of a call in seconds, measured by CUDA events, and the numbers of bytes that the call
 * copies. */
struct gpu_times {
    double upload, kernel, download;
    int64_t upload_bytes, download_bytes;
};

#endif
