// SPDX-License-Identifier: MIT
// Tests errors of CUDA calls and of kernels on the emulated device. The device reports a kernel's
// fault with its place in the source. After that, calls for this device fail until it is reset.
#include "kernels/common/launch.cuh"
#include "src/emulator/emulated.h"
#include "tests/emulator/kernels/bulk_kernels.cuh"
#include "tests/emulator/kernels/wrong_kernels.cuh"

#include "tests/unit/unit.h"

#include <cstdlib>
#include <cstring>

static int *memory; // on the device, 1024 ints

static void start()
{
    cudaDeviceReset();
    emulated::take_report();
    NEED(cudaMalloc(&memory, 1024 * sizeof(int)) == cudaSuccess);
}

// Checks that waiting for the last kernel fails with this error. The device's report must begin
// with the kernel's name and contain both texts. Then resets the device.
static void check_fault(const char *kernel, cudaError_t expected, const char *words,
                        const char *more_words)
{
    CHECK(cudaGetLastError() == cudaSuccess, "%s: no fault before it runs", kernel);
    CHECK(cudaStreamSynchronize(nullptr) == expected, "%s", kernel);
    CHECK(cudaGetLastError() == expected && cudaGetLastError() == expected, "%s: sticky", kernel);
    CHECK(cudaMemset(memory, 0, 4) == expected, "%s: sticky", kernel);

    const std::string report = emulated::take_report();

    CHECK(report.find(kernel) == 0, "%s: %s", kernel, report.c_str());
    CHECK(report.find(words) != std::string::npos, "%s: no \"%s\" in: %s", kernel, words,
          report.c_str());
    CHECK(report.find(more_words) != std::string::npos, "%s: no \"%s\" in: %s", kernel, more_words,
          report.c_str());
    start();
    LAUNCH(fill, 4, 256, 0, nullptr, memory);
    CHECK(cudaDeviceSynchronize() == cudaSuccess, "%s: after it, a right kernel", kernel);
}

static void test_barriers()
{
    LAUNCH(barrier_in_both_arms, 1, 64, 0, nullptr, memory);
    check_fault("barrier_in_both_arms", cudaErrorLaunchFailure, "wrong_kernels.cuh:17",
                "wrong_kernels.cuh:19");
    LAUNCH(returns_before_barrier, 2, 64, 0, nullptr, memory);
    check_fault("returns_before_barrier", cudaErrorLaunchFailure, "thread (40,0,0) has ended",
                "block (0,0,0)");
    LAUNCH(half_a_warp_shuffles, 1, 64, 0, nullptr, memory);
    check_fault("half_a_warp_shuffles", cudaErrorLaunchFailure, "in a shuffle or vote", "deadlock");
    LAUNCH(masks_differ, 1, 32, 0, nullptr, memory);
    check_fault("masks_differ", cudaErrorLaunchFailure, "in a shuffle or vote", "deadlock");
    LAUNCH(shuffles_from_outside, 1, 32, 0, nullptr, memory);
    check_fault("shuffles_from_outside", cudaErrorLaunchFailure, "reads from lane 20",
                "which does not take part");
}

static void test_launches_that_await()
{
    LAUNCH_NEXT(half_awaits, 1, 32, 0, nullptr, memory);
    CHECK(cudaDeviceSynchronize() == cudaSuccess, "all threads await");
    LAUNCH_NEXT(half_awaits, 1, 64, 0, nullptr, memory);
    check_fault("half_awaits", cudaErrorLaunchFailure, "must call await_kernel_before",
                "block (0,0,0)");
    LAUNCH(half_awaits, 1, 64, 0, nullptr, memory);
    CHECK(cudaDeviceSynchronize() == cudaSuccess, "it need not");
}

static void check_launch(const char *what, dim3 grid, dim3 block, size_t shared_bytes,
                         cudaError_t expected)
{
    LAUNCH(fill, grid, block, shared_bytes, nullptr, memory);
    CHECK(cudaGetLastError() == expected, "%s", what);
    CHECK(cudaGetLastError() == cudaSuccess, "%s: not sticky", what);
}

