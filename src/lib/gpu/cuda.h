/* SPDX-License-Identifier: MIT */
/* What the files that call CUDA share: an open device, its buffers, and copies of images. */
#ifndef SMOOTHIMG_GPU_CUDA_H
#define SMOOTHIMG_GPU_CUDA_H

#include "src/lib/filter/plan.h"
#include "src/lib/gpu/gpu.h"

#include <cuda_runtime_api.h>

/* In a build with the emulated device: is it there without gpu_take_emulated? Of at_once.c. */
#ifdef SMOOTHIMG_EMULATED
extern const bool gpu_emulated_at_once;
#endif

/* Memory that grows when a run needs more, and is kept for the next. */
struct buffer {
    void *memory;
    int64_t bytes;
};

enum { UPLOAD_BEGINS, KERNEL_BEGINS, KERNEL_ENDS, DOWNLOAD_ENDS, EVENTS };

#define DEVICE_ALIGNMENT 256 /* bytes; of every row's first pixel: whole sectors and lines */

#define MAX_COPY_THREADS 8
#define COPY_MAX_PITCH (((int64_t)1 << 31) - 1) /* bytes; of a two-dimensional copy */

/* A thread that copies: see cuda_staging.c. */
struct copy_thread {
    cudaStream_t stream;
    char *buffers[2]; /* pinned */
    cudaEvent_t travelled[2];
};

struct gpu {
    int device;
    cudaStream_t stream;
    cudaEvent_t events[EVENTS];
    struct buffer src, dst, scratch;
    struct buffer pinned[GPU_HOST_MEMORIES];           /* of the host */
    struct copy_thread copy_threads[MAX_COPY_THREADS]; /* made when they are needed */
    bool pageable;                                     /* copy without them */
    struct buffer work;                                /* of gpu_need */
    cudaEvent_t ended;                                 /* of gpu_end */
    bool lacked_memory;                                /* in the last run */
    int was_device;                                    /* the thread's, before gpu_host_begin */
    int64_t watched;   /* gpu_watch_border's pixels; -1: dst is only downloaded */
    struct plan plan;  /* of the last run: */
    struct piece last; /* in the device's memory */
    bool ran;          /* it succeeded */
};

/* A view, and what lies beside it: the rectangle that is copied. */
struct plane {
    struct view view;
    struct beside beside;
};

/* STATUS_OK; or STATUS_DEVICE with a message: `what` failed, and CUDA's error. */
enum status gpu_check(cudaError_t result, const char *what, struct error *error);

/* Makes the device the current one of the calling thread. */
enum status gpu_bind(const struct gpu *gpu, struct error *error);

/* Makes the device that was the calling thread's current one before gpu_bind its current one again.
 */
void gpu_unbind(const struct gpu *gpu, int was_device);

/* Starts a plan's engine on a piece in the device's memory. */
enum status gpu_run_piece(const struct plan *plan, const struct piece *piece, struct error *error);

/* Records gpu->events[event] in the stream. */
enum status gpu_mark(struct gpu *gpu, int event, struct error *error);

/* Seconds between two events that have come. */
double gpu_seconds_between(struct gpu *gpu, int from, int to);

/* Records KERNEL_ENDS, and waits. *seconds: the time since KERNEL_BEGINS. */
enum status gpu_finish_timing(struct gpu *gpu, double *seconds, struct error *error);

/* Makes the buffer at least that large. If it grows, its contents become zeros. STATUS_DEVICE if
 * there is no memory; the message has the sizes and the purpose. */
enum status gpu_grow(struct gpu *gpu, struct buffer *buffer, int64_t bytes, const char *purpose,
                     struct error *error);

/* Lays out a plane of the same shape as *host in the buffer, which grows: *device. The first pixel
 * of each row is at a multiple of 256 bytes. */
enum status gpu_place(struct gpu *gpu, struct buffer *buffer, const struct plane *host,
                      const char *purpose, struct plane *device, struct error *error);

/* Copies a plane to the device (up) or to the host, after earlier work in the stream; complete when
 * the stream is. threads: how many host threads may copy a plane in pageable memory. */
enum status gpu_copy(struct gpu *gpu, const struct plane *host, const struct plane *device, bool up,
                     int threads, struct error *error);

/* How many threads, at most `threads`, should copy that many bytes through pinned buffers. 0: too
 * few bytes, no memory for the buffers, or gpu->pageable. */
int gpu_copy_threads(struct gpu *gpu, int64_t bytes, int threads);

/* gpu_copy by that many threads; complete when this returns. */
enum status gpu_staged_copy(struct gpu *gpu, const struct plane *host, const struct plane *device,
                            bool up, int threads, struct error *error);
void gpu_staging_close(struct gpu *gpu);

/* Where the rectangle begins; the bytes of a row, without what lies between rows; and the rows. */
static inline char *plane_corner(const struct plane *plane)
{
    const struct view *view = &plane->view;

    return (char *)view->origin - plane->beside.above * view->stride_bytes -
           plane->beside.left * view->channels * view->sample_bytes;
}

static inline int64_t plane_row_bytes(const struct plane *plane)
{
    const struct beside *beside = &plane->beside;

    return (beside->left + plane->view.width + beside->right) * plane->view.channels *
           plane->view.sample_bytes;
}

static inline int64_t plane_rows(const struct plane *plane)
{
    return plane->beside.above + plane->view.height + plane->beside.below;
}

static inline int64_t plane_bytes(const struct plane *plane)
{
    return plane_rows(plane) * plane_row_bytes(plane);
}

#endif
