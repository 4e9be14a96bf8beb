/* SPDX-License-Identifier: MIT */
/* The arrays of a build without CUDA, where no device can be open. */
#include "src/lib/gpu/arrays.h"

static enum status none(struct error *error)
{
    return fail(error, STATUS_DEVICE, "this smoothimg was built without CUDA");
}

enum status gpu_array_make(struct gpu *gpu, int64_t bytes, const char *purpose, void **memory,
                           struct error *error)
{
    (void)gpu, (void)bytes, (void)purpose;
    *memory = NULL;
    return none(error);
}

void gpu_array_free(struct gpu *gpu, void *memory)
{
    (void)gpu, (void)memory;
}

enum status gpu_array_set(struct gpu *gpu, void *memory, int byte, int64_t bytes,
                          struct error *error)
{
    (void)gpu, (void)memory, (void)byte, (void)bytes;
    return none(error);
}

enum status gpu_array_put(struct gpu *gpu, void *device, const void *host, int64_t bytes,
                          struct error *error)
{
    (void)gpu, (void)device, (void)host, (void)bytes;
    return none(error);
}

enum status gpu_array_get(struct gpu *gpu, void *host, const void *device, int64_t bytes,
                          struct error *error)
{
    (void)gpu, (void)host, (void)device, (void)bytes;
    return none(error);
}

void *gpu_stream(const struct gpu *gpu)
{
    (void)gpu;
    return NULL;
}

enum status gpu_time_launches(struct gpu *gpu, gpu_launch *launch, void *context, const char *name,
                              int64_t runs, double *seconds, struct error *error)
{
    (void)gpu, (void)launch, (void)context, (void)name, (void)runs;
    *seconds = 0;
    return none(error);
}

enum status gpu_describe_sm(struct gpu *gpu, struct gpu_sm *sm, struct error *error)
{
    (void)gpu;
    *sm = (struct gpu_sm){0};
    return none(error);
}

enum status gpu_describe_kernel(struct gpu *gpu, const void *kernel, int threads,
                                int64_t dynamic_bytes, struct gpu_kernel *description,
                                struct error *error)
{
    (void)gpu, (void)kernel, (void)threads, (void)dynamic_bytes;
    *description = (struct gpu_kernel){0};
    return none(error);
}
