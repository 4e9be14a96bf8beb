/* SPDX-License-Identifier: MIT */
/* Tests smoothimg.h on an emulated device that fails after 0, 1, 2 ... requests, and on a device
 * with too little memory. A failed call must return a status and a message. The CUDA device that
 * was current before must be current again. Also tests smoothimg_wait(). */
#include "tests/unit/api/samples.h"

#include <cuda_runtime_api.h>

#define WIDTH 70
#define HEIGHT 50

/* Checks that CUDA's current device is still `current` after the call. Returns the call's
 * status. */
static enum smoothimg_status seen(enum smoothimg_status status, const char *call, int current)
{
    int device = -1;

    CHECK(cudaGetDevice(&device) == cudaSuccess && device == current,
          "%s, status %d: device %d is current, and was %d", call, (int)status, device, current);
    return status;
}

/* Calls the library with device 0, to which the stream belongs, while device `current` is current.
 * Stops at the first failure and returns its status. */
static enum smoothimg_status work(struct smoothimg_context *context, struct stack src,
                                  struct stack dst, cudaStream_t stream, int current)
{
    struct smoothimg_filter *filter;
    enum smoothimg_status status;

    NEED(cudaSetDevice(current) == cudaSuccess);
    status = seen(smoothimg_use_device(context, 0), "use_device", current);
    filter = filter_make(context, smooth_of(3, 3, SMOOTHIMG_REFLECT));
    if (status == SMOOTHIMG_OK)
        status = seen(reserve(context, filter, &src), "reserve", current);
    if (status == SMOOTHIMG_OK)
        status =
            seen(call_on(context, SMOOTHIMG_SMOOTH, filter, &src, &dst, stream), "smooth", current);
    if (status == SMOOTHIMG_OK)
        status =
            seen(call_on(context, SMOOTHIMG_REVERSE, NULL, &src, &dst, stream), "reverse", current);
    if (status == SMOOTHIMG_OK)
        status = seen(smoothimg_wait(context), "wait", current);
    smoothimg_filter_free(filter);
    return status;
}

static struct stack image_at(void *data)
{
    return (struct stack){
        .data = data, .width = WIDTH, .height = HEIGHT, .channels = 1, .memory = SMOOTHIMG_CUDA};
}

/* Returns the status of work() on a device on which all calls fail after the first `requests`
 * ones. */
static enum smoothimg_status fail_after(int requests, int current)
{
    struct smoothimg_context *context;
    cudaStream_t stream;
    void *src, *dst;
    enum smoothimg_status status;

    NEED(cudaSetDevice(0) == cudaSuccess);
    NEED(cudaMalloc(&src, WIDTH * HEIGHT) == cudaSuccess);
    NEED(cudaMalloc(&dst, WIDTH * HEIGHT) == cudaSuccess);
    NEED(cudaStreamCreate(&stream) == cudaSuccess);
    NEED(smoothimg_open(1, &context) == SMOOTHIMG_OK);
    unit_set("EMULATED_FAILS_AFTER", requests);
    unit_set("EMULATED_FAILING_DEVICE", 0);
    status = work(context, image_at(src), image_at(dst), stream, current);
    CHECK(status == SMOOTHIMG_OK || strcmp(smoothimg_message(context), "") != 0,
          "%d requests: no message", requests);
    smoothimg_close(context);
    seen(status, "close", current);
    unsetenv("EMULATED_FAILING_DEVICE");
    NEED(cudaSetDevice(0) == cudaSuccess);
    cudaDeviceReset();
    return status;
}

static void check_requests(int current)
{
    int requests = 0;
    enum smoothimg_status status = fail_after(0, current);

    CHECK(status == SMOOTHIMG_NO_DEVICE, "a device that cannot be opened: status %d", (int)status);
    while (status != SMOOTHIMG_OK && requests < 1000) {
        CHECK(status == SMOOTHIMG_NO_DEVICE || status == SMOOTHIMG_FAILED,
              "after %d requests: status %d", requests, (int)status);
        status = fail_after(++requests, current);
    }
    CHECK(requests > 5 && requests < 1000, "%d requests", requests);
}

