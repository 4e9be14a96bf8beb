/* SPDX-License-Identifier: MIT */
/* Counts, describes, opens, selects and closes CUDA's devices. */
#include "src/lib/gpu/cuda.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef SMOOTHIMG_EMULATED
static const bool emulated = true;
#else
static const bool emulated = false, gpu_emulated_at_once = true;
#endif
static bool taken; /* gpu_take_emulated() was called; set only before there are threads */

bool gpu_is_emulated(void)
{
    return emulated;
}

bool gpu_offers_emulated(void)
{
    return !gpu_emulated_at_once && !taken;
}

bool gpu_take_emulated(void)
{
    taken = true;
    return emulated;
}

/* Returns why there is no device. Without a driver, CUDA's own message would be that the driver is
 * too old. */
static const char *reason(cudaError_t result)
{
    int version;

    if (result == cudaSuccess)
        return "none is visible";
    if (cudaDriverGetVersion(&version) == cudaSuccess && version == 0)
        return "there is no driver";
    return cudaGetErrorString(result);
}

enum status gpu_count(int *count, struct error *error)
{
    cudaError_t result;

    *count = 0;
    if (gpu_offers_emulated())
        return fail(error, STATUS_DEVICE, "this smoothimg was built without CUDA");
    result = cudaGetDeviceCount(count);
    if (result == cudaSuccess && *count > 0)
        return STATUS_OK;
    *count = 0;
    return fail(error, STATUS_DEVICE, "there is no usable GPU: %s; see that nvidia-smi lists one",
                reason(result));
}

static enum status check_number(int device, struct error *error)
{
    int count;
    const enum status status = gpu_count(&count, error);

    if (status != STATUS_OK || device < count)
        return status;
    return fail(error, STATUS_DEVICE, "there is no device %d; the last is %d", device, count - 1);
}

enum status gpu_describe(int device, struct gpu_device *description, struct error *error)
{
    struct cudaDeviceProp properties;
    enum status status = check_number(device, error);

    if (status == STATUS_OK)
        status = gpu_check(cudaGetDeviceProperties(&properties, device),
                           "asking for its properties", error);
    if (status != STATUS_OK)
        return status;
    snprintf(description->name, sizeof description->name, "%s", properties.name);
    description->memory_bytes = (int64_t)properties.totalGlobalMem;
    description->major = properties.major;
    description->minor = properties.minor;
    description->multiprocessors = properties.multiProcessorCount;
    description->cache_bytes = properties.l2CacheSize;
    description->sm = (struct gpu_sm){
        properties.maxThreadsPerMultiProcessor, properties.maxBlocksPerMultiProcessor,
        properties.regsPerMultiprocessor, (int64_t)properties.sharedMemPerMultiprocessor,
        (int64_t)properties.reservedSharedMemPerBlock};
    return STATUS_OK;
}

static enum status set_up(struct gpu *gpu, int *was_device, struct error *error)
{
    enum status status = gpu_enter(gpu, was_device, error);

    if (status == STATUS_OK)
        status = gpu_check(cudaStreamCreate(&gpu->stream), "making a stream", error);
    for (int i = 0; i < GPU_EVENTS && status == STATUS_OK; i++)
        status = gpu_check(cudaEventCreate(&gpu->events[i]), "making an event", error);
    return status;
}

enum status gpu_open(int device, struct gpu **gpu, struct error *error)
{
    int was_device;
    enum status status = check_number(device, error);

    *gpu = NULL;
    if (status != STATUS_OK)
        return status;
    *gpu = calloc(1, sizeof **gpu);
    if (!*gpu)
        return fail(error, STATUS_NO_MEMORY, "no memory for the description of a GPU");
    (*gpu)->device = device;
    status = set_up(*gpu, &was_device, error);
    gpu_unbind(*gpu, was_device);
    if (status != STATUS_OK) {
        gpu_close(*gpu);
        *gpu = NULL;
    }
    return status;
}

void gpu_close(struct gpu *gpu)
{
    struct error unused;
    int was_device;

    if (!gpu)
        return;
    gpu_enter(gpu, &was_device, &unused);
    if (gpu->ended) {
        cudaEventSynchronize(gpu->ended);
        cudaEventDestroy(gpu->ended);
    }
    gpu_free_buffers(gpu);
    for (int i = 0; i < GPU_HOST_MEMORIES; i++)
        cudaFreeHost(gpu->pinned[i].memory);
    gpu_staging_close(gpu);
    for (int i = 0; i < GPU_EVENTS; i++)
        if (gpu->events[i])
            cudaEventDestroy(gpu->events[i]);
    if (gpu->stream)
        cudaStreamDestroy(gpu->stream);
    gpu_unbind(gpu, was_device);
    free(gpu);
}

enum status gpu_check(cudaError_t result, const char *what, struct error *error)
{
    if (result == cudaSuccess)
        return STATUS_OK;
    cudaGetLastError(); /* resets the error, unless it is permanent */
    return fail(error, STATUS_DEVICE, "the GPU failed: %s: %s (%s)", what,
                cudaGetErrorString(result), cudaGetErrorName(result));
}

enum status gpu_bind(const struct gpu *gpu, struct error *error)
{
    return gpu_check(cudaSetDevice(gpu->device), "choosing the device", error);
}

enum status gpu_enter(const struct gpu *gpu, int *was_device, struct error *error)
{
    enum status status;

    *was_device = gpu->device;
    status = gpu_check(cudaGetDevice(was_device), "asking for the current device", error);
    return status == STATUS_OK && *was_device != gpu->device ? gpu_bind(gpu, error) : status;
}

void gpu_unbind(const struct gpu *gpu, int was_device)
{
    if (was_device != gpu->device && cudaSetDevice(was_device) != cudaSuccess)
        /* The former device is lost. Clears this error, since gpu's work has not failed. */
        cudaGetLastError();
}
