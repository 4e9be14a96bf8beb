/* SPDX-License-Identifier: MIT */
/* Launches fused_fp16. Says on which GPUs it runs, makes its tables, and chooses the kernel's shape
 * by the halo. A segment is the rows that a thread block computes (segments.cuh). A thread block is
 * dense if it has too many unresolved samples; fused_int8 then computes it again. */
#ifndef SMOOTHIMG_FUSED_FP16_LAUNCH_CUH
#define SMOOTHIMG_FUSED_FP16_LAUNCH_CUH

#include "kernels/smooth/fused/int8/launch.cuh"
#include "kernels/smooth/fused/fp16/kernel.cuh"

/* Returns how many thread blocks a row of the grid has. */
static inline int64_t fp16_blocks_across(const struct request *request)
{
    return blocks_across(
        blocks_for(row_samples(request->dst), int8_row_samples(fp16_planes(request))));
}

/* Returns the __CUDA_ARCH__ of the code that the GPU runs: the newest code that nvcc compiled, up
 * to the GPU's capability. The emulated device's code is compiled once, for all capabilities. */
static inline int code_of_device()
{
    const int capability = 100 * attribute_of_device(cudaDevAttrComputeCapabilityMajor) +
                           10 * attribute_of_device(cudaDevAttrComputeCapabilityMinor);
#ifdef __CUDA_ARCH_LIST__
    constexpr int compiled[] = {__CUDA_ARCH_LIST__};
    int newest = 0;

    for (const int arch : compiled)
        if (arch <= capability)
            newest = max(newest, arch);
    return newest;
#else
    return capability;
#endif
}

/* True if the TMA (tensor memory accelerator) copies the image. */
static inline bool fp16_uses_tma()
{
    return fp16_is_compiled_for(code_of_device(), true);
}

#define FP16_ROWS 1280 /* greatest number of rows that a thread block computes */

/* Returns how many rows a segment (the rows that a thread block computes) has: a multiple of
 * ROUND_ROWS. */
static inline int fp16_segment_rows(const struct request *request)
{
    const int64_t at_once = (int64_t)attribute_of_device(cudaDevAttrMultiProcessorCount) *
                            fp16_resident(request->halo, fp16_uses_tma());

    return (int)round_up(rows_of_segment(fp16_blocks_across(request), request->dst.height, at_once,
                                         request->halo, FP16_ROWS),
                         ROUND_ROWS);
}

/* The scratch has a byte for each thread block, which becomes 1 if the block has too many
 * unresolved samples. */
static inline size_t fp16_scratch_bytes(const struct request *request, const void *)
{
    return (size_t)(fp16_blocks_across(request) *
                    blocks_for(request->dst.height, fp16_segment_rows(request)));
}

/* Returns why fused_fp16 cannot compute the request (fp16/shape.cuh), or NULL. */
static inline const char *fp16_refuses(const struct request *request)
{
    /* fused_int8 computes thread blocks with too many unresolved samples again, so it must not
     * refuse the request either. */
    const char *refusal = int8_refuses(request);
    const int64_t samples = row_samples(request->src);

    if (refusal)
        return refusal;
    if (!axes_are_equal(request) || request->src.sample_bytes != 1 || request->halo < 2 ||
        request->halo > FP16_MAX_HALO || (request->src.channels > 4 && fp16_planes(request) > 1) ||
        samples < 16 || samples > INT32_MAX / 2 || request->src.height > INT32_MAX / 2)
        return "channels or halos are not for it";
    /* bound.cuh assumes how GPUs of compute capability 8.0 to 9.0 add. */
    if (attribute_of_device(cudaDevAttrComputeCapabilityMajor) > 9 ||
        (!fp16_uses_tma() && !fp16_is_compiled_for(code_of_device(), false)))
        return "this GPU does not add half floats as it must";
    return lies_in_units(request) ? NULL : OUT_OF_UNITS;
}

template <class Shape>
static const char *launch_fp16(const struct piece *piece, const fp16_filter &filter)
{
    const int segment_rows = fp16_segment_rows(piece->request);
    const dim3 grid((unsigned)fp16_blocks_across(piece->request),
                    (unsigned)blocks_for(piece->dst.height, segment_rows));
    const size_t shared_bytes = sizeof(fp16_memory<Shape>) + FP16_ALIGNMENT;
    fp16_maps maps = {};
    const char *failure = Shape::bulk ? describe_images<Shape>(piece, &maps) : NULL;

    if (failure)
        return failure;
    allow_shared_bytes((const void *)fused_fp16<Shape>, (int64_t)shared_bytes);
    LAUNCH_NEXT((fused_fp16<Shape>), grid, Shape::threads, shared_bytes, piece->stream, maps,
                source_of(piece), filter.tables, filter.bytes,
                two_axes_of<FP16_MAX_HALO>(piece->request), piece->dst, (int)piece->request->halo,
                segment_rows, static_cast<uint8_t *>(piece->scratch));
    return launched();
}

/* The engine's state: the filter of fused_fp16, and the filter of fused_int8, which computes thread
 * blocks with too many unresolved samples again. */
struct fp16_state {
    int8_filter dense;
    fp16_filter filter;
};

/* Computes the piece. Where a thread block of fused_fp16 has left too many samples unresolved, a
 * thread block of fused_int8, of the same width, computes its part of the image again. */
static const char *fp16_run(const struct piece *piece)
{
    const fp16_state &state = *static_cast<const fp16_state *>(piece->state);
    const int planes = fp16_planes(piece->request);
    int8_filter dense = state.dense;
    const char *failure = with_constant<0, 4>(fp16_kind(piece->request), [&]<int KIND>() {
        return with_constant<0, 4>(fp16_class(piece->request->halo), [&]<int CLASS>() {
            if constexpr (!FP16_HAS_SHAPE<CLASS, KIND>)
                return static_cast<const char *>(NULL);
            else
                return fp16_uses_tma()
                           ? launch_fp16<fp16_shape<true, CLASS, KIND>>(piece, state.filter)
                           : launch_fp16<fp16_shape<false, CLASS, KIND>>(piece, state.filter);
        });
    });

    if (int8_row_samples(planes) != int8_row_samples(dense.planes))
        lay_out_row(piece->request, planes, &dense);
    return failure ? failure
                   : launch_int8(piece, dense, static_cast<const uint8_t *>(piece->scratch),
                                 fp16_segment_rows(piece->request));
}

#endif
