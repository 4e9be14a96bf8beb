/* SPDX-License-Identifier: MIT */
/* Launching fused_weighted, and when. */
#ifndef SMOOTHIMG_FUSED_WEIGHTED_LAUNCH_CUH
#define SMOOTHIMG_FUSED_WEIGHTED_LAUNCH_CUH

#include "kernels/common/elements.cuh"
#include "kernels/smooth/fused/launch.cuh"
#include "kernels/smooth/fused/weighted/kernel.cuh"

template <int CHANNELS> static constexpr size_t weighted_shared_bytes()
{
    return WEIGHTED_RUN * weighted_row_pairs<CHANNELS>() * sizeof(double2);
}

/* Whether a thread block may have the shared memory that it needs: on some GPUs it may not. */
static inline bool has_weighted_memory(int channels)
{
    return (channels == 2 ? weighted_shared_bytes<2>() : weighted_shared_bytes<4>()) <=
           (size_t)attribute_of_device(cudaDevAttrMaxSharedMemoryPerBlockOptin);
}

/* For integers that alpha weighs. */
static inline bool weighted_serves(const struct request *request)
{
    return (request->src.channels == 2 || request->src.channels == 4) &&
           request->halo <= WEIGHTED_MAX_HALO && weighted_bound(request) <= MOST_BOUND &&
           blocks_for(request->dst.height, WEIGHTED_RUN) <= most_blocks_down() &&
           has_weighted_memory(request->src.channels);
}

template <typename Sample, int CHANNELS, int HALO>
static const char *launch_weighted_by(const struct piece *piece)
{
    constexpr size_t shared_bytes = weighted_shared_bytes<CHANNELS>();
    const weighted_filter filter = make_weighted_filter(piece->request);
    const int reach = HALO > 0 ? HALO : filter.along.reach;
    const bool aligned = aligned_view(&piece->src, CHANNELS * (int64_t)sizeof(Sample));
    const cudaError_t error =
        cudaFuncSetAttribute(fused_weighted<Sample, CHANNELS, HALO>,
                             cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared_bytes);

    if (error != cudaSuccess)
        return cudaGetErrorString(error);
    LAUNCH((fused_weighted<Sample, CHANNELS, HALO>),
           dim3((unsigned)blocks_for(piece->dst.width, weighted_outputs(reach)),
                (unsigned)blocks_for(piece->dst.height, WEIGHTED_RUN)),
           dim3(WEIGHTED_COLUMNS), shared_bytes, piece->stream, source_of(piece), piece->dst,
           filter, aligned);
    return launched();
}

template <typename Sample> static const char *launch_weighted(const struct piece *piece)
{
    return with_constant<0, 2>(weighted_instance(piece->request), [&]<int HALO>() {
        return piece->src.channels == 2 ? launch_weighted_by<Sample, 2, HALO>(piece)
                                        : launch_weighted_by<Sample, 4, HALO>(piece);
    });
}

#endif
