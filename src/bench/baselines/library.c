/* SPDX-License-Identifier: MIT */
/* For each operation of smoothimg.h, makes a variant (kernels/variant.h) that calls the library's
 * function. The library's function chooses another variant and calls that variant. The difference
 * between the times of the two variants is the cost of a call of the library. */
#include "src/bench/baselines/library.h"

#include "src/lib/smoothimg.h"

#ifdef HAVE_GPU
#include <cuda_runtime_api.h>
#endif
#include <stddef.h>

/* The library's context and filter of the last call of run(). The next call with the same settings
 * uses them again. The last context and filter are never freed. */
static struct smoothimg_context *context;
static struct smoothimg_filter *filter;
static int64_t halos[2] = {-1, -1}; /* the filter's halos along the rows and down the columns */
static bool weighted;               /* whether the filter weights by alpha */
static int threads_open;            /* the context's number of threads */
static bool has_device;             /* whether the context has a device */

/* The arrays have the axes rows, pixels and channels. */
#define AXES 3
struct described {
    int64_t shape[AXES], strides[AXES];
};

static struct smoothimg_array array_of(const struct view *view, uint32_t maxval,
                                       enum smoothimg_memory memory, struct described *described)
{
    *described = (struct described){
        {view->height, view->width, view->channels},
        {view->stride_bytes, (int64_t)view->channels * view->sample_bytes, view->sample_bytes}};
    return (struct smoothimg_array){.data = view->origin,
                                    .axes = AXES,
                                    .shape = described->shape,
                                    .strides = described->strides,
                                    .type = view->sample_bytes == 4   ? SMOOTHIMG_F32
                                            : view->sample_bytes == 1 ? SMOOTHIMG_U8
                                                                      : SMOOTHIMG_U16,
                                    .memory = memory,
                                    .maxval = maxval};
}

static const char *open_context(int threads)
{
    if (context && threads == threads_open)
        return NULL;
    smoothimg_close(context);
    threads_open = threads;
    has_device = false;
    return smoothimg_open(threads, &context) == SMOOTHIMG_OK ? NULL : "no memory for a context";
}

/* If the images are in a GPU's memory, makes the context use CUDA's current device, which is that
 * GPU. */
static const char *use_device(enum smoothimg_memory memory)
{
    int device = 0;

    if (memory == SMOOTHIMG_HOST || has_device)
        return NULL;
#ifdef HAVE_GPU
    cudaGetDevice(&device);
#endif
    has_device = smoothimg_use_device(context, device) == SMOOTHIMG_OK;
    return has_device ? NULL : smoothimg_message(context);
}

/* Sets `filter` to the filter of the request. Only radii are given, so the library sets sigma to a
 * third of the radius. */
static const char *make_filter(const struct request *request)
{
    const struct smoothimg_axis axes[] = {{.radius = request->halo_y, .edge = SMOOTHIMG_NEAREST},
                                          {.radius = request->halo_x, .edge = SMOOTHIMG_NEAREST},
                                          {.sigma = 0}};
    const struct smoothimg_filter_options options = {
        .axes = AXES, .axis = axes, .missing = request->weighted ? SMOOTHIMG_ALPHA : SMOOTHIMG_ALL};

    if (filter && halos[0] == request->halo_x && halos[1] == request->halo_y &&
        weighted == request->weighted)
        return NULL;
    smoothimg_filter_free(filter);
    halos[0] = request->halo_x, halos[1] = request->halo_y, weighted = request->weighted;
    return smoothimg_filter_create(context, &options, &filter) == SMOOTHIMG_OK
               ? NULL
               : smoothimg_message(context);
}

static const char *run(const struct piece *piece, enum smoothimg_op op,
                       enum smoothimg_memory memory)
{
    const struct request *request = piece->request;
    static const int turn[] = {1, 0, 2}, both[] = {1, 1, 0};
    struct described from, to;
    const struct smoothimg_array src = array_of(&piece->src, request->maxval, memory, &from),
                                 dst = array_of(&piece->dst, request->maxval, memory, &to);
    const char *failure = open_context(request->threads);
    enum smoothimg_status status;

    if (!failure)
        failure = use_device(memory);
    if (!failure && op == SMOOTHIMG_SMOOTH)
        failure = make_filter(request);
    if (failure)
        return failure;
    if (op == SMOOTHIMG_SMOOTH)
        status = smoothimg_filter(context, filter, &src, &dst, NULL, piece->stream);
    else
        status = smoothimg_move(context, op == SMOOTHIMG_TRANSPOSE ? turn : NULL,
                                op == SMOOTHIMG_REVERSE ? both : NULL, &src, &dst, piece->stream);
    return status == SMOOTHIMG_OK ? NULL : smoothimg_message(context);
}

/* Defines the variant that calls the library's function for OP, which is smooth, transpose or
 * reverse. ROWS defines these three variants for one kind of memory. */
#define ROW(OP, OP_NUMBER, SUFFIX, NAME, BACKEND, MEMORY)                                          \
    static const char *OP##SUFFIX(const struct piece *piece)                                       \
    {                                                                                              \
        return run(piece, SMOOTHIMG_##OP_NUMBER, MEMORY);                                          \
    }                                                                                              \
    static const struct engine OP##SUFFIX##_engine = {.name = NAME, .run = OP##SUFFIX};            \
    static const struct variant library##SUFFIX##_##OP = {.op = OP_##OP_NUMBER,                    \
                                                          .name = NAME,                            \
                                                          .backend = BACKEND,                      \
                                                          .description = "smoothimg.h: " #OP,      \
                                                          .engines = &OP##SUFFIX##_engine,         \
                                                          .count = 1};
#define ROWS(SUFFIX, NAME, BACKEND, MEMORY)                                                        \
    ROW(smooth, SMOOTH, SUFFIX, NAME, BACKEND, MEMORY)                                             \
    ROW(transpose, TRANSPOSE, SUFFIX, NAME, BACKEND, MEMORY)                                       \
    ROW(reverse, REVERSE, SUFFIX, NAME, BACKEND, MEMORY)

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
