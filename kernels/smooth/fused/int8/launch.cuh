/* SPDX-License-Identifier: MIT */
/* Launches fused_int8.
 *
 * A sample is unresolved if the error bound does not prove its rounding; it is queued and
 * computed again. */
#ifndef SMOOTHIMG_FUSED_INT8_LAUNCH_CUH
#define SMOOTHIMG_FUSED_INT8_LAUNCH_CUH

#include "kernels/smooth/fused/int8/int8.cuh"
#include "kernels/smooth/segments.cuh"

/* The greatest number of rows of a thread block. A warp's queue then has room for one in 512 of its
 * samples; int8_make() allows one unresolved sample in 1000. */
#define INT8_ROWS 1024

/* Returns why fused_int8 cannot compute the request, or NULL. How much shared memory the kernel
 * takes depends on the alignment of the image's address. A request that passes here may still be
 * refused by int8_make(). */
static inline const char *int8_refuses(const struct request *request)
{
    int8_filter plan = {};
    const char *refusal = refuses_all_but_integers(request);

    if (refusal)
        return refusal;
    if (request->halo_x < 1 || request->halo_y < 1 || request->halo > INT8_MAX_HALO ||
        !sums_to_one(request) || request->src.channels > 64 || greatest_int8_weight(request) == 0)
        return "channels, halos or weights are not for it";
    lay_out_int8(request, &plan);
    if (attribute_of_device(cudaDevAttrComputeCapabilityMajor) < 8 ||
        int8_shared_bytes(plan, request->src.sample_bytes) > (size_t)most_shared_bytes())
        return "this GPU lacks products of bytes, or memory for the window";
    return lie_alike(request) && request->src.stride_bytes % UNIT == 0 &&
                   aligned_view(&request->src, request->src.sample_bytes) &&
                   aligned_view(&request->dst, UNIT)
               ? NULL
               : OUT_OF_UNITS;
}

/* Returns the kernel for samples of BYTES bytes and the plan's planes and sums. */
template <int BYTES> static auto int8_kernel(const int8_plan &plan)
{
    return with_constant<1, 4>(plan.planes, [&]<int PLANES>() {
        typedef int8_shape<BYTES, PLANES> shape;

        if constexpr (BYTES == 1)
            if (plan.along_sums == 3)
                return fused_int8<shape, 3>;
        return fused_int8<shape, SUMS>;
    });
}

static const char *int8_run(const struct piece *piece)
{
    const int8_filter &plan = *static_cast<const int8_filter *>(piece->state);
    const auto kernel = piece->src.sample_bytes == 1 ? int8_kernel<1>(plan) : int8_kernel<2>(plan);
    const size_t shared_bytes = int8_shared_bytes(plan, piece->src.sample_bytes);
    const int64_t across = blocks_across(
        blocks_for(piece->dst.width * piece->dst.channels, int8_row_samples(plan.planes)));

    allow_shared_bytes((const void *)kernel, (int64_t)shared_bytes);
    const int segment_rows = (int)round_up(
        rows_of_segment(across * piece->images, piece->dst.height,
                        blocks_at_once((const void *)kernel, 32 * INT8_BLOCK_WARPS, shared_bytes),
                        plan.halo_y, INT8_ROWS),
        8);
    LAUNCH_NEXT(kernel,
                dim3((unsigned)across, (unsigned)blocks_for(piece->dst.height, segment_rows),
                     (unsigned)piece->images),
                dim3(32, INT8_BLOCK_WARPS), shared_bytes, piece->stream, stack_of(piece), plan,
                two_axes_of<INT8_MAX_HALO>(piece->request), segment_rows);
    return launched();
}

#endif
