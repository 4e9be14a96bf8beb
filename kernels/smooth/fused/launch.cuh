/* SPDX-License-Identifier: MIT */
/* Launches of fused_window. */
#ifndef SMOOTHIMG_FUSED_LAUNCH_CUH
#define SMOOTHIMG_FUSED_LAUNCH_CUH

#include "kernels/smooth/fused/window.cuh"
#include "kernels/smooth/segments.cuh"

#define WINDOW_ROWS 256 /* most rows of a thread block: a queue has room for what noise leaves */

template <class Form, int HALO, int CHANNELS, bool BY_UNIT>
static const char *launch_window_by(const struct piece *piece)
{
    const void *kernel = (const void *)fused_window<Form, HALO, CHANNELS, BY_UNIT>;
    const unsigned threads = 32 * (WINDOW_WARPS + 1);
    const int64_t warps = blocks_for(piece->dst.width * CHANNELS, window_of<Form>::warp_columns);
    const int64_t column_blocks = blocks_for(warps, WINDOW_WARPS);
    const int rows =
        rows_of_segment(column_blocks, piece->dst.height, kernel, threads, 0, HALO, WINDOW_ROWS);

    LAUNCH_NEXT((fused_window<Form, HALO, CHANNELS, BY_UNIT>),
                dim3((unsigned)column_blocks, (unsigned)blocks_for(piece->dst.height, rows)),
                dim3(threads), 0, piece->stream, source_of(piece), piece->dst,
                (make_filter<Form, HALO>(piece->request)), two_axes_of<HALO>(piece->request), rows);
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

#endif
