/* SPDX-License-Identifier: MIT */
/* Launches of fused_int8. */
#ifndef SMOOTHIMG_FUSED_INT8_LAUNCH_CUH
#define SMOOTHIMG_FUSED_INT8_LAUNCH_CUH

#include "kernels/common/elements.cuh"
#include "kernels/smooth/fused/int8/int8.cuh"
#include "kernels/smooth/fused/launch.cuh"

/* True if warps can compute their own unresolved samples, so that one launch suffices. Where 16
 * bits and many taps leave more of them, and in large images, another kernel is faster (figures:
 * kernels/NOTES.md). */
static inline bool repairs_fit_in_place(const struct request *request)
{
    return request->halo <= (request->src.sample_bytes == 1 ? 16 : 8);
}

/* The launch for any shape with PLANES planes. */
static inline size_t int8_shared_bytes_of(const struct request *request, const int8_plan &plan,
                                          bool marked)
{
    if (request->src.sample_bytes == 1)
        return plan.planes == 3 ? int8_shared_bytes<int8_shape<1, 3>>(plan, marked)
                                : int8_shared_bytes<int8_shape<1, 1>>(plan, marked);
    return plan.planes == 3 ? int8_shared_bytes<int8_shape<2, 3>>(plan, marked)
                            : int8_shared_bytes<int8_shape<2, 1>>(plan, marked);
}

/* True if a thread block can have the shared memory, which depends on the image's address. */
static inline bool int8_fits(const struct request *request, const int8_plan &plan, bool in_place)
{
    return int8_shared_bytes_of(request, plan, in_place) <=
           (size_t)attribute_of_device(cudaDevAttrMaxSharedMemoryPerBlockOptin);
}

/* True if it can compute src and dst at their addresses. */
static inline bool lies_for_int8(const struct request *request, bool in_place)
{
    int8_filter plan = {};

    lay_out_int8(request, &plan);
    return request->src.stride_bytes % 16 == 0 &&
           aligned_view(&request->src, request->src.sample_bytes) &&
           aligned_view(&request->dst, 16) && int8_fits(request, plan, in_place);
}

/* Returns why it cannot compute integers at any address, or NULL: what is asked, or this GPU, which
 * has no such products, or too little memory for the window. The plan may still refuse. */
static inline const char *int8_refuses_shape(const struct request *request, bool in_place)
{
    int8_filter plan = {};

    if (request->halo_x < 1 || request->halo_y < 1 || request->halo > INT8_MAX_HALO ||
        !sums_to_one(request) || request->src.channels > 64 || greatest_int8_weight(request) == 0)
        return "channels, halos or weights are not for it";
    lay_out_int8(request, &plan);
    return attribute_of_device(cudaDevAttrComputeCapabilityMajor) >= 8 &&
                   int8_fits(request, plan, in_place)
               ? NULL
               : "this GPU lacks products of bytes, or memory for the window";
}

template <class Shape, int ALONG, bool IN_PLACE>
static const char *launch_int8_kernel(const struct piece *piece, const int8_filter &plan,
                                      const uint8_t *chosen, int segment_rows)
{
    const void *kernel = (const void *)fused_int8<Shape, ALONG, IN_PLACE>;
    const size_t shared_bytes = int8_shared_bytes<Shape>(plan, IN_PLACE);
    const int64_t column_blocks =
        blocks_for(piece->dst.width * piece->dst.channels, Shape::row_samples);

    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared_bytes);
    if (segment_rows == 0)
        segment_rows = (int)blocks_for(rows_of_segment(column_blocks, piece->dst.height, kernel,
                                                       32 * INT8_WARPS, shared_bytes, plan.halo_y),
                                       8) *
                       8;
    if (IN_PLACE)
        segment_rows = min(segment_rows, 8 * INT8_MARKED_STEPS);
    LAUNCH_NEXT(
        (fused_int8<Shape, ALONG, IN_PLACE>),
        dim3((unsigned)column_blocks, (unsigned)blocks_for(piece->dst.height, segment_rows)),
        dim3(32 * INT8_WARPS), shared_bytes, piece->stream, source_of(piece), piece->dst, plan,
        two_axes_of<INT8_MAX_HALO>(piece->request), chosen, segment_rows, list_of(piece),
        list_capacity(piece->request));
    return launched();
}

template <int BYTES, int PLANES>
static const char *launch_int8_planes(const struct piece *piece, const int8_filter &plan,
                                      bool in_place, const uint8_t *chosen, int segment_rows)
{
    typedef int8_shape<BYTES, PLANES> shape;
    constexpr int fewest =
        BYTES == 1 ? 3 : SUMS; /* equals plan.along_sums where repairs_fit_in_place() */

    if (in_place)
        return launch_int8_kernel<shape, fewest, true>(piece, plan, chosen, segment_rows);
    if (plan.along_sums == fewest)
        return launch_int8_kernel<shape, fewest, false>(piece, plan, chosen, segment_rows);
    return launch_int8_kernel<shape, SUMS, false>(piece, plan, chosen, segment_rows);
}

/* chosen and segment_rows are those of fused_int8; 0 segment_rows: rows_of_segment() chooses. With
 * in_place, for pieces whose repairs fit, warps repair; otherwise the list must be empty, and the
 * caller repairs its samples. */
template <int BYTES>
static const char *launch_int8(const struct piece *piece, const int8_filter &plan, bool in_place,
                               const uint8_t *chosen, int segment_rows)
{
    return with_constant<1, 4>(plan.planes, [&]<int PLANES>() {
        return launch_int8_planes<BYTES, PLANES>(piece, plan, in_place, chosen, segment_rows);
    });
}

#endif
