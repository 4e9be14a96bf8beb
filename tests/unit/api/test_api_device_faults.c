/* SPDX-License-Identifier: MIT */
/* smoothimg.h on an emulated device that fails: at each request to it, and for lack of memory. Each
 * failure has its status and a message, and the process goes on. */
#include "src/lib/smoothimg.h"
#include "tests/unit/unit.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 70
#define HEIGHT 50

static void set_number(const char *variable, int number)
{
    char text[16];

    snprintf(text, sizeof text, "%d", number);
    NEED(setenv(variable, text, 1) == 0);
}

/* What a program does; stops at the first failure, whose status it returns. */
static enum smoothimg_status work(struct smoothimg_context *context, struct smoothimg_image src,
                                  struct smoothimg_image dst)
{
    const struct smoothimg_filter_options options = {.sigma_x = 1, .sigma_y = 1};
    struct smoothimg_filter *filter;
    enum smoothimg_status status = smoothimg_use_device(context, 0);

    NEED(smoothimg_filter_create(context, &options, &filter) == SMOOTHIMG_OK);
    if (status == SMOOTHIMG_OK)
        status = smoothimg_reserve(context, filter, &src);
    if (status == SMOOTHIMG_OK)
        status = smoothimg_smooth(context, filter, &src, &dst, NULL);
    if (status == SMOOTHIMG_OK)
        status = smoothimg_reverse(context, &src, &dst, NULL);
    smoothimg_filter_free(filter);
    return status;
}

static struct smoothimg_image image_at(void *data)
{
    return (struct smoothimg_image){
        .data = data, .width = WIDTH, .height = HEIGHT, .channels = 1, .memory = SMOOTHIMG_CUDA};
}

/* Returns the status of the work on a device that fails after so many requests. */
static enum smoothimg_status fail_after(int requests)
{
    struct smoothimg_context *context;
    void *src, *dst;
    enum smoothimg_status status;

    NEED(cudaMalloc(&src, WIDTH * HEIGHT) == cudaSuccess);
    NEED(cudaMalloc(&dst, WIDTH * HEIGHT) == cudaSuccess);
    NEED(smoothimg_open(1, &context) == SMOOTHIMG_OK);
    set_number("EMULATED_FAILS_AFTER", requests);
    set_number("EMULATED_FAILING_DEVICE", 0);
    status = work(context, image_at(src), image_at(dst));
    if (status == SMOOTHIMG_OK && cudaDeviceSynchronize() != cudaSuccess)
        status = SMOOTHIMG_FAILED; /* found later, in the caller's stream */
    else if (status != SMOOTHIMG_OK)
        CHECK(strcmp(smoothimg_message(context), "") != 0, "%d requests: no message", requests);
    smoothimg_close(context);
    unsetenv("EMULATED_FAILING_DEVICE");
    cudaDeviceReset();
    return status;
}

static void check_requests(void)
{
    int requests = 0;
    enum smoothimg_status status = fail_after(0);

    CHECK(status == SMOOTHIMG_NO_DEVICE, "a device that cannot be opened: status %d", (int)status);
    while (status != SMOOTHIMG_OK && requests < 1000) {
        CHECK(status == SMOOTHIMG_NO_DEVICE || status == SMOOTHIMG_FAILED,
              "after %d requests: status %d", requests, (int)status);
        status = fail_after(++requests);
    }
    CHECK(requests > 15 && requests < 1000, "%d requests", requests);
}

/* More memory, step by step, until it is enough. */
static void check_memory(void)
{
    enum smoothimg_status status = SMOOTHIMG_NO_MEMORY;
    int kilobytes = 8; /* for the images themselves */

    for (; status != SMOOTHIMG_OK && kilobytes < 1 << 20; kilobytes += kilobytes / 4) {
        struct smoothimg_context *context;
        void *src, *dst;

        set_number("EMULATED_MEMORY", kilobytes << 10);
        NEED(cudaMalloc(&src, WIDTH * HEIGHT) == cudaSuccess);
        NEED(cudaMalloc(&dst, WIDTH * HEIGHT) == cudaSuccess);
        NEED(smoothimg_open(1, &context) == SMOOTHIMG_OK);
        status = work(context, image_at(src), image_at(dst));
        CHECK(status == SMOOTHIMG_OK || (status == SMOOTHIMG_NO_MEMORY &&
                                         strstr(smoothimg_message(context), "has no memory")),
              "%d KiB: status %d, %s", kilobytes, (int)status, smoothimg_message(context));
        smoothimg_close(context);
        cudaDeviceReset();
    }
    CHECK(kilobytes > 8 * 4 && status == SMOOTHIMG_OK, "%d KiB", kilobytes);
    unsetenv("EMULATED_MEMORY");
}

int main(void)
{
    check_memory();
    check_requests();
    return unit_result();
}
