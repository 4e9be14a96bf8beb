/* SPDX-License-Identifier: MIT */
/* What every file that calls CUDA needs: error messages, and the calling thread's device. */
#include "src/lib/gpu/cuda.h"

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

void gpu_unbind(const struct gpu *gpu, int was_device)
{
    if (was_device != gpu->device && cudaSetDevice(was_device) != cudaSuccess)
        cudaGetLastError(); /* it has gone: no failure of this device's work */
}
