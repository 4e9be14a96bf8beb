/* SPDX-License-Identifier: MIT */
/* Tests errors of src/lib/gpu, and the device's memory after a failure, on the emulated device.
 * (tests/random tests images that one grid of thread blocks cannot cover.) */
#include "src/lib/gpu/gpu.h"
#include "src/lib/filter/registry.h"
#include "src/bench/run/on_device.h"
#include "tests/unit/unit.h"

#include <cuda_runtime_api.h>
#include <string.h>
#include <sys/mman.h>

static void check_missing_device(void)
{
    struct gpu *gpu;
    struct error error;

    CHECK(gpu_open(7, &gpu, &error) == STATUS_DEVICE, "there is only one");
    CHECK(!gpu && strstr(error.text, "device 7"), "%s", error.text);
    gpu_close(gpu);
}

/* 200,000 rows of 200,000 samples, each row padded to 200,192 bytes, exceed the device's memory.
 * The call fails before it reads host memory, so the host arrays need only a few bytes. The device
 * must work afterwards. */
static void check_out_of_memory(void)
{
    const int64_t side = 200000;
    uint8_t from[3] = {1, 2, 3}, to[3] = {0};
    struct view src = {from, side, side, side, 1, 1}, dst = {to, side, side, side, 1, 1};
    struct request request = {.src = src, .dst = dst, .maxval = 255, .threads = 1};
    struct variant variant;
    struct gpu *gpu;
    struct error error;

    NEED(registry_variant(OP_REVERSE, "shared", &variant));
    NEED(gpu_open(0, &gpu, &error) == STATUS_OK);
    CHECK(on_device_once(&variant, &request, gpu, 0, &error) == STATUS_DEVICE, "no memory");
    CHECK(strstr(error.text, "has no memory for the image: 40038400000 bytes are needed"), "%s",
          error.text);
    request.src.width = request.dst.width = 3;
    request.src.height = request.dst.height = 1;
    CHECK(on_device_once(&variant, &request, gpu, 0, &error) == STATUS_OK, "%s", error.text);
    CHECK(to[0] == 3 && to[1] == 2 && to[2] == 1, "%d %d %d", to[0], to[1], to[2]);
    gpu_close(gpu);
}

/* Copies this many bytes to the device and back. */
static enum status there_and_back(struct gpu *gpu, int64_t bytes, struct error *error)
{
    static uint8_t from[70000], to[70000];
    const struct gpu_rows up = {from, bytes, bytes, 1}, down = {to, bytes, bytes, 1};
    struct gpu_times times = {0};
    void *src, *dst;
    enum status status = gpu_host_begin(gpu, bytes, bytes, &src, &dst, error);

    if (status == STATUS_OK)
        status = gpu_host_copy(gpu, &up, src, bytes, true, 1, error);
    if (status == STATUS_OK)
        status = gpu_host_copy(gpu, &down, src, bytes, false, 1, error);
    return gpu_host_end(gpu, status, &times, error);
}

/* If a function fails for lack of device memory, its `struct gpu` must free what it has allocated,
 * so that another `struct gpu` of the same device can use that memory. */
static void check_shared_memory(void)
{
    struct gpu *one, *other;
    struct error error;

    NEED(setenv("EMULATED_MEMORY", "190000", 1) == 0);
    NEED(gpu_open(0, &one, &error) == STATUS_OK && gpu_open(0, &other, &error) == STATUS_OK);
    CHECK(there_and_back(one, 60000, &error) == STATUS_OK, "%s", error.text);
    CHECK(there_and_back(other, 60000, &error) == STATUS_DEVICE && gpu_lacked_memory(other),
          "room for the image, and none for the result");
    CHECK(there_and_back(one, 70000, &error) == STATUS_OK, "%s", error.text);
    gpu_close(one);
    gpu_close(other);
    unsetenv("EMULATED_MEMORY");
}

/* After a failure no copy from host memory may be in progress, since the caller may unmap that
 * memory. */
static void check_failed_work(void)
{
    const size_t bytes = 4096;
    uint8_t *from = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const struct gpu_rows rows = {from, 64, 64, 64};
    struct gpu_times times = {0};
    void *src, *dst;
    struct gpu *gpu;
    struct error error;

    NEED(from != MAP_FAILED && gpu_open(0, &gpu, &error) == STATUS_OK);
    NEED(gpu_host_begin(gpu, 4096, 4096, &src, &dst, &error) == STATUS_OK);
    NEED(gpu_host_copy(gpu, &rows, src, 64, true, 0, &error) == STATUS_OK);
    fail(&error, STATUS_DEVICE, "refused on purpose");
    CHECK(gpu_host_end(gpu, STATUS_DEVICE, &times, &error) == STATUS_DEVICE, "%s", error.text);
    CHECK(strstr(error.text, "refused on purpose") && times.upload == 0, "%s", error.text);
    NEED(munmap(from, bytes) == 0);
    gpu_close(gpu);
}