static cudaError_t allow_shared(int bytes)
{
    return cudaFuncSetAttribute(fill, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
}

static void test_launches()
{
    check_launch("1025 threads", 1, dim3(41, 25), 0, cudaErrorInvalidConfiguration);
    check_launch("no threads", 1, dim3(1, 0), 0, cudaErrorInvalidConfiguration);
    check_launch("no blocks", dim3(0, 1), 1, 0, cudaErrorInvalidConfiguration);
    check_launch("many rows of blocks", dim3(1, 65536), 1, 0, cudaErrorInvalidConfiguration);
    check_launch("deep block", 1, dim3(1, 1, 65), 0, cudaErrorInvalidConfiguration);
    check_launch("48 KiB", 1, 1, 48 << 10, cudaSuccess);
    check_launch("more than 48 KiB", 1, 1, (48 << 10) + 1, cudaErrorInvalidValue);
    CHECK(allow_shared(100 << 10) == cudaSuccess, "100 KiB");
    check_launch("100 KiB", 1, 1, 100 << 10, cudaSuccess);
    check_launch("more than 100 KiB", 1, 1, (100 << 10) + 1, cudaErrorInvalidValue);
    CHECK(allow_shared(228 << 10) == cudaErrorInvalidValue, "228 KiB");
    CHECK(cudaGetLastError() == cudaErrorInvalidValue, "228 KiB");
    for (const auto &[capability, kibibytes] : {std::pair{"7", 64}, {"8", 163}, {"9", 227}}) {
        setenv("EMULATED_CAPABILITY", capability, 1);
        CHECK(allow_shared(kibibytes << 10) == cudaSuccess, "%d KiB, capability %s", kibibytes,
              capability);
        check_launch("as much as it gives", 1, 1, (size_t)kibibytes << 10, cudaSuccess);
        CHECK(allow_shared((kibibytes << 10) + 1) == cudaErrorInvalidValue,
              "more than %d KiB, capability %s", kibibytes, capability);
        CHECK(cudaGetLastError() == cudaErrorInvalidValue, "capability %s", capability);
        for (const int64_t bytes : {most_shared_bytes(), most_shared_bytes() - 8192}) {
            allow_shared_bytes((const void *)fill, bytes);
            check_launch("a limit for every launch", 1, 1, (size_t)most_shared_bytes(),
                         cudaSuccess);
        }
    }
    unsetenv("EMULATED_CAPABILITY");
    LAUNCH(too_much_static, 1, 1, 0, nullptr, memory);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue, "static arrays count");
}

// Two environment variables set the compute capability, and with it the limit of shared memory.
static void test_capabilities()
{
    const struct {
        const char *capability, *double_ratio;
        int major, minor, shared_kibibytes;
    } rows[] = {
        {"7", "2", 7, 5, 64}, {"8", "2", 8, 0, 163}, {"8", "64", 8, 6, 99}, {"9", "64", 9, 0, 227}};

    for (const auto &row : rows) {
        cudaDeviceProp properties;
        int major, minor, shared_bytes;

        setenv("EMULATED_CAPABILITY", row.capability, 1);
        setenv("EMULATED_DOUBLE_RATIO", row.double_ratio, 1);
        NEED(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);
        cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
        CHECK(major == row.major && minor == row.minor, "%d.%d instead of %d.%d", major, minor,
              row.major, row.minor);
        CHECK(properties.major == major && properties.minor == minor, "properties: %d.%d",
              properties.major, properties.minor);
        CHECK(shared_bytes == row.shared_kibibytes << 10, "%d.%d: %d bytes of shared memory", major,
              minor, shared_bytes);
    }
    unsetenv("EMULATED_CAPABILITY");
    unsetenv("EMULATED_DOUBLE_RATIO");
}

// Each block must find poison (-1) in shared memory, not what the previous block has left there.
static void test_shared()
{
    int host[2];

    LAUNCH(finds_shared, 2, 1, 16, nullptr, memory);
    CHECK(cudaMemcpy(host, memory, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess, "copy");
    CHECK(host[0] == -1 && host[1] == -1, "%x, %x", (unsigned)host[0], (unsigned)host[1]);
}

// A stream's work runs only when the host waits for the stream, or appends work that must follow
// it.
static void test_streams()
{
    int host[256];
    cudaStream_t stream;
    cudaEvent_t event;

    memset(host, 0, sizeof host);
    NEED(cudaStreamCreate(&stream) == cudaSuccess && cudaEventCreate(&event) == cudaSuccess);
    LAUNCH(fill, 1, 256, 0, stream, memory);
    cudaMemcpyAsync(host, memory, sizeof host, cudaMemcpyDeviceToHost, stream);
    cudaEventRecord(event, stream);
    CHECK(host[255] == 0, "before");
    CHECK(cudaEventSynchronize(event) == cudaSuccess && host[255] == 255, "after");
    memset(host, 0, sizeof host);
    NEED(cudaMemset(memory + 512, 0, 512) == cudaSuccess);
    LAUNCH(fill, 1, 128, 0, nullptr, memory + 512);
    cudaMemcpyAsync(host, memory + 512, 512, cudaMemcpyDeviceToHost, stream);
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess && host[127] == 127, "the default stream's");
    CHECK(cudaStreamDestroy(stream) == cudaSuccess, "destroy");
    CHECK(cudaStreamSynchronize(stream) == cudaErrorInvalidResourceHandle, "no stream any more");
    cudaEventDestroy(event);
    cudaGetLastError();
}

