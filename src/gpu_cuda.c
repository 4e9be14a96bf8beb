/* SPDX-License-Identifier: MIT */
/* Device memory, copies, the stream and its clock: everything that is asked of CUDA outside
 * kernels. Every call is checked; an error goes up as a sentence. */
#include "gpu.h"

#include <cuda_runtime_api.h>

#include <stdio.h>
#include <stdlib.h>

#define DEVICE_ALIGNMENT 256 /* bytes; of every row's first pixel: whole sectors and lines */

/* Memory that grows when a run needs more, and stays. */
struct buffer {
    void *memory;
    int64_t bytes;
};

enum { UPLOAD_BEGINS, KERNEL_BEGINS, KERNEL_ENDS, DOWNLOAD_ENDS, EVENTS };

struct gpu {
    int device;
    cudaStream_t stream;
    cudaEvent_t events[EVENTS];
    struct buffer src, dst, scratch;
    struct gpu_times times;
    int64_t watched;                    /* border of dst that travels; -1: dst only comes down */
    const struct variant *last_variant; /* run, or NULL */
    struct job last;                    /* its job, with the device's views and scratch */
};

/* A view with its border: the rectangle that travels, on either side. */
struct plane {
    struct view view;
    int64_t border; /* pixels */
};

static enum status check(cudaError_t result, const char *what, struct error *error)
{
    if (result == cudaSuccess)
        return STATUS_OK;
    cudaGetLastError(); /* forget it, where CUDA can */
    return fail(error, STATUS_DEVICE,
                "the GPU failed: %s: %s (%s); --variant cpu does without a GPU", what,
                cudaGetErrorString(result), cudaGetErrorName(result));
}

bool gpu_is_emulated(void)
{
#ifdef SMOOTHIMG_EMULATED
    return true;
#else
    return false;
#endif
}

enum status gpu_count(int *count, struct error *error)
{
    const cudaError_t result = cudaGetDeviceCount(count);

    if (result == cudaSuccess && *count > 0)
        return STATUS_OK;
    *count = 0;
    return fail(error, STATUS_DEVICE,
                "there is no usable GPU: %s; use --variant cpu, or see that nvidia-smi lists one",
                result == cudaSuccess ? "none is visible" : cudaGetErrorString(result));
}

static enum status check_number(int device, struct error *error)
{
    int count;
    const enum status status = gpu_count(&count, error);

    if (status != STATUS_OK || device < count)
        return status;
    return fail(error, STATUS_DEVICE,
                "--device %d: there is no such device; the last is %d: see "
                "--list-devices",
                device, count - 1);
}

enum status gpu_describe(int device, struct gpu_device *description, struct error *error)
{
    struct cudaDeviceProp about;
    enum status status = check_number(device, error);

    if (status == STATUS_OK)
        status = check(cudaGetDeviceProperties(&about, device), "asking for its properties", error);
    if (status != STATUS_OK)
        return status;
    snprintf(description->name, sizeof description->name, "%s", about.name);
    description->memory_bytes = (int64_t)about.totalGlobalMem;
    description->major = about.major;
    description->minor = about.minor;
    description->multiprocessors = about.multiProcessorCount;
    description->cache_bytes = about.l2CacheSize;
    return STATUS_OK;
}

static enum status set_up(struct gpu *gpu, struct error *error)
{
    enum status status = check(cudaSetDevice(gpu->device), "choosing the device", error);

    if (status == STATUS_OK)
        status = check(cudaStreamCreate(&gpu->stream), "making a stream", error);
    for (int i = 0; i < EVENTS && status == STATUS_OK; i++)
        status = check(cudaEventCreate(&gpu->events[i]), "making an event", error);
    return status;
}

enum status gpu_open(int device, struct gpu **gpu, struct error *error)
{
    enum status status = check_number(device, error);

    *gpu = NULL;
    if (status != STATUS_OK)
        return status;
    *gpu = calloc(1, sizeof **gpu);
    if (!*gpu)
        return fail(error, STATUS_INPUT, "no memory for the description of a GPU");
    (*gpu)->device = device;
    (*gpu)->watched = -1;
    status = set_up(*gpu, error);
    if (status != STATUS_OK) {
        gpu_close(*gpu);
        *gpu = NULL;
    }
    return status;
}

void gpu_close(struct gpu *gpu)
{
    if (!gpu)
        return;
    cudaFree(gpu->src.memory);
    cudaFree(gpu->dst.memory);
    cudaFree(gpu->scratch.memory);
    for (int i = 0; i < EVENTS; i++)
        if (gpu->events[i])
            cudaEventDestroy(gpu->events[i]);
    if (gpu->stream)
        cudaStreamDestroy(gpu->stream);
    free(gpu);
}

static enum status grow(struct gpu *gpu, struct buffer *buffer, int64_t bytes, const char *purpose,
                        struct error *error)
{
    size_t available = 0, total = 0;

