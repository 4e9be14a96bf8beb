// SPDX-License-Identifier: MIT
// Tests the trials of the engine fused:fp16 through smoothimg.h. The engine's kernel is compiled
// for several channel counts and radii ("shapes"). Before its first use in a process, a shape
// smooths a small image, and the samples are checked. If a sample is wrong, the shape is disabled
// for the process. If a trial could not run, a later call repeats it. A trial must not end a
// capture of the caller's stream: it may neither wait for that stream nor allocate in a way that
// CUDA forbids during a capture. Also tests that a context keeps plans for host and device memory
// apart.
#include "src/emulator/emulated.h"
#include "src/lib/smoothimg.h"

#include "tests/unit/splitmix.h"
#include "tests/unit/unit.h"

#include <cstring>
#include <cuda_runtime.h>
#include <vector>

static cudaStream_t stream; // the caller's stream
static bool captures;       // the wrappers act as if `stream` were being captured
static bool relaxed;        // the thread's capture mode is relaxed, which allows all calls
static int lost;            // how many CUDA calls would have ended a capture
static bool fails;          // the next wait of a trial reports a failure
static bool differs;        // the next trial finds a wrong sample
// A sample of the exact result that a trial has copied to the host, to compare it there. The last
// 64 bytes of the copy are the engine's scratch memory, and the exact result is before them.
static unsigned char *brought;

extern "C" {
cudaError_t __real_cudaStreamSynchronize(cudaStream_t);
cudaError_t __real_cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus *);
cudaError_t __real_cudaMemcpyAsync(void *, const void *, size_t, cudaMemcpyKind, cudaStream_t);
cudaError_t __real_cudaMalloc(void **, size_t);
cudaError_t __real_cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *);

cudaError_t __wrap_cudaStreamSynchronize(cudaStream_t which)
{
    const cudaError_t error = __real_cudaStreamSynchronize(which);

    lost += captures && (which == stream || !relaxed);
    if (!brought)
        return error;
    *brought ^= differs;
    brought = nullptr;
    return fails ? cudaErrorNotReady : error;
}

cudaError_t __wrap_cudaStreamIsCapturing(cudaStream_t which, cudaStreamCaptureStatus *status)
{
    const cudaError_t error = __real_cudaStreamIsCapturing(which, status);

    if (which == stream && captures)
        *status = cudaStreamCaptureStatusActive;
    return error;
}

cudaError_t __wrap_cudaMemcpyAsync(void *dst, const void *src, size_t bytes, cudaMemcpyKind kind,
                                   cudaStream_t which)
{
    if (kind == cudaMemcpyDeviceToHost && which != stream && which != nullptr)
        brought = static_cast<unsigned char *>(dst) + bytes - 64 - 1;
    return __real_cudaMemcpyAsync(dst, src, bytes, kind, which);
}

cudaError_t __wrap_cudaMalloc(void **memory, size_t bytes)
{
    lost += captures && !relaxed;
    return __real_cudaMalloc(memory, bytes);
}

cudaError_t __wrap_cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode)
{
    relaxed = *mode == cudaStreamCaptureModeRelaxed;
    return __real_cudaThreadExchangeStreamCaptureMode(mode);
}
}

static constexpr int WIDTH = 96, HEIGHT = 40;
static smoothimg_context *context, *host; // `host` has no device
static struct smoothimg_filter *filter;
static uint64_t noise = unit_turn();

static int launches_of(const char *kernel)
{
    int count = 0;

    for (const emulated::launched &one : emulated::take_launches())
        count += one.name.find(kernel) != std::string::npos;
    return count;
}

static const int64_t *shape_of(int channels)
{
    static int64_t shape[] = {HEIGHT, WIDTH, 0};

    shape[2] = channels;
    return shape;
}

static smoothimg_array array_of(int channels, void *data, smoothimg_memory memory)
{
    smoothimg_array array = {};

    array.data = data, array.axes = 3, array.shape = shape_of(channels), array.memory = memory;
    return array;
}

static struct smoothimg_filter *filter_of(int64_t radius)
{
    smoothimg_axis axes[3] = {};
    smoothimg_filter_options options = {};
    struct smoothimg_filter *made;

    axes[0].radius = axes[1].radius = radius;
    options.axes = 3, options.axis = axes;
    NEED(smoothimg_filter_create(context, &options, &made) == SMOOTHIMG_OK);
    return made;
}

// Smooths an image in host or device memory. Returns how many kernels were launched.
static size_t smooth_in(smoothimg_memory memory)
{
    std::vector<char> on_host(2 * WIDTH * HEIGHT);
    void *on_device, *data = on_host.data();

    NEED(cudaMalloc(&on_device, on_host.size()) == cudaSuccess);
    if (memory == SMOOTHIMG_CUDA)
        data = on_device;

    const smoothimg_array src = array_of(1, data, memory);
    const smoothimg_array dst = array_of(1, static_cast<char *>(data) + WIDTH * HEIGHT, memory);

    emulated::take_launches();
    NEED(smoothimg_filter(context, filter, &src, &dst, nullptr, nullptr) == SMOOTHIMG_OK);
    NEED(cudaDeviceSynchronize() == cudaSuccess);
    cudaFree(on_device);
    return emulated::take_launches().size();
}

