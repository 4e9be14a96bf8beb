/* SPDX-License-Identifier: MIT */
/* Launching fused_weighted_mma, and when. */
#ifndef SMOOTHIMG_FUSED_WEIGHTED_MMA_LAUNCH_CUH
#define SMOOTHIMG_FUSED_WEIGHTED_MMA_LAUNCH_CUH

#include "kernels/common/elements.cuh"
#include "kernels/smooth/fused/launch.cuh"
#include "kernels/smooth/fused/weighted/mma/kernel.cuh"

/* Whether this GPU has the products (right or not: trial.cuh), and they pay: at halos from which on
 * they were faster than fused_weighted (kernels/NOTES.md). */
static inline bool prefers_mma(const struct job *job)
{
    return job->halo > (job->src.channels == 2 ? 24 : 8);
}

static inline bool has_double_products()
{
    return attribute_of_device(cudaDevAttrComputeCapabilityMajor) >= 8;
}

/* Bytes by which rows of src had best begin off 16: then what the filter reaches does at 16. */
static inline int64_t mma_phase(const struct job *job)
{
    return job->halo_x * job->src.channels * job->src.sample_bytes % 16;
}

template <typename Sample, int CHANNELS> static const char *launch_mma(const struct job *job)
{
    constexpr size_t shared_bytes = sizeof(mma_memory<CHANNELS>);
    constexpr int64_t pixel_bytes = CHANNELS * (int64_t)sizeof(Sample);
    const weighted_filter filter = make_weighted_filter(job);
    struct view reached = job->src; /* from the first column that the filter reaches */

    reached.origin = static_cast<char *>(reached.origin) - job->halo_x * pixel_bytes;
    const mma_alignment aligned = {aligned_view(&reached, MMA_COLUMNS * pixel_bytes),
                                   aligned_view(&job->dst, 2 * pixel_bytes)};
    const cudaError_t error =
        cudaFuncSetAttribute(fused_weighted_mma<Sample, CHANNELS>,
                             cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared_bytes);

    if (error != cudaSuccess)
        return cudaGetErrorString(error);
    LAUNCH((fused_weighted_mma<Sample, CHANNELS>),
           dim3((unsigned)blocks_for(job->dst.width, mma_outputs(filter.along.halo)),
                (unsigned)blocks_for(job->dst.height, WEIGHTED_RUN)),
           dim3(WEIGHTED_COLUMNS), shared_bytes, job->stream, job->src, job->dst, filter, aligned);
    return launched();
}

#endif
