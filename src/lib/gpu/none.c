/* SPDX-License-Identifier: MIT */
/* The functions of gpu.h in a build without CUDA and without the emulated device: each that returns
 * a status fails. */
#include "kernels/common/arrays.h"
#include "src/lib/gpu/gpu.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* most functions here read no parameter */

static enum status none(struct error *error)
{
    return fail(error, STATUS_DEVICE,
                "this smoothimg was built without CUDA; where nvcc is installed, build it with "
                "-Dcuda=enabled (meson setup) or -Csetup-args=-Dcuda=enabled (pip install)");
}

/* Defines a function with these parameters and *error; all it does is set *error and fail. */
#define FAILS(NAME, ...)                                                                           \
    enum status NAME(__VA_ARGS__, struct error *error)                                             \
    {                                                                                              \
        return none(error);                                                                        \
    }

bool gpu_is_emulated(void)
{
    return false;
}

bool gpu_offers_emulated(void)
{
    return false;
}

bool gpu_take_emulated(void)
{
    return false;
}

enum status gpu_count(int *count, struct error *error)
{
    *count = 0;
    return none(error);
}

enum status gpu_open(int device, struct gpu **gpu, struct error *error)
{
    *gpu = NULL;
    return none(error);
}

void gpu_close(struct gpu *gpu) {}

bool gpu_lacked_memory(const struct gpu *gpu)
{
    return false;
}

void gpu_array_free(struct gpu *gpu, void *memory) {}

void *gpu_stream(const struct gpu *gpu)
{
    return NULL;
}

static const char *refuses(const struct request *request)
{
    return "built without CUDA";
}

const struct engine array_device_engine = {.name = "arrays", .refuses = refuses};

FAILS(gpu_describe, int device, struct gpu_device *description)
FAILS(gpu_host_memory, struct gpu *gpu, int which, int64_t bytes, void **memory)
FAILS(gpu_array_make, struct gpu *gpu, int64_t bytes, const char *purpose, void **memory)
FAILS(gpu_array_put, struct gpu *gpu, void *device, const void *host, int64_t bytes)
FAILS(gpu_array_get, struct gpu *gpu, void *host, const void *device, int64_t bytes)
FAILS(gpu_array_copy, struct gpu *gpu, void *to, const void *from, int64_t bytes)
FAILS(gpu_array_wait, struct gpu *gpu)
FAILS(gpu_describe_kernel, struct gpu *gpu, const void *kernel, int threads, int64_t dynamic_bytes,
      struct gpu_kernel *description)
FAILS(gpu_begin, struct gpu *gpu, void *stream, struct gpu_call *call)
FAILS(gpu_need, struct gpu *gpu, struct gpu_call *call, int64_t bytes)
FAILS(gpu_end, struct gpu *gpu, const struct gpu_call *call)
FAILS(gpu_wait, struct gpu *gpu)
FAILS(gpu_host_begin, struct gpu *gpu, int64_t src_bytes, int64_t dst_bytes, void **src, void **dst)
FAILS(gpu_host_copy, struct gpu *gpu, const struct gpu_rows *host, void *device,
      int64_t device_pitch, bool up, int threads)
FAILS(gpu_mark, struct gpu *gpu, enum gpu_event event)
FAILS(gpu_host_end, struct gpu *gpu, enum status status, struct gpu_times *times)