// A plan that the context keeps for host memory is not used for device memory, nor the other way
// round.
static void check_plans()
{
    for (const char *name : {"arrays", static_cast<const char *>(nullptr)}) {
        NEED(smoothimg_choose(context, name) == SMOOTHIMG_OK);
        CHECK(smooth_in(SMOOTHIMG_HOST) == 0 && smooth_in(SMOOTHIMG_CUDA) > 0 &&
                  smooth_in(SMOOTHIMG_HOST) == 0,
              "%s", name ? name : "the fastest");
    }
}

// Smooths noise. The call must be refused, or give the samples of the context without a device.
// Returns how often the kernel of the engine fused:fp16 was launched: once for the trial before its
// first use, if there was one, and once more if the engine computed the result.
static int smooth(int channels, bool captured, bool refused)
{
    std::vector<unsigned char> bytes((size_t)WIDTH * HEIGHT * channels), wanted(bytes), got(bytes);
    const smoothimg_array from = array_of(channels, bytes.data(), SMOOTHIMG_HOST);
    const smoothimg_array to = array_of(channels, wanted.data(), SMOOTHIMG_HOST);
    void *src, *dst;

    for (unsigned char &byte : bytes)
        byte = (unsigned char)splitmix(&noise);
    NEED(smoothimg_filter(host, filter, &from, &to, nullptr, nullptr) == SMOOTHIMG_OK);
    NEED(cudaMalloc(&src, bytes.size()) == cudaSuccess);
    NEED(cudaMalloc(&dst, bytes.size()) == cudaSuccess);
    NEED(cudaMemcpy(src, bytes.data(), bytes.size(), cudaMemcpyHostToDevice) == cudaSuccess);

    const smoothimg_array there = array_of(channels, src, SMOOTHIMG_CUDA);
    const smoothimg_array result = array_of(channels, dst, SMOOTHIMG_CUDA);

    emulated::take_launches();
    captures = captured;

    const smoothimg_status status =
        smoothimg_filter(context, filter, &there, &result, nullptr, stream);

    CHECK(status == (refused ? SMOOTHIMG_UNSUPPORTED : SMOOTHIMG_OK), "%d: %s", status,
          smoothimg_message(context));
    captures = fails = differs = false;

    const int launches = launches_of("fused_fp16");

    CHECK(cudaGetLastError() == cudaSuccess, "an error was left");
    NEED(cudaDeviceSynchronize() == cudaSuccess);
    NEED(cudaMemcpy(got.data(), dst, got.size(), cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(refused || got == wanted, "%d channels: other samples than on the host", channels);
    cudaFree(src), cudaFree(dst);
    return launches;
}

// Reserves working memory for captured calls by reserving for a larger image. The larger image has
// other channels and another radius, so the shape of the captured calls has had no trial yet.
static void reserve_more()
{
    const smoothimg_array larger = array_of(4, nullptr, SMOOTHIMG_CUDA);
    struct smoothimg_filter *longer = filter_of(8);

    NEED(smoothimg_reserve(context, longer, &larger, &larger) == SMOOTHIMG_OK);
    smoothimg_filter_free(longer);
}

int main()
{
    NEED(smoothimg_open(1, &host) == SMOOTHIMG_OK);
    NEED(smoothimg_open(1, &context) == SMOOTHIMG_OK);
    NEED(smoothimg_use_device(context, 0) == SMOOTHIMG_OK);
    NEED(smoothimg_choose(context, "fused:fp16") == SMOOTHIMG_OK);
    filter = filter_of(4);
    NEED(cudaStreamCreate(&stream) == cudaSuccess);
    reserve_more();

    fails = true;
    CHECK(smooth(1, false, true) == 1, "a trial that could not be held");
    CHECK(smooth(1, true, false) == 2, "the next call holds it, and is computed by fp16");
    CHECK(lost == 0, "that ended a capture: %d times", lost);
    CHECK(smooth(1, false, false) == 1, "and then there is no trial any more");

    differs = true;
    CHECK(smooth(2, false, true) == 1, "a trial that finds a wrong sample");
    CHECK(smooth(2, false, true) == 0, "then the engine is not tried again");
    CHECK(smooth(1, false, false) == 1, "in another shape it is used as before");
    check_plans();

    smoothimg_filter_free(filter);
    smoothimg_close(context);
    smoothimg_close(host);
    cudaStreamDestroy(stream);
    return unit_result();
}
