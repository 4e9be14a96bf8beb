/* SPDX-License-Identifier: MIT */
/* Calls that enqueue work on the caller's stream. */
#include "src/lib/gpu/cuda.h"
#include "src/lib/gpu/gpu.h"

enum status gpu_begin(struct gpu *gpu, void *stream, struct gpu_call *call, struct error *error)
{
    enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    enum status status;

    *call = (struct gpu_call){.stream = stream};
    status = gpu_enter(gpu, &call->was_device, error);
    if (status == STATUS_OK)
        status = gpu_check(cudaStreamIsCapturing(stream, &capture),
                           "asking whether a stream is captured", error);
    call->captured = capture != cudaStreamCaptureStatusNone;
    if (status != STATUS_OK)
        gpu_unbind(gpu, call->was_device);
    return status;
}

static enum status grow(struct gpu *gpu, const struct gpu_call *call, int64_t bytes,
                        struct error *error)
{
    enum status status;

    if (bytes <= gpu->work.bytes)
        return STATUS_OK;
    if (call->captured)
        return fail(error, STATUS_INVALID,
                    "a stream that is being captured, and no memory to work in: call "
                    "smoothimg_reserve() before the capture");
    status = gpu_grow(gpu, &gpu->work, bytes, "the work on images", error);
    if (status != STATUS_OK && gpu->lacked_memory)
        return error->status = STATUS_NO_MEMORY;
    return status == STATUS_OK
               ? gpu_check(cudaStreamSynchronize(gpu->stream), "clearing memory", error)
               : status;
}

/* Even a call without working memory waits: gpu_end records one event for all calls, so the last
 * call has to end last. Captured work waits for no earlier work: a graph cannot wait for an event
 * that was recorded outside it. */
enum status gpu_need(struct gpu *gpu, struct gpu_call *call, int64_t bytes, struct error *error)
{
    const enum status status = grow(gpu, call, bytes, error);

    call->memory = gpu->work.memory;
    if (status != STATUS_OK || call->captured || !gpu->ended)
        return status;
    return gpu_check(cudaStreamWaitEvent(call->stream, gpu->ended, 0), "waiting for earlier work",
                     error);
}

enum status gpu_end(struct gpu *gpu, const struct gpu_call *call, struct error *error)
{
    enum status status = STATUS_OK;

    /* The event records no time, which saves the device a write. */
    if (!call->captured && !gpu->ended)
        status = gpu_check(cudaEventCreateWithFlags(&gpu->ended, cudaEventDisableTiming),
                           "making an event", error);
    if (status == STATUS_OK && !call->captured)
        status = gpu_check(cudaEventRecord(gpu->ended, call->stream), "recording an event", error);
    gpu_unbind(gpu, call->was_device);
    return status;
}

enum status gpu_wait(struct gpu *gpu, struct error *error)
{
    int was_device;
    enum status status;

    if (!gpu->ended)
        return STATUS_OK;
    status = gpu_enter(gpu, &was_device, error);
    if (status == STATUS_OK)
        status = gpu_check(cudaEventSynchronize(gpu->ended), "waiting for the device", error);
    gpu_unbind(gpu, was_device);
    return status;
}