/* A row may be longer than the greatest pitch of cudaMemcpy2D. This one exceeds the device's
 * memory, and the copy fails for that reason alone. */
static void check_long_row(void)
{
    uint8_t from[64] = {0};
    const int64_t bytes = (int64_t)3 << 30;
    const struct gpu_rows row = {from, bytes, bytes, 1};
    struct gpu_times times = {0};
    void *src, *dst;
    struct gpu *gpu;
    struct error error;

    NEED(gpu_open(0, &gpu, &error) == STATUS_OK);
    NEED(gpu_host_begin(gpu, 64, 64, &src, &dst, &error) == STATUS_OK);
    CHECK(gpu_host_copy(gpu, &row, src, bytes, true, 0, &error) == STATUS_DEVICE &&
              strstr(error.text, "cudaErrorInvalidValue"),
          "%s", error.text);
    NEED(gpu_host_end(gpu, STATUS_DEVICE, &times, &error) == STATUS_DEVICE);
    gpu_close(gpu);
}

static void check_times(void)
{
    uint8_t from[3] = {1, 2, 3}, to[3] = {0};
    const struct request request = {
        .src = {from, 3, 1, 3, 1, 1}, .dst = {to, 3, 1, 3, 1, 1}, .maxval = 255, .threads = 1};
    struct variant variant;
    struct on_device there;
    struct gpu *gpu;
    struct error error;
    double seconds = -1;

    NEED(registry_variant(OP_REVERSE, "naive", &variant));
    NEED(gpu_open(0, &gpu, &error) == STATUS_OK);
    NEED(on_device_make(&there, gpu, &variant, &request, 0, &error) == STATUS_OK);
    CHECK(on_device_run(&there, 3, &seconds, &error) == STATUS_OK, "%s", error.text);
    CHECK(seconds >= 0, "%g seconds", seconds);
    CHECK(on_device_get(&there, &error) == STATUS_OK && to[0] == 3 && to[2] == 1, "%d", to[0]);
    on_device_free(&there);
    gpu_close(gpu);
}

/* gpu_wait() waits for the work of all calls, though it waits for an event that only the last call
 * recorded, and though no call needs working memory. */
static void check_two_streams(void)
{
    cudaStream_t streams[2];
    struct gpu_call call;
    struct gpu *gpu;
    struct error error;
    void *memory;
    uint8_t *bytes;

    NEED(gpu_open(0, &gpu, &error) == STATUS_OK);
    NEED(gpu_array_make(gpu, 1, "a test", &memory, &error) == STATUS_OK);
    NEED(cudaHostAlloc((void **)&bytes, 2, cudaHostAllocDefault) == cudaSuccess);
    NEED(cudaMemset(memory, 1, 1) == cudaSuccess);
    memset(bytes, 0, 2);
    for (int i = 0; i < 2; i++) {
        NEED(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking) == cudaSuccess);
        NEED(gpu_begin(gpu, streams[i], &call, &error) == STATUS_OK);
        NEED(gpu_need(gpu, &call, 0, &error) == STATUS_OK);
        NEED(cudaMemcpyAsync(bytes + i, memory, 1, cudaMemcpyDeviceToHost, streams[i]) ==
             cudaSuccess);
        NEED(gpu_end(gpu, &call, &error) == STATUS_OK);
    }
    CHECK(bytes[0] == 0, "the device has not begun, so that only gpu_wait() can complete the work");
    CHECK(gpu_wait(gpu, &error) == STATUS_OK, "%s", error.text);
    CHECK(bytes[0] == 1 && bytes[1] == 1, "%d %d", bytes[0], bytes[1]);
    for (int i = 0; i < 2; i++)
        cudaStreamDestroy(streams[i]);
    cudaFreeHost(bytes);
    gpu_array_free(gpu, memory);
    gpu_close(gpu);
}

/* registry_best() returns the variants (implementations of an operation) one after another, the
 * best first. */
static void check_order(void)
{
    static const char *const names[] = {"fused", "separable", "shared",
                                        "tiled", "coalesced", "naive"};
    const struct variant *variant = NULL;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        variant = registry_best(OP_SMOOTH, ON_GPU, variant);
        NEED(variant);
        CHECK(strcmp(variant->name, names[i]) == 0, "%s, not %s", variant->name, names[i]);
    }
    CHECK(!registry_best(OP_SMOOTH, ON_GPU, variant), "there is none after it");
}

int main(void)
{
    check_order();
    check_missing_device();
    check_out_of_memory();
    check_shared_memory();
    check_failed_work();
    check_long_row();
    check_times();
    check_two_streams();
    return unit_result();
}
