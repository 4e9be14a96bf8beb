/* SPDX-License-Identifier: MIT */
/* NVIDIA's NPP as variants. Its filter gets smoothimg's weights, converted to float. */
#include "src/bench/baselines/baselines.h"

#include "kernels/common/axes.h"

#include <cuda_runtime_api.h>
#include <nppcore.h>
#include <nppi_data_exchange_and_initialization.h>
#include <nppi_filtering_functions.h>
#include <nppi_geometry_transforms.h>

#include <stdio.h>
#include <string.h>

/* NPP needs the weights in device memory. The first run with a filter copies them there; that run
 * validates or warms up, so that timed runs only launch. Never freed. */
static struct {
    float host[2 * MAX_HALO + 1];
    int count; /* of the filter that was copied last; 0: none */
    float *device;
} taps;

static const char *refuses(const struct job *job)
{
    const int64_t most = INT32_MAX;

    if (job->src.channels != 1)
        return "only NPP's functions for one channel are here";
    if (job->src.stride_bytes > most || job->dst.stride_bytes > most || job->src.height > most)
        return "NPP counts in 32 bits";
    return NULL;
}

static const char *refuses_smooth(const struct job *job)
{
    if (!axes_are_equal(job))
        return "NPP has one table for both axes";
    if (job->halo == 0)
        return "NPP has no filter of one tap";
    return refuses(job);
}

/* Asks for the device's properties only once for a stream: that takes longer than many kernels. */
static NppStreamContext context_of(const struct job *job)
{
    static NppStreamContext context;
    struct cudaDeviceProp about;

    if (context.nMultiProcessorCount > 0 && context.hStream == (cudaStream_t)job->stream)
        return context;
    context.hStream = (cudaStream_t)job->stream;
    cudaGetDevice(&context.nCudaDeviceId);
    cudaGetDeviceProperties(&about, context.nCudaDeviceId);
    context.nMultiProcessorCount = about.multiProcessorCount;
    context.nMaxThreadsPerMultiProcessor = about.maxThreadsPerMultiProcessor;
    context.nMaxThreadsPerBlock = about.maxThreadsPerBlock;
    context.nSharedMemPerBlock = about.sharedMemPerBlock;
    context.nCudaDevAttrComputeCapabilityMajor = about.major;
    context.nCudaDevAttrComputeCapabilityMinor = about.minor;
    cudaStreamGetFlags(context.hStream, &context.nStreamFlags);
    return context;
}

static const char *result(NppStatus status)
{
    static char message[64];

    if (status == NPP_SUCCESS)
        return NULL;
    snprintf(message, sizeof message, "NPP's status is %d", (int)status);
    return message;
}

static NppiSize size_of(const struct view *view)
{
    return (NppiSize){(int)view->width, (int)view->height};
}

static const char *put_taps(const struct job *job)
{
    const int count = (int)(2 * job->halo + 1);
    float wanted[2 * MAX_HALO + 1];

    for (int i = 0; i < count; i++)
        wanted[i] = (float)((double)job->weights_x[i] * 0x1p-46);
    if (taps.count == count && memcmp(taps.host, wanted, (size_t)count * sizeof *wanted) == 0)
        return NULL;
    if (!taps.device && cudaMalloc((void **)&taps.device, sizeof taps.host) != cudaSuccess)
        return "no memory for NPP's weights";
    memcpy(taps.host, wanted, (size_t)count * sizeof *wanted);
    taps.count = count;
    return cudaMemcpy(taps.device, taps.host, (size_t)count * sizeof *wanted,
                      cudaMemcpyHostToDevice) == cudaSuccess
               ? NULL
               : "NPP's weights could not be copied";
}

static const char *smooth(const struct job *job)
{
    const struct view *src = &job->src, *dst = &job->dst;
    const NppStreamContext context = context_of(job);
    const NppiSize size = size_of(src);
    const NppiPoint corner = {0, 0};
    const char *failure = put_taps(job);

    if (failure)
        return failure;
    if (src->sample_bytes == 1)
        return result(nppiFilterGaussAdvancedBorder_8u_C1R_Ctx(
            src->origin, (int)src->stride_bytes, size, corner, dst->origin, (int)dst->stride_bytes,
            size, taps.count, taps.device, NPP_BORDER_REPLICATE, context));
    if (src->sample_bytes == 4)
        return result(nppiFilterGaussAdvancedBorder_32f_C1R_Ctx(
            src->origin, (int)src->stride_bytes, size, corner, dst->origin, (int)dst->stride_bytes,
            size, taps.count, taps.device, NPP_BORDER_REPLICATE, context));
    return result(nppiFilterGaussAdvancedBorder_16u_C1R_Ctx(
        src->origin, (int)src->stride_bytes, size, corner, dst->origin, (int)dst->stride_bytes,
        size, taps.count, taps.device, NPP_BORDER_REPLICATE, context));
}

static const char *transpose(const struct job *job)
{
    const struct view *src = &job->src, *dst = &job->dst;
    const NppStreamContext context = context_of(job);

    if (src->sample_bytes == 1)
        return result(nppiTranspose_8u_C1R_Ctx(src->origin, (int)src->stride_bytes, dst->origin,
                                               (int)dst->stride_bytes, size_of(src), context));
    if (src->sample_bytes == 4)
        return result(nppiTranspose_32f_C1R_Ctx(src->origin, (int)src->stride_bytes, dst->origin,
                                                (int)dst->stride_bytes, size_of(src), context));
    return result(nppiTranspose_16u_C1R_Ctx(src->origin, (int)src->stride_bytes, dst->origin,
                                            (int)dst->stride_bytes, size_of(src), context));
}

static const char *reverse(const struct job *job)
{
    const struct view *src = &job->src, *dst = &job->dst;
    const NppStreamContext context = context_of(job);

    if (src->sample_bytes == 1)
        return result(nppiMirror_8u_C1R_Ctx(src->origin, (int)src->stride_bytes, dst->origin,
                                            (int)dst->stride_bytes, size_of(src), NPP_BOTH_AXIS,
                                            context));
    if (src->sample_bytes == 4)
        return result(nppiMirror_32f_C1R_Ctx(src->origin, (int)src->stride_bytes, dst->origin,
                                             (int)dst->stride_bytes, size_of(src), NPP_BOTH_AXIS,
                                             context));
    return result(nppiMirror_16u_C1R_Ctx(src->origin, (int)src->stride_bytes, dst->origin,
                                         (int)dst->stride_bytes, size_of(src), NPP_BOTH_AXIS,
                                         context));
}

const char *npp_version(void)
{
    static char text[32];
    const NppLibraryVersion *version = nppGetLibVersion();

    snprintf(text, sizeof text, "%d.%d.%d", version->major, version->minor, version->build);
    return text;
}

#define NPP(STEM, OP, ABOUT, REFUSES, RUN)                                                         \
    const struct variant STEM = {.op = OP,                                                         \
                                 .name = "npp",                                                    \
                                 .backend = ON_GPU,                                                \
                                 .description = ABOUT,                                             \
                                 .refuses = REFUSES,                                               \
                                 .run = RUN}
NPP(npp_smooth, OP_SMOOTH, "nppiFilterGaussAdvancedBorder", refuses_smooth, smooth);
NPP(npp_transpose, OP_TRANSPOSE, "nppiTranspose", refuses, transpose);
NPP(npp_reverse, OP_REVERSE, "nppiMirror", refuses, reverse);