    if (bytes <= buffer->bytes)
        return STATUS_OK;
    cudaFree(buffer->memory);
    *buffer = (struct buffer){0};
    if (cudaMalloc(&buffer->memory, (size_t)bytes) == cudaSuccess) {
        buffer->bytes = bytes;
        /* Kernels may read what lies between rows, along with the rows' ends. */
        return check(cudaMemsetAsync(buffer->memory, 0, (size_t)bytes, gpu->stream),
                     "clearing memory", error);
    }
    cudaGetLastError();
    buffer->memory = NULL;
    cudaMemGetInfo(&available, &total);
    return fail(error, STATUS_DEVICE,
                "device %d has no memory for %s: %lld bytes are needed, %zu of its %zu are free; "
                "use --variant cpu",
                gpu->device, purpose, (long long)bytes, available, total);
}

static int64_t aligned(int64_t bytes)
{
    return (bytes + DEVICE_ALIGNMENT - 1) / DEVICE_ALIGNMENT * DEVICE_ALIGNMENT;
}

static int64_t pixel_bytes(const struct view *view)
{
    return (int64_t)view->channels * view->sample_bytes;
}

/* Where the rectangle begins, and how many bytes and rows it has. */
static char *corner(const struct plane *plane)
{
    return (char *)plane->view.origin - plane->border * plane->view.stride_bytes -
           plane->border * pixel_bytes(&plane->view);
}

static int64_t row_bytes(const struct plane *plane)
{
    return (plane->view.width + 2 * plane->border) * pixel_bytes(&plane->view);
}

static int64_t rows(const struct plane *plane)
{
    return plane->view.height + 2 * plane->border;
}

/* The device's plane for a plane of the host's, in the buffer; its rows begin `phase` bytes off
 * DEVICE_ALIGNMENT. */
static enum status place(struct gpu *gpu, struct buffer *buffer, const struct plane *host,
                         int64_t phase, const char *purpose, struct plane *device,
                         struct error *error)
{
    const int64_t border_bytes = host->border * pixel_bytes(&host->view);
    const int64_t left = aligned(border_bytes) + phase;
    const int64_t stride = aligned(left + row_bytes(host) - border_bytes);
    const enum status status = grow(gpu, buffer, stride * rows(host), purpose, error);

    *device = *host;
    device->view.stride_bytes = stride;
    if (status == STATUS_OK)
        device->view.origin = (char *)buffer->memory + host->border * stride + left;
    return status;
}

/* Row by row where a stride is more than a two-dimensional copy may have. */
static enum status copy(struct gpu *gpu, const struct plane *to, const struct plane *from,
                        enum cudaMemcpyKind kind, struct error *error)
{
    const int64_t most = (int64_t)1 << 31;
    const bool at_once = to->view.stride_bytes < most && from->view.stride_bytes < most;
    const int64_t pieces = at_once ? 1 : rows(from), piece_rows = at_once ? rows(from) : 1;
    enum status status = STATUS_OK;

    for (int64_t i = 0; i < pieces && status == STATUS_OK; i++)
        status = check(
            cudaMemcpy2DAsync(corner(to) + i * to->view.stride_bytes,
                              at_once ? (size_t)to->view.stride_bytes : (size_t)row_bytes(from),
                              corner(from) + i * from->view.stride_bytes,
                              at_once ? (size_t)from->view.stride_bytes : (size_t)row_bytes(from),
                              (size_t)row_bytes(from), (size_t)piece_rows, kind, gpu->stream),
            "copying an image", error);
    return status;
}

static enum status mark(struct gpu *gpu, int event, struct error *error)
{
    return check(cudaEventRecord(gpu->events[event], gpu->stream), "recording an event", error);
}

static enum status launch(const struct variant *variant, const struct job *job, struct error *error)
{
    const char *failure = variant->run(job);

    if (failure)
        return fail(error, STATUS_DEVICE, "the GPU failed: starting variant %s: %s", variant->name,
                    failure);
    return STATUS_OK;
}

static double seconds_between(struct gpu *gpu, int from, int to)
{
    float milliseconds = 0;

    cudaEventElapsedTime(&milliseconds, gpu->events[from], gpu->events[to]);
    return 1e-3 * (double)milliseconds;
}

static enum status finish(struct gpu *gpu, const struct plane *src, const struct plane *dst,
                          struct error *error)
{
    const enum status status =
        check(cudaStreamSynchronize(gpu->stream), "waiting for the kernel and copies", error);

    if (status == STATUS_OK)
        gpu->times = (struct gpu_times){
            .upload = seconds_between(gpu, UPLOAD_BEGINS, KERNEL_BEGINS),
            .kernel = seconds_between(gpu, KERNEL_BEGINS, KERNEL_ENDS),
            .download = seconds_between(gpu, KERNEL_ENDS, DOWNLOAD_ENDS),
            .upload_bytes = rows(src) * row_bytes(src),
            .download_bytes = rows(dst) * row_bytes(dst),
        };
    return status;
}

