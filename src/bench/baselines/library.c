/* SPDX-License-Identifier: MIT */
/* smoothimg.h's functions as rows beside the variants that they run: what a call costs, and an
 * image without a border. The source's own pixels are given to the library, not its border. */
#include "src/bench/baselines/library.h"

#include "src/lib/smoothimg.h"

#ifdef HAVE_GPU
#include <cuda_runtime_api.h>
#endif
#include <stddef.h>

/* What the last call used, and the next one with the same settings does again. Never freed. */
static struct smoothimg_context *context;
static struct smoothimg_filter *filter;
static int64_t halos[2] = {-1, -1}; /* of the filter */
static bool weighted;               /* of the filter: by alpha */
static int threads_open;            /* of the context */

static struct smoothimg_image image_of(const struct view *view, int64_t apart,
                                       const struct job *job, enum smoothimg_memory memory)
{
    return (struct smoothimg_image){.data = view->origin,
                                    .width = view->width,
                                    .height = view->height,
                                    .pitch = view->stride_bytes,
                                    .count = job->images,
                                    .stride = apart,
                                    .channels = view->channels,
                                    .type = view->sample_bytes == 4   ? SMOOTHIMG_F32
                                            : view->sample_bytes == 1 ? SMOOTHIMG_U8
                                                                      : SMOOTHIMG_U16,
                                    .maxval = job->maxval,
                                    .memory = memory};
}

static const char *open_context(int threads)
{
    if (context && threads == threads_open)
        return NULL;
    smoothimg_close(context);
    threads_open = threads;
    return smoothimg_open(threads, &context) == SMOOTHIMG_OK ? NULL : "no memory for a context";
}

/* Lets the context serve the thread's current device, on which the job is. */
static const char *use_device(enum smoothimg_memory memory)
{
#ifdef HAVE_GPU
    static const struct smoothimg_context *serving;
    int device = 0;

    if (memory == SMOOTHIMG_HOST || serving == context)
        return NULL;
    cudaGetDevice(&device);
    serving = context;
    return smoothimg_use_device(context, device) == SMOOTHIMG_OK ? NULL
                                                                 : smoothimg_message(context);
#else
    (void)memory;
    return NULL;
#endif
}

/* As the bench's jobs have it: sigma is a third of the halo. */
static const char *make_filter(const struct job *job)
{
    const struct smoothimg_filter_options options = {
        .halo_x = job->halo_x, .halo_y = job->halo_y, .alpha_weighted = job->weighted};

    if (filter && halos[0] == job->halo_x && halos[1] == job->halo_y && weighted == job->weighted)
        return NULL;
    smoothimg_filter_free(filter);
    halos[0] = job->halo_x, halos[1] = job->halo_y, weighted = job->weighted;
    return smoothimg_filter_create(context, &options, &filter) == SMOOTHIMG_OK
               ? NULL
               : smoothimg_message(context);
}

static const char *run(const struct job *job, enum smoothimg_op op, enum smoothimg_memory memory)
{
    const struct smoothimg_image src = image_of(&job->src, job->src_apart, job, memory),
                                 dst = image_of(&job->dst, job->dst_apart, job, memory);
    const char *failure = open_context(job->threads);
    enum smoothimg_status status;

    if (!failure)
        failure = use_device(memory);
    if (!failure && op == SMOOTHIMG_SMOOTH)
        failure = make_filter(job);
    if (failure)
        return failure;
    if (op == SMOOTHIMG_SMOOTH)
        status = smoothimg_smooth(context, filter, &src, &dst, job->stream);
    else
        status = (op == SMOOTHIMG_TRANSPOSE ? smoothimg_transpose
                                            : smoothimg_reverse)(context, &src, &dst, job->stream);
    return status == SMOOTHIMG_OK ? NULL : smoothimg_message(context);
}

/* OP is smooth, transpose or reverse. */
#define ROW(OP, OP_NUMBER, SUFFIX, NAME, BACKEND, MEMORY, ABOUT)                                   \
    static const char *OP##SUFFIX(const struct job *job)                                           \
    {                                                                                              \
        return run(job, SMOOTHIMG_##OP_NUMBER, MEMORY);                                            \
    }                                                                                              \
    static const struct variant library##SUFFIX##_##OP = {.op = OP_##OP_NUMBER,                    \
                                                          .name = NAME,                            \
                                                          .backend = BACKEND,                      \
                                                          .description = "smoothimg_" #OP ABOUT,   \
                                                          .run = OP##SUFFIX};
#define ROWS(SUFFIX, NAME, BACKEND, MEMORY)                                                        \
    ROW(smooth, SMOOTH, SUFFIX, NAME, BACKEND, MEMORY, ", of an image without a border")           \
    ROW(transpose, TRANSPOSE, SUFFIX, NAME, BACKEND, MEMORY, "")                                   \
    ROW(reverse, REVERSE, SUFFIX, NAME, BACKEND, MEMORY, "")

ROWS(, "api", ON_CPU, SMOOTHIMG_HOST)
#ifdef HAVE_GPU
ROWS(_gpu, "api-gpu", ON_GPU, SMOOTHIMG_CUDA)
#endif

const struct variant *const library_rows[] = {
    &library_smooth,
    &library_transpose,
    &library_reverse,
#ifdef HAVE_GPU
    &library_gpu_smooth,
    &library_gpu_transpose,
    &library_gpu_reverse,
#endif
    NULL,
};
