/* SPDX-License-Identifier: MIT */
/* Launching fused_weighted, or fused_weighted_mma, and when. */
#ifndef SMOOTHIMG_FUSED_WEIGHTED_LAUNCH_CUH
#define SMOOTHIMG_FUSED_WEIGHTED_LAUNCH_CUH

#include "kernels/common/elements.cuh"
#include "kernels/smooth/fused/launch.cuh"
#include "kernels/smooth/fused/weighted/kernel.cuh"
#include "kernels/smooth/fused/weighted/mma/kernel.cuh"
#include "kernels/smooth/fused/weighted/mma/trial.cuh"

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

template <int CHANNELS> static constexpr size_t weighted_shared_bytes()
{
    return WEIGHTED_RUN * weighted_row_pairs<CHANNELS>() * sizeof(double2);
}

/* Whether a thread block may have the shared memory that it needs: on some GPUs it may not. */
static inline bool has_weighted_memory(int channels)
{
    return (channels == 2 ? sizeof(mma_memory<2>) : sizeof(mma_memory<4>)) <=
           (size_t)attribute_of_device(cudaDevAttrMaxSharedMemoryPerBlockOptin);
}

/* For integers that alpha weighs. */
static inline bool weighted_serves(const struct job *job)
{
    return (job->src.channels == 2 || job->src.channels == 4) && job->halo <= WEIGHTED_MAX_HALO &&
           weighted_bound(job) <= MOST_BOUND &&
           blocks_for(job->dst.height, WEIGHTED_RUN) <= most_blocks_down() &&
           has_weighted_memory(job->src.channels);
}

template <typename Sample, int CHANNELS, int HALO>
static const char *launch_weighted_by(const struct job *job)
{
    constexpr size_t shared_bytes = weighted_shared_bytes<CHANNELS>();
    const weighted_filter filter = make_weighted_filter(job);
    const int reach = HALO > 0 ? HALO : filter.along.reach;
    const bool aligned = aligned_view(&job->src, CHANNELS * (int64_t)sizeof(Sample));
    const cudaError_t error =
        cudaFuncSetAttribute(fused_weighted<Sample, CHANNELS, HALO>,
                             cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared_bytes);

    if (error != cudaSuccess)
        return cudaGetErrorString(error);
    LAUNCH((fused_weighted<Sample, CHANNELS, HALO>),
           dim3((unsigned)blocks_for(job->dst.width, weighted_outputs(reach)),
                (unsigned)blocks_for(job->dst.height, WEIGHTED_RUN)),
           dim3(WEIGHTED_COLUMNS), shared_bytes, job->stream, job->src, job->dst, filter, aligned);
    return launched();
}

template <typename Sample, int CHANNELS> static const char *launch_sums(const struct job *job)
{
    switch (weighted_instance(job)) {
    case 1:
        return launch_weighted_by<Sample, CHANNELS, 1>(job);
    case 2:
        return launch_weighted_by<Sample, CHANNELS, 2>(job);
    default:
        return launch_weighted_by<Sample, CHANNELS, 0>(job);
    }
}

template <typename Sample> static const char *launch_weighted(const struct job *job)
{
    return job->src.channels == 2 ? launch_sums<Sample, 2>(job) : launch_sums<Sample, 4>(job);
}

template <typename Sample> static const char *launch_weighted_mma(const struct job *job)
{
    if (!products_are_right(job))
        return launch_weighted<Sample>(job);
    return job->src.channels == 2 ? launch_mma<Sample, 2>(job) : launch_mma<Sample, 4>(job);
}

#endif
