/* SPDX-License-Identifier: MIT */
/* Launches the window of floats. */
#ifndef SMOOTHIMG_FUSED_FLOATS_LAUNCH_CUH
#define SMOOTHIMG_FUSED_FLOATS_LAUNCH_CUH

#include "kernels/smooth/floats/floats.h"
#include "kernels/smooth/fused/floats/window.cuh"
#include "kernels/smooth/segments.cuh"

/* Whether the window serves, wherever the image lies. */
static inline bool suits_float_window(const struct request *whole)
{
    const struct request request = cut_idle_taps(whole);

    return !request.skip_nan && request.halo_x == request.halo_y && request.halo_x >= 1 &&
           request.halo_x <= FLOAT_WINDOW_HALO && request.src.channels <= 4 &&
           request.src.channels != 2 && request.weights_x[request.halo_x] != 0 &&
           request.weights_y[request.halo_y] != 0;
}

template <int HALO, int CHANNELS, bool BY_UNIT>
static const char *launch_float_window_by(const struct piece *piece)
{
    typedef float_strip<HALO, CHANNELS> strip;
    const unsigned threads = 32 * (WINDOW_WARPS + (BY_UNIT ? 1 : 0));
    const int64_t column_blocks =
        blocks_for(piece->dst.width * CHANNELS, WINDOW_WARPS * strip::columns);
    const int rows = rows_of_segment(column_blocks, piece->dst.height,
                                     (const void *)smooth_float_window<HALO, CHANNELS, BY_UNIT>,
                                     (int)threads, 0, HALO);

    LAUNCH((smooth_float_window<HALO, CHANNELS, BY_UNIT>),
           dim3((unsigned)column_blocks, (unsigned)blocks_for(piece->dst.height, rows)),
           dim3(threads), 0, piece->stream, source_of(piece), piece->dst,
           float_filter_of(piece->request), smooth_floats_bound(piece->request, false), rows);
    return launched();
}

template <int HALO, int CHANNELS> static const char *launch_float_window(const struct piece *piece)
{
    if constexpr (float_strip<HALO, CHANNELS>::by_unit)
        if (attribute_of_device(cudaDevAttrComputeCapabilityMajor) >= 9)
            return launch_float_window_by<HALO, CHANNELS, true>(piece);
    return launch_float_window_by<HALO, CHANNELS, false>(piece);
}

/* For pieces that suits_float_window(), of rows that begin where units of 16 bytes do. */
static const char *launch_float_windows(const struct piece *whole)
{
    const struct request request = cut_idle_taps(whole->request);
    struct piece piece = *whole;

    piece.request = &request;

    return with_constant<1, 4>(piece.request->halo_x, [&]<int HALO>() {
        return piece.src.channels == 1   ? launch_float_window<HALO, 1>(&piece)
               : piece.src.channels == 3 ? launch_float_window<HALO, 3>(&piece)
                                         : launch_float_window<HALO, 4>(&piece);
    });
}

#endif
