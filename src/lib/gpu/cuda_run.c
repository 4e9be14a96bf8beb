/* SPDX-License-Identifier: MIT */
/* Runs variants on the device, and times them with CUDA events. */
#include "kernels/common/numbers.h"
#include "src/lib/gpu/cuda.h"

/* The planes of a run: its source, and its result. */
enum { SOURCE, RESULT, PLANES };

/* What gpu_run works on. */
struct run {
    const struct request *request; /* the caller's */
    struct plane host[PLANES];
    struct plane device[PLANES]; /* in gpu->src and gpu->dst */
};

enum status gpu_mark(struct gpu *gpu, int event, struct error *error)
{
    return gpu_check(cudaEventRecord(gpu->events[event], gpu->stream), "recording an event", error);
}

enum status gpu_run_piece(const struct plan *plan, const struct piece *piece, struct error *error)
{
    const char *failure = plan_run(plan, piece);

    return failure ? fail(error, STATUS_DEVICE, "the GPU failed: starting variant %s: %s",
                          plan->engine->name, failure)
                   : STATUS_OK;
}

/* All images of a stack, as one. */
static struct view whole_stack(const struct view *first, int64_t images, int64_t apart)
{
    struct view whole = *first;

    if (images > 1)
        whole.height += (images - 1) * (apart / first->stride_bytes);
    return whole;
}

/* The first of the images that the host has in *host, in a plane that holds all of them. */
static struct view first_of_stack(const struct plane *plane, const struct view *host,
                                  int64_t *apart)
{
    struct view first = plane->view;

    first.height = host->height;
    *apart = *apart / host->stride_bytes * first.stride_bytes;
    return first;
}

/* What the filter reaches beside the pixels; where src ends before that, all that there is, of
 * which the edge rule tells. */
static struct beside reached(const struct request *request)
{
    const int64_t x = request->halo_x, y = request->halo_y;
    const struct beside all = {x, x, y, y}, *beside = &request->beside;
    const bool is_all =
        min(beside->left, beside->right) >= x && min(beside->above, beside->below) >= y;

    return is_all ? all : *beside;
}

/* What is asked, on the device. */
static struct request device_request(const struct run *run)
{
    struct request request = *run->request;

    request.src = run->device[SOURCE].view;
    request.beside = run->device[SOURCE].beside;
    request.dst = run->device[RESULT].view;
    if (request.images > 1) {
        request.src = first_of_stack(&run->device[SOURCE], &run->request->src, &request.src_apart);
        request.dst = first_of_stack(&run->device[RESULT], &run->request->dst, &request.dst_apart);
    }
    return request;
}

static enum status launch(struct gpu *gpu, struct error *error)
{
    const enum status status = gpu_run_piece(&gpu->plan, &gpu->last, error);

    return status == STATUS_OK ? gpu_mark(gpu, KERNEL_ENDS, error) : status;
}

double gpu_seconds_between(struct gpu *gpu, int from, int to)
{
    float milliseconds = 0;

    cudaEventElapsedTime(&milliseconds, gpu->events[from], gpu->events[to]);
    return 1e-3 * (double)milliseconds;
}

/* Waits for the stream, and takes the times. */
static enum status take_times(struct gpu *gpu, const struct run *run, struct gpu_times *times,
                              struct error *error)
{
    const struct plane result = {.view = run->device[RESULT].view};
    const enum status status =
        gpu_check(cudaStreamSynchronize(gpu->stream), "waiting for the kernel and copies", error);

    if (status == STATUS_OK)
        *times =
            (struct gpu_times){.upload = gpu_seconds_between(gpu, UPLOAD_BEGINS, KERNEL_BEGINS),
                               .kernel = gpu_seconds_between(gpu, KERNEL_BEGINS, KERNEL_ENDS),
                               .download = gpu_seconds_between(gpu, KERNEL_ENDS, DOWNLOAD_ENDS),
                               .upload_bytes = plane_bytes(&run->host[SOURCE]),
                               .kernel_bytes = 2 * plane_bytes(&result),
                               .download_bytes = plane_bytes(&run->host[RESULT])};
    return status;
}