static void test_copies()
{
    int host[4];
    void *pinned, *one, *other;

    CHECK(cudaMemcpy(host, memory + 1020, 16, cudaMemcpyDeviceToHost) == cudaSuccess, "the end");
    CHECK(host[3] == -1, "poison: %d", host[3]);
    CHECK(cudaMemcpy(host, memory + 1021, 16, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue,
          "past the end");
    CHECK(cudaMemcpy(host, memory, 16, cudaMemcpyHostToDevice) == cudaErrorInvalidValue, "kind");
    CHECK(cudaMemcpy(host, memory, 16, (cudaMemcpyKind)7) == cudaErrorInvalidMemcpyDirection,
          "no kind");
    CHECK(strstr(cudaGetErrorString(cudaErrorInvalidMemcpyDirection), "direction") &&
              strstr(cudaGetErrorName(cudaErrorInvalidMemcpyDirection), "Direction"),
          "%s", cudaGetErrorString(cudaErrorInvalidMemcpyDirection));
    CHECK(cudaMemcpy2DAsync(host, 4, memory, 8, 8, 2, cudaMemcpyDeviceToHost) ==
              cudaErrorInvalidPitchValue,
          "pitch");
    NEED(cudaMalloc(&one, 4096) == cudaSuccess && cudaMalloc(&other, 4096) == cudaSuccess);
    CHECK(labs((char *)one - (char *)other) >= 8192, "a page without access between allocations");
    CHECK(cudaFree(memory + 1) == cudaErrorInvalidValue, "not an allocation");
    NEED(cudaHostAlloc(&pinned, 16, cudaHostAllocDefault) == cudaSuccess);
    CHECK(cudaFreeHost(pinned) == cudaSuccess, "once");
    CHECK(cudaFreeHost(pinned) == cudaErrorInvalidValue, "twice");
    cudaGetLastError();
}

// Memory and streams belong to the device that made them.
static void test_devices()
{
    cudaStream_t stream;

    setenv("EMULATED_DEVICES", "2", 1);
    NEED(cudaStreamCreate(&stream) == cudaSuccess && cudaSetDevice(1) == cudaSuccess);
    CHECK(cudaMemset(memory, 0, 4) == cudaErrorInvalidValue, "another device's memory");
    LAUNCH(fill, 1, 1, 0, stream, memory);
    CHECK(cudaGetLastError() == cudaErrorInvalidResourceHandle, "another device's stream");
    NEED(cudaSetDevice(0) == cudaSuccess);
    CHECK(cudaMemset(memory, 0, 4) == cudaSuccess, "its own memory");
    CHECK(cudaStreamDestroy(stream) == cudaSuccess, "its own stream");
    unsetenv("EMULATED_DEVICES");
}

// While a host thread waits for another device than its own, the other device's kernels use their
// own device's memory. The wait returns the other device's error.
static void test_waits_for_other_device()
{
    cudaStream_t stream;
    cudaEvent_t event;

    setenv("EMULATED_DEVICES", "2", 1);
    NEED(cudaStreamCreate(&stream) == cudaSuccess && cudaEventCreate(&event) == cudaSuccess);
    LAUNCH(copy_half_rows, 1, 32, 0, stream, (const uint4 *)memory, (uint4 *)memory + 64);
    NEED(cudaSetDevice(1) == cudaSuccess);
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess, "a kernel with asynchronous copies");
    NEED(cudaSetDevice(0) == cudaSuccess);
    LAUNCH(returns_before_barrier, 1, 64, 0, stream, memory);
    cudaEventRecord(event, stream);
    NEED(cudaSetDevice(1) == cudaSuccess);
    CHECK(cudaEventSynchronize(event) == cudaErrorLaunchFailure, "by an event");
    CHECK(cudaStreamSynchronize(stream) == cudaErrorLaunchFailure, "by a stream");
    CHECK(cudaStreamDestroy(stream) == cudaErrorLaunchFailure, "the stream's end");
    CHECK(cudaDeviceSynchronize() == cudaSuccess, "the thread's own device is right");
    NEED(cudaSetDevice(0) == cudaSuccess);
    cudaEventDestroy(event);
    unsetenv("EMULATED_DEVICES");
    start();
}

// After EMULATED_FAILS_AFTER calls of the CUDA runtime, all calls for EMULATED_FAILING_DEVICE fail
// until this device is reset.
static void test_breaking()
{
    cudaDeviceReset();
    setenv("EMULATED_FAILING_DEVICE", "0", 1);
    setenv("EMULATED_FAILS_AFTER", "3", 1);
    for (int i = 0; i < 3; i++)
        CHECK(cudaMalloc((void **)&memory, 256) == cudaSuccess, "request %d", i);
    CHECK(cudaMalloc((void **)&memory, 256) == cudaErrorLaunchFailure, "one too many");
    unsetenv("EMULATED_FAILING_DEVICE");
    CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure, "for good");
    cudaDeviceReset();
}

int main()
{
    start();
    test_copies();
    test_barriers();
    test_launches_that_await();
    test_launches();
    test_capabilities();
    test_shared();
    test_streams();
    test_devices();
    test_waits_for_other_device();
    test_breaking();
    return unit_result();
}
