/* SPDX-License-Identifier: MIT */
/* Filters of arrays on a device, the emulated one or a GPU, by estimates and by its own exact sums,
 * against the definition's exact sums on the host: check_device CASES [FIRST]. */
#include "src/lib/gpu/arrays.h"
#include "tests/arrays/trial.h"

struct device {
    struct gpu *gpu;
    void *src, *dst, *scratch;
    int64_t scratch_bytes;
};

static void check(enum status status, const struct error *error)
{
    if (status == STATUS_OK)
        return;
    printf("%s\n", error->text);
    exit(1);
}

static void need_scratch(struct device *device, int64_t bytes)
{
    struct error error;

    if (bytes <= device->scratch_bytes)
        return;
    gpu_array_free(device->gpu, device->scratch);
    check(gpu_array_make(device->gpu, bytes, "a test", &device->scratch, &error), &error);
    device->scratch_bytes = bytes;
}

/* trial->dst: by the device. What it works in has other values before. */
static void run_on(struct device *device, struct trial *trial, bool exact_only)
{
    struct gpu *gpu = device->gpu;
    struct array_job job = trial->job;
    const int64_t bytes = array_device_scratch_bytes(&job);
    const char *failure;
    struct error error;

    need_scratch(device, bytes);
    job.exact_only = exact_only;
    job.src.origin = device->src;
    job.dst.origin = device->dst;
    check(gpu_array_set(gpu, device->scratch, 0xa5, bytes, &error), &error);
    check(gpu_array_set(gpu, device->dst, 0x5a, RESULT_BYTES, &error), &error);
    check(gpu_array_put(gpu, device->src, trial->src, RESULT_BYTES, &error), &error);
    failure = array_device_run(&job, device->scratch, gpu_stream(gpu));
    if (failure)
        printf("%s\n", failure);
    check(gpu_array_get(gpu, trial->dst, device->dst, RESULT_BYTES, &error), &error);
}

int main(int argc, char **argv)
{
    static struct trial trial;
    struct device device = {0};
    const uint64_t cases = strtoull(argv[1], NULL, 10);
    const uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1 + unit_turn() * cases;
    uint64_t wrong = 0, samples = 0;
    struct error error;

    check(gpu_open(0, &device.gpu, &error), &error);
    check(gpu_array_make(device.gpu, RESULT_BYTES, "a test", &device.src, &error), &error);
    check(gpu_array_make(device.gpu, RESULT_BYTES, "a test", &device.dst, &error), &error);
    for (uint64_t i = first; i < first + cases; i++) {
        if (!draw_trial(&trial, i))
            continue;
        run(&trial, true, trial.expected);
        run_on(&device, &trial, i % 8 == 0);
        samples += (uint64_t)trial.samples;
        wrong += is_wrong(&trial, i);
    }
    gpu_array_free(device.gpu, device.scratch);
    gpu_array_free(device.gpu, device.src);
    gpu_array_free(device.gpu, device.dst);
    gpu_close(device.gpu);
    return conclude("device", cases, samples, wrong);
}
