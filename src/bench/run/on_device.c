/* SPDX-License-Identifier: MIT */
#include "src/bench/run/on_device.h"

#include "kernels/common/numbers.h"
#include "src/bench/run/plane.h"
#include "src/lib/gpu/gpu.h"

/* The address of the first pixel of each row is a multiple of this number of bytes, so that the row
 * begins where a sector and a cache line begin. */
#define ALIGNMENT 256

/* Describes the memory that one copy moves: from the first row of the first image to the last row
 * of the last image, with the rows between two images, and the pixels around all images that
 * `beside` counts. `view` is the first image; each further image begins `apart` bytes after the one
 * before it. */
static struct gpu_rows rows_of(const struct view *view, const struct beside *beside, int64_t images,
                               int64_t apart)
{
    const int64_t pixel = view->channels * view->sample_bytes;
    const int64_t between = images > 1 ? (images - 1) * (apart / view->stride_bytes) : 0;

    return (struct gpu_rows){.first = (char *)view->origin - beside->above * view->stride_bytes -
                                      beside->left * pixel,
                             .pitch = view->stride_bytes,
                             .bytes = (beside->left + view->width + beside->right) * pixel,
                             .rows = beside->above + view->height + between + beside->below};
}

/* Copies the images to the device if `up` is true, else back to the host. */
static enum status copy(const struct on_device *own, const struct view *host, int64_t apart,
                        const struct device_images *device, bool up, struct error *error)
{
    const int64_t images = own->request->images;
    const struct gpu_rows here = rows_of(host, &device->beside, images, apart);
    const struct gpu_rows there = rows_of(&device->view, &device->beside, images, device->apart);

    return gpu_host_copy(own->gpu, &here, there.first, there.pitch, up, own->request->threads,
                         error);
}

static enum status place(const struct on_device *own, const struct view *host, int64_t apart,
                         struct beside beside, const char *purpose, struct device_images *device,
                         struct error *error)
{
    const int64_t before = beside.left * host->channels * host->sample_bytes;
    const int64_t left = round_up(before, ALIGNMENT);
    const struct gpu_rows rows = rows_of(host, &beside, own->request->images, apart);
    const int64_t pitch = left + round_up(rows.bytes - before, ALIGNMENT);
    enum status status =
        gpu_array_make(own->gpu, pitch * rows.rows, purpose, &device->memory, error);

    if (status != STATUS_OK)
        return status;
    device->view = *host;
    device->view.origin = (char *)device->memory + beside.above * pitch + left;
    device->view.stride_bytes = pitch;
    device->beside = beside;
    device->apart = apart / host->stride_bytes * pitch;
    return copy(own, host, apart, device, true, error);
}

/* Returns how many pixels around src are copied to the device on each side: as many as the filter
 * reaches. If the host's memory has fewer on some side, returns all that exist on every side, since
 * the edge rule continues the image from the last pixels that exist. */
static struct beside reached(const struct request *request)
{
    const int64_t x = request->halo_x, y = request->halo_y;
    const struct beside *beside = &request->beside;
    const bool is_all =
        min(beside->left, beside->right) >= x && min(beside->above, beside->below) >= y;

    return is_all ? request_reach(request) : *beside;
}

static enum status plan_there(struct on_device *own, const struct variant *variant,
                              struct error *error)
{
    struct request request = *own->request;
    enum status status;

    request.src = own->src.view;
    request.dst = own->dst.view;
    request.beside = own->src.beside;
    request.src_apart = own->src.apart;
    request.dst_apart = own->dst.apart;
    status = plan_make(variant, &request, &own->plan, error);
    if (status != STATUS_OK)
        return status;
    own->piece = plan_piece(&own->plan);
    own->piece.stream = gpu_stream(own->gpu);
    return own->plan.scratch_bytes == 0
               ? STATUS_OK
               : gpu_array_make(own->gpu, (int64_t)own->plan.scratch_bytes, "the work between",
                                &own->piece.scratch, error);
}

enum status on_device_make(struct on_device *own, struct gpu *gpu, const struct variant *variant,
                           const struct request *request, int64_t margin, struct error *error)
{
    const struct beside around = {margin, margin, margin, margin};
    enum status status;

    *own = (struct on_device){.gpu = gpu, .request = request};
    status = place(own, &request->src, request->src_apart, reached(request), "the image", &own->src,
                   error);
    if (status == STATUS_OK)
        status =
            place(own, &request->dst, request->dst_apart, around, "the result", &own->dst, error);
    return status == STATUS_OK ? plan_there(own, variant, error) : status;
}

enum status time_launches(struct gpu *gpu, const char *(*launch)(void *context), void *context,
                          const char *name, int64_t runs, double *seconds, struct error *error)
{
    struct gpu_times times = {0};
    const char *failure = NULL;
    void *unused;
    enum status status = gpu_host_begin(gpu, 0, 0, &unused, &unused, error);

    if (status == STATUS_OK)
        status = gpu_mark(gpu, KERNEL_BEGINS, error);
    for (int64_t i = 0; i < runs && status == STATUS_OK && !failure; i++)
        failure = launch(context);
    if (failure)
        status = fail(error, STATUS_DEVICE, "the GPU failed: starting %s: %s", name, failure);
    if (status == STATUS_OK)
        status = gpu_mark(gpu, KERNEL_ENDS, error);
    status = gpu_host_end(gpu, status, &times, error);
    *seconds = times.kernel;
    return status;
}

static const char *launch(void *context)
{
    struct on_device *own = context;

    return plan_run(&own->plan, &own->piece);
}

enum status on_device_run(struct on_device *own, int64_t runs, double *seconds, struct error *error)
{
    return time_launches(own->gpu, launch, own, own->plan.engine->name, runs, seconds, error);
}

enum status on_device_get(const struct on_device *own, struct error *error)
{
    const enum status status =
        copy(own, &own->request->dst, own->request->dst_apart, &own->dst, false, error);

    return status == STATUS_OK ? gpu_array_wait(own->gpu, error) : status;
}

void on_device_free(struct on_device *own)
{
    gpu_array_free(own->gpu, own->src.memory);
    gpu_array_free(own->gpu, own->dst.memory);
    gpu_array_free(own->gpu, own->piece.scratch);
    plan_free(&own->plan);
}

enum status on_device_once(const struct variant *variant, const struct request *request,
                           struct gpu *gpu, int64_t margin, struct error *error)
{
    struct on_device own;
    double seconds;
    enum status status = on_device_make(&own, gpu, variant, request, margin, error);

    if (status == STATUS_OK)
        status = on_device_run(&own, 1, &seconds, error);
    if (status == STATUS_OK)
        status = on_device_get(&own, error);
    on_device_free(&own);
    return status;
}