/* Uploads, launches and downloads, with an event between each two steps, and waits. */
static enum status copy_and_launch(struct gpu *gpu, const struct run *run, struct gpu_times *times,
                                   struct error *error)
{
    const int threads = run->request->threads;
    const struct plane *host = run->host, *device = run->device;
    enum status status = gpu_mark(gpu, UPLOAD_BEGINS, error);

    if (status == STATUS_OK)
        status = gpu_copy(gpu, &host[SOURCE], &device[SOURCE], true, threads, error);
    if (status == STATUS_OK && gpu->watched >= 0)
        status = gpu_copy(gpu, &host[RESULT], &device[RESULT], true, threads, error);
    if (status == STATUS_OK)
        status = gpu_mark(gpu, KERNEL_BEGINS, error);
    if (status == STATUS_OK)
        status = launch(gpu, error);
    if (status == STATUS_OK)
        status = gpu_copy(gpu, &host[RESULT], &device[RESULT], false, threads, error);
    if (status == STATUS_OK)
        status = gpu_mark(gpu, DOWNLOAD_ENDS, error);
    if (status == STATUS_OK)
        return take_times(gpu, run, times, error);
    /* Copies begun before the failure use the host's memory, which the caller reuses. */
    cudaStreamSynchronize(gpu->stream);
    cudaGetLastError(); /* *error already has the first failure */
    return status;
}

/* Allocates the planes, plans, and allocates the scratch memory. */
static enum status prepare(struct gpu *gpu, const struct variant *variant, struct run *run,
                           struct error *error)
{
    enum status status = gpu_bind(gpu, error); /* engines are chosen by what the device is */
    struct request request;

    if (status == STATUS_OK)
        status =
            gpu_place(gpu, &gpu->src, &run->host[SOURCE], "the image", &run->device[SOURCE], error);
    if (status == STATUS_OK)
        status = gpu_place(gpu, &gpu->dst, &run->host[RESULT], "the result", &run->device[RESULT],
                           error);
    if (status != STATUS_OK)
        return status;
    request = device_request(run);
    status = plan_make(variant, &request, &gpu->plan, error);
    if (status == STATUS_OK)
        status = gpu_grow(gpu, &gpu->scratch, (int64_t)gpu->plan.scratch_bytes, "the work between",
                          error);
    gpu->last = plan_piece(&gpu->plan);
    gpu->last.stream = gpu->stream;
    gpu->last.scratch = gpu->scratch.memory;
    return status;
}

enum status gpu_run(struct gpu *gpu, const struct variant *variant, const struct request *request,
                    struct gpu_note *note, struct error *error)
{
    struct buffer *const buffers[] = {&gpu->src, &gpu->dst, &gpu->scratch};
    const int64_t watched = gpu->watched > 0 ? gpu->watched : 0;
    struct run run = {
        .request = request,
        .host = {{whole_stack(&request->src, request->images, request->src_apart),
                  reached(request)},
                 {whole_stack(&request->dst, request->images, request->dst_apart),
                  {watched, watched, watched, watched}}},
    };
    struct gpu_times times = {0};
    enum status status;

    gpu->lacked_memory = false; /* gpu_grow sets it */
    status = prepare(gpu, variant, &run, error);
    if (status == STATUS_OK)
        status = copy_and_launch(gpu, &run, &times, error);
    gpu->ran = status == STATUS_OK;
    if (note)
        *note = (struct gpu_note){.engine = gpu->plan.engine, .times = times};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers && gpu->lacked_memory; i++) {
        cudaFree(buffers[i]->memory);
        *buffers[i] = (struct buffer){0};
    }
    return status;
}

bool gpu_lacked_memory(const struct gpu *gpu)
{
    return gpu->lacked_memory;
}