/* After a call that the library refuses, the same CUDA device must be current as before. */
static void check_refused(int current)
{
    struct smoothimg_context *context;
    const struct stack image = image_at(NULL);

    NEED(smoothimg_open(1, &context) == SMOOTHIMG_OK);
    NEED(smoothimg_use_device(context, 0) == SMOOTHIMG_OK);
    NEED(cudaSetDevice(current) == cudaSuccess);
    CHECK(seen(smoothimg_use_device(context, 0), "use_device", current) == SMOOTHIMG_INVALID,
          "a second device");
    CHECK(strcmp(smoothimg_message(context), "device 0: the context has a device already, and a "
                                             "context has one; open another context") == 0,
          "%s", smoothimg_message(context));
    CHECK(seen(call(context, SMOOTHIMG_REVERSE, NULL, &image, &image), "reverse", current) ==
              SMOOTHIMG_INVALID,
          "without data");
    CHECK(seen(smoothimg_wait(context), "wait", current) == SMOOTHIMG_OK, "nothing to wait for");
    smoothimg_close(context);
    NEED(cudaSetDevice(0) == cudaSuccess);
}

/* Reads the emulated device's memory without a call that would wait for the device.
 * AddressSanitizer would report this read, so the function is exempt. */
__attribute__((no_sanitize_address)) static bool device_has(const unsigned char *memory,
                                                            const unsigned char *wanted, int n)
{
    for (int i = 0; i < n; i++)
        if (((const volatile unsigned char *)memory)[i] != wanted[i])
            return false;
    return true;
}

/* The emulated device computes nothing before smoothimg_wait(). The test sees this, since the
 * device's memory is host memory. */
static void check_wait(int current)
{
    unsigned char samples[HEIGHT * WIDTH], wanted[HEIGHT * WIDTH];
    struct stack from, to;
    struct smoothimg_context *context;
    cudaStream_t stream;
    void *src, *dst;

    for (int i = 0; i < HEIGHT * WIDTH; i++)
        samples[i] = (unsigned char)(i * i / 5), wanted[HEIGHT * WIDTH - 1 - i] = samples[i];
    NEED(cudaMalloc(&src, sizeof samples) == cudaSuccess);
    NEED(cudaMalloc(&dst, sizeof samples) == cudaSuccess);
    NEED(cudaMemcpy(src, samples, sizeof samples, cudaMemcpyHostToDevice) == cudaSuccess);
    NEED(cudaMemset(dst, 1, sizeof samples) == cudaSuccess);
    NEED(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
    NEED(cudaDeviceSynchronize() == cudaSuccess);
    NEED(smoothimg_open(1, &context) == SMOOTHIMG_OK);
    CHECK(smoothimg_wait(context) == SMOOTHIMG_OK, "without a device");
    NEED(smoothimg_use_device(context, 0) == SMOOTHIMG_OK);
    NEED(cudaSetDevice(current) == cudaSuccess);
    from = image_at(src), to = image_at(dst);
    NEED(call_on(context, SMOOTHIMG_REVERSE, NULL, &from, &to, stream) == SMOOTHIMG_OK);
    CHECK(!device_has(dst, wanted, sizeof wanted), "done before anything waits");
    CHECK(smoothimg_wait(context) == SMOOTHIMG_OK, "%s", smoothimg_message(context));
    CHECK(device_has(dst, wanted, sizeof wanted), "not done after the wait");
    smoothimg_close(context);
    NEED(cudaSetDevice(0) == cudaSuccess);
    cudaDeviceReset();
}

/* Gives the device more and more memory until work() succeeds. */
static void check_memory(void)
{
    enum smoothimg_status status = SMOOTHIMG_NO_MEMORY;
    int kilobytes = 8; /* enough for the two images, not for working memory */

    for (; status != SMOOTHIMG_OK && kilobytes < 1 << 20; kilobytes += kilobytes / 4) {
        struct smoothimg_context *context;
        void *src, *dst;

        unit_set("EMULATED_MEMORY", kilobytes << 10);
        NEED(cudaMalloc(&src, WIDTH * HEIGHT) == cudaSuccess);
        NEED(cudaMalloc(&dst, WIDTH * HEIGHT) == cudaSuccess);
        NEED(smoothimg_open(1, &context) == SMOOTHIMG_OK);
        status = work(context, image_at(src), image_at(dst), NULL, 0);
        CHECK(status == SMOOTHIMG_OK || (status == SMOOTHIMG_NO_MEMORY &&
                                         strstr(smoothimg_message(context), "has no memory")),
              "%d KiB: status %d, %s", kilobytes, (int)status, smoothimg_message(context));
        smoothimg_close(context);
        cudaDeviceReset();
    }
    CHECK(kilobytes > 8 * 2 && status == SMOOTHIMG_OK, "%d KiB", kilobytes);
    unsetenv("EMULATED_MEMORY");
}

int main(void)
{
    unit_set("EMULATED_DEVICES", 2);
    check_memory();
    for (int current = 0; current < 2; current++) {
        check_requests(current);
        check_refused(current);
        check_wait(current);
    }
    return unit_result();
}