/* Everything is in place: the planes of both sides, and the job with the device's. */
static enum status do_run(struct gpu *gpu, const struct variant *variant, const struct job *job,
                          const struct plane host[2], const struct plane device[2],
                          struct error *error)
{
    enum status status = mark(gpu, UPLOAD_BEGINS, error);

    if (status == STATUS_OK)
        status = copy(gpu, &device[0], &host[0], cudaMemcpyHostToDevice, error);
    if (status == STATUS_OK && gpu->watched >= 0)
        status = copy(gpu, &device[1], &host[1], cudaMemcpyHostToDevice, error);
    if (status == STATUS_OK)
        status = mark(gpu, KERNEL_BEGINS, error);
    if (status == STATUS_OK)
        status = launch(variant, job, error);
    if (status == STATUS_OK)
        status = mark(gpu, KERNEL_ENDS, error);
    if (status == STATUS_OK)
        status = copy(gpu, &host[1], &device[1], cudaMemcpyDeviceToHost, error);
    if (status == STATUS_OK)
        status = mark(gpu, DOWNLOAD_ENDS, error);
    return status == STATUS_OK ? finish(gpu, &host[0], &host[1], error) : status;
}

/* *equipped is the job on the device: its image and result are there, scratch is found here. */
static enum status equip(struct gpu *gpu, const struct variant *variant, struct job *equipped,
                         struct error *error)
{
    const size_t bytes = variant->scratch_bytes ? variant->scratch_bytes(equipped) : 0;
    const enum status status = grow(gpu, &gpu->scratch, (int64_t)bytes, "the work between", error);

    equipped->scratch = gpu->scratch.memory;
    equipped->stream = gpu->stream;
    return status;
}

enum status gpu_run(struct gpu *gpu, const struct variant *variant, const struct job *job,
                    struct error *error)
{
    const int64_t phase = variant->src_phase ? variant->src_phase(job) : 0;
    const struct plane host[2] = {{job->src, job->halo},
                                  {job->dst, gpu->watched > 0 ? gpu->watched : 0}};
    struct plane device[2];
    struct job equipped = *job;
    enum status status = place(gpu, &gpu->src, &host[0], phase, "the image", &device[0], error);

    gpu->last_variant = NULL;
    if (status == STATUS_OK)
        status = place(gpu, &gpu->dst, &host[1], 0, "the result", &device[1], error);
    if (status != STATUS_OK)
        return status;
    equipped.src = device[0].view;
    equipped.dst = device[1].view;
    status = equip(gpu, variant, &equipped, error);
    if (status == STATUS_OK)
        status = do_run(gpu, variant, &equipped, host, device, error);
    if (status == STATUS_OK) {
        gpu->last = equipped;
        gpu->last_variant = variant;
    }
    return status;
}

/* What stands between the two marks took *seconds. */
static enum status take_time(struct gpu *gpu, double *seconds, struct error *error)
{
    enum status status = mark(gpu, KERNEL_ENDS, error);

    if (status == STATUS_OK)
        status = check(cudaStreamSynchronize(gpu->stream), "waiting for the kernels", error);
    if (status == STATUS_OK)
        *seconds = seconds_between(gpu, KERNEL_BEGINS, KERNEL_ENDS);
    return status;
}

enum status gpu_rerun(struct gpu *gpu, int64_t runs, double *seconds, struct error *error)
{
    enum status status;

    if (!gpu->last_variant)
        return fail(error, STATUS_DEVICE, "device %d holds no image to run on again", gpu->device);
    status = mark(gpu, KERNEL_BEGINS, error);
    for (int64_t i = 0; i < runs && status == STATUS_OK; i++)
        status = launch(gpu->last_variant, &gpu->last, error);
    return status == STATUS_OK ? take_time(gpu, seconds, error) : status;
}

enum status gpu_time_copy(struct gpu *gpu, int64_t bytes, int64_t runs, double *seconds,
                          struct error *error)
{
    enum status status = grow(gpu, &gpu->src, bytes, "a copy's source", error);

    gpu->last_variant = NULL;
    if (status == STATUS_OK)
        status = grow(gpu, &gpu->dst, bytes, "a copy", error);
    if (status == STATUS_OK)
        status = mark(gpu, KERNEL_BEGINS, error);
    for (int64_t i = 0; i < runs && status == STATUS_OK; i++)
        status = check(cudaMemcpyAsync(gpu->dst.memory, gpu->src.memory, (size_t)bytes,
                                       cudaMemcpyDeviceToDevice, gpu->stream),
                       "copying on the device", error);
    return status == STATUS_OK ? take_time(gpu, seconds, error) : status;
}

struct gpu_times gpu_last_times(const struct gpu *gpu)
{
    return gpu->times;
}

void gpu_watch_border(struct gpu *gpu, int64_t pixels)
{
    gpu->watched = pixels;
}
