/* SPDX-License-Identifier: MIT */
/* Launches of window and the repair: grids, filters, and the list of unresolved samples,
 * which lies in scratch. Each function returns NULL, or what failed. */
#ifndef SMOOTHIMG_FUSED_LAUNCH_CUH
#define SMOOTHIMG_FUSED_LAUNCH_CUH

#include "kernels/smooth/fused/window.cuh"
#include "kernels/smooth/segments.cuh"

static struct unresolved_list *list_of(const struct piece *piece)
{
    return static_cast<struct unresolved_list *>(piece->scratch);
}

/* Empties the list of unresolved samples. */
[[maybe_unused]] static __global__ void begin_estimate(unresolved_list *list)
{
    let_next_kernel_come();
    list->count = 0;
}

template <class Form, int HALO, int CHANNELS, bool BY_UNIT>
static const char *launch_window_by(const struct piece *piece)
{
    const void *kernel = (const void *)fused_window<Form, HALO, CHANNELS, BY_UNIT>;
    const unsigned threads = 32 * (WINDOW_WARPS + 1);
    const int64_t warps = blocks_for(piece->dst.width * CHANNELS, window_of<Form>::warp_columns);
    const int64_t column_blocks = blocks_for(warps, WINDOW_WARPS);
    const int rows = rows_of_segment(column_blocks, piece->dst.height, kernel, threads, 0, HALO);
    const fused_filter<Form, HALO + 1> filter = make_filter<Form, HALO>(piece->request);

    LAUNCH(begin_estimate, 1, 1, 0, piece->stream, list_of(piece));
    LAUNCH_NEXT((fused_window<Form, HALO, CHANNELS, BY_UNIT>),
                dim3((unsigned)column_blocks, (unsigned)blocks_for(piece->dst.height, rows)),
                dim3(threads), 0, piece->stream, source_of(piece), piece->dst, filter, rows,
                list_of(piece), list_capacity(piece->request));
    return launched();
}

template <class Form, int HALO, int CHANNELS = 1>
static const char *launch_window(const struct piece *piece)
{
#ifndef __NVCC__ /* nvcc decides this by the GPU that it compiles for */
    if (attribute_of_device(cudaDevAttrComputeCapabilityMajor) < 9)
        return launch_window_by<Form, HALO, CHANNELS, false>(piece);
#endif
    return launch_window_by<Form, HALO, CHANNELS, true>(piece);
}

template <typename Sample, class Filter>
static const char *launch_repair_by(const struct piece *piece)
{
    const int processors = attribute_of_device(cudaDevAttrMultiProcessorCount);

    LAUNCH_NEXT((fused_repair<Sample, Filter>), dim3((unsigned)(4 * processors)), dim3(256), 0,
                piece->stream, source_of(piece), piece->dst, filter_of<Filter>(piece->request),
                list_of(piece), list_capacity(piece->request));
    return launched();
}

template <typename Sample> static const char *launch_repair(const struct piece *piece)
{
    return axes_are_equal(piece->request) ? launch_repair_by<Sample, equal_axes>(piece)
                                          : launch_repair_by<Sample, two_axes>(piece);
}

#endif
