/* SPDX-License-Identifier: MIT */
/* On the emulated device each copy and each cudaEventRecord() of a run fails in turn. Copies that
 * were started before the failure use pinned buffers. They must have ended before the next run
 * fills these buffers. */
#include "src/lib/gpu/gpu.h"
#include "tests/faults/fails.h"
#include "tests/unit/unit.h"

#include <cuda_runtime_api.h>
#include <string.h>

#define SIDE 64 /* 64 rows fill several of the emulated device's small buffers */

static int calls_until_failure; /* 0: no call fails */

static cudaError_t fault(void)
{
    return calls_until_failure > 0 && --calls_until_failure == 0 ? cudaErrorInvalidResourceHandle
                                                                 : cudaSuccess;
}

FAILS(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream))
FAILS(cudaMemcpy2DAsync,
      (void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width, size_t height,
       enum cudaMemcpyKind kind, cudaStream_t stream),
      (dst, dst_pitch, src, src_pitch, width, height, kind, stream))

/* Copies rows whose first byte is `first` to the device and back. If all copies succeed, compares
 * the bytes. */
static enum status there_and_back(struct gpu *gpu, int first, struct error *error)
{
    uint8_t from[SIDE * SIDE], to[SIDE * SIDE];
    const struct gpu_rows up = {from, SIDE, SIDE, SIDE}, down = {to, SIDE, SIDE, SIDE};
    struct gpu_times times = {0};
    void *src, *dst;
    enum status status = gpu_host_begin(gpu, sizeof from, sizeof to, &src, &dst, error);

    for (int i = 0; i < SIDE * SIDE; i++)
        from[i] = (uint8_t)(first + 7 * i + i / SIDE);
    memset(to, 0xa5, sizeof to);
    if (status == STATUS_OK)
        status = gpu_host_copy(gpu, &up, src, SIDE, true, 1, error);
    if (status == STATUS_OK)
        status = gpu_host_copy(gpu, &down, src, SIDE, false, 1, error);
    status = gpu_host_end(gpu, status, &times, error);
    CHECK(status != STATUS_OK || memcmp(from, to, sizeof to) == 0, "other bytes came back");
    return status;
}

int main(void)
{
    enum status status = STATUS_DEVICE;
    struct gpu *gpu;
    struct error error;
    int call = 0;

    NEED(gpu_open(0, &gpu, &error) == STATUS_OK);
    while (status == STATUS_DEVICE && unit_failures == 0) {
        calls_until_failure = ++call;
        status = there_and_back(gpu, 3 * call, &error);
        if (calls_until_failure == 0)
            CHECK(status == STATUS_DEVICE && *error.text, "call %d failed", call);
        else
            CHECK(status == STATUS_OK, "call %d: %s", call, error.text);
        calls_until_failure = 0;
        CHECK(there_and_back(gpu, 3 * call + 1, &error) == STATUS_OK, "after call %d: %s", call,
              error.text);
    }
    CHECK(call > 2 * SIDE * SIDE / 256, "%d calls", call);
    gpu_close(gpu);
    return unit_result();
}
