/* SPDX-License-Identifier: MIT */
/* What the device's plumbing says when it cannot. On the emulated device. */
#include "gpu.h"
#include "registry.h"
#include "unit.h"

#include <string.h>

static void check_missing_device(void)
{
    struct gpu *gpu;
    struct error error;

    CHECK(gpu_open(7, &gpu, &error) == STATUS_DEVICE, "there is only one");
    CHECK(!gpu && strstr(error.text, "--device 7"), "%s", error.text);
    gpu_close(gpu);
}

/* 200,000 rows of 200,000 samples, padded to 200,192 bytes, are more than the device has. Nothing
 * of the host's memory is touched before the device's is there, so that one byte can stand for it.
 * The device is as good as new afterwards. */
static void check_out_of_memory(void)
{
    const int64_t side = 200000;
    uint8_t from[3] = {1, 2, 3}, to[3] = {0};
    struct view src = {from, side, side, side, 1, 1}, dst = {to, side, side, side, 1, 1};
    struct job job = {.src = src, .dst = dst, .maxval = 255, .threads = 1};
    const struct variant *variant = registry_find("reverse_shared")->variant;
    struct gpu *gpu;
    struct error error;

    NEED(gpu_open(0, &gpu, &error) == STATUS_OK);
    CHECK(gpu_run(gpu, variant, &job, &error) == STATUS_DEVICE, "no memory");
    CHECK(strstr(error.text, "has no memory for the image: 40038400000 bytes are needed"), "%s",
          error.text);
    job.src.width = job.dst.width = 3;
    job.src.height = job.dst.height = 1;
    CHECK(gpu_run(gpu, variant, &job, &error) == STATUS_OK, "%s", error.text);
    CHECK(to[0] == 3 && to[1] == 2 && to[2] == 1, "%d %d %d", to[0], to[1], to[2]);
    gpu_close(gpu);
}

/* Runs again on the image that is there already, and on none that is not. */
static void check_rerun(void)
{
    uint8_t from[3] = {1, 2, 3}, to[3] = {0};
    const struct job job = {
        .src = {from, 3, 1, 3, 1, 1}, .dst = {to, 3, 1, 3, 1, 1}, .maxval = 255};
    const struct variant *variant = registry_find("reverse_naive")->variant;
    struct gpu *gpu;
    struct error error;
    double seconds = -1;

    NEED(gpu_open(0, &gpu, &error) == STATUS_OK);
    CHECK(gpu_rerun(gpu, 1, &seconds, &error) == STATUS_DEVICE, "nothing is there");
    CHECK(gpu_run(gpu, variant, &job, &error) == STATUS_OK, "%s", error.text);
    CHECK(gpu_rerun(gpu, 3, &seconds, &error) == STATUS_OK, "%s", error.text);
    CHECK(seconds >= 0, "%g seconds", seconds);
    seconds = -1;
    CHECK(gpu_time_copy(gpu, 1000, 2, &seconds, &error) == STATUS_OK, "%s", error.text);
    CHECK(seconds >= 0, "%g seconds", seconds);
    CHECK(gpu_rerun(gpu, 1, &seconds, &error) == STATUS_DEVICE, "it was lost");
    gpu_close(gpu);
}

/* From the best down, and no further. */
static void check_order(void)
{
    static const char *const names[] = {"fused", "shared", "coalesced", "naive"};
    const struct variant *variant = NULL;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        variant = registry_best(OP_SMOOTH, ON_GPU, variant);
        NEED(variant);
        CHECK(strcmp(variant->name, names[i]) == 0, "%s, not %s", variant->name, names[i]);
    }
    CHECK(!registry_best(OP_SMOOTH, ON_GPU, variant), "there is none behind it");
}

int main(void)
{
    check_order();
    check_missing_device();
    check_out_of_memory();
    check_rerun();
    return unit_result();
}
