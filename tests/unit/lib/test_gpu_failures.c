/* SPDX-License-Identifier: MIT */
/* Each copy and each event of a run fails in turn, on the emulated device. A copy that was started
 * before the failure uses a pinned buffer: it must have ended when the next run fills that buffer.
 */
#include "src/lib/filter/registry.h"
#include "src/lib/gpu/gpu.h"
#include "tests/faults/fails.h"
#include "tests/unit/unit.h"

#include <cuda_runtime_api.h>
#include <string.h>

#define SIDE 64 /* the rows take several buffers: the emulated device has small ones */

static int calls_until_failure; /* 0: none fails */

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

/* Reverses samples that begin with `first`. A right result is checked if the run succeeds. */
static enum status reverse(struct gpu *gpu, int first, struct error *error)
{
    uint8_t from[SIDE * SIDE], to[SIDE * SIDE];
    const struct view src = {from, SIDE, SIDE, SIDE, 1, 1}, dst = {to, SIDE, SIDE, SIDE, 1, 1};
    const struct request request = {.src = src, .dst = dst, .maxval = 255, .threads = 1};
    enum status status;
    int wrong = 0;

    for (int i = 0; i < SIDE * SIDE; i++)
        from[i] = (uint8_t)(first + 7 * i + i / SIDE);
    memset(to, 0xa5, sizeof to);
    status = gpu_run(gpu, registry_find("reverse_shared")->variant, &request, NULL, error);
    for (int i = 0; i < SIDE * SIDE && status == STATUS_OK; i++)
        wrong += to[i] != from[SIDE * SIDE - 1 - i];
    CHECK(wrong == 0, "%d samples are wrong", wrong);
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
        status = reverse(gpu, 3 * call, &error);
        if (calls_until_failure == 0)
            CHECK(status == STATUS_DEVICE && *error.text, "call %d failed", call);
        else
            CHECK(status == STATUS_OK, "call %d: %s", call, error.text);
        calls_until_failure = 0;
        CHECK(reverse(gpu, 3 * call + 1, &error) == STATUS_OK, "after call %d: %s", call,
              error.text);
    }
    CHECK(call > 2 * SIDE * SIDE / 256, "%d calls", call);
    gpu_close(gpu);
    return unit_result();
}
