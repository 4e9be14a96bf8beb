/* SPDX-License-Identifier: MIT */
/* Launches fused_window, and says which images it takes.
 *
 * A sample is unresolved if the error bound does not prove its rounding; it is queued and
 * computed again. */
#ifndef SMOOTHIMG_FUSED_WINDOW_LAUNCH_CUH
#define SMOOTHIMG_FUSED_WINDOW_LAUNCH_CUH

#include "kernels/smooth/fused/window.cuh"

/* The greatest number of rows of a thread block. With so few rows a warp's queue has room for all
 * unresolved samples if the image is noise. */
#define WINDOW_ROWS 256

template <class Form, int HALO, int CHANNELS>
static const char *launch_window(const struct piece *piece)
{
    auto kernel = fused_window<Form, HALO, CHANNELS, true>;
/* The emulated device's code is compiled once for all GPUs, so the choice is made here: `false`
 * selects the kernel for GPUs without a copy unit. nvcc compiles for each GPU separately, and
 * window_rows.cuh chooses when it is compiled. */
#ifndef __NVCC__
    if (attribute_of_device(cudaDevAttrComputeCapabilityMajor) < 9)
        kernel = fused_window<Form, HALO, CHANNELS, false>;
#endif
    const unsigned threads = 32 * (WINDOW_WARPS + 1);
    const int64_t warps = blocks_for(piece->dst.width * CHANNELS, window_of<Form>::warp_columns);
    const int64_t column_blocks = blocks_for(warps, WINDOW_WARPS);
    const int rows =
        rows_of_segment(column_blocks * piece->images, piece->dst.height,
                        blocks_at_once((const void *)kernel, threads, 0), HALO, WINDOW_ROWS);

    LAUNCH_NEXT(kernel,
                dim3((unsigned)column_blocks, (unsigned)blocks_for(piece->dst.height, rows),
                     (unsigned)piece->images),
                dim3(threads), 0, piece->stream, stack_of(piece),
                (make_filter<Form, HALO>(piece->request)), two_axes_of<HALO>(piece->request), rows);
    return launched();
}

static const char *window_refuses(const struct request *request)
{
    const int channels = request->src.channels;
    const int64_t most_halo = channels == 1 ? 2 : request->src.sample_bytes;
    const char *refusal = refuses_all_but_integers(request);

    if (refusal)
        return refusal;
    if (!has_quick_doubles())
        return "this GPU's doubles are slow";
    if (!axes_are_equal(request) || request->halo < 1 || request->halo > most_halo)
        return "its window is for equal halos to 2, of colours of 8 bits 1";
    if (channels > 4 || !sums_to_one(request))
        return "channels are more than 4, or weights do not sum to one";
    return lies_in_units(request) ? NULL : OUT_OF_UNITS;
}

/* There are kernels for halo 1 and, for one channel or 16 bits, for halo 2. */
template <class Form> static const char *window_run_by(const struct piece *piece)
{
    return with_constant<1, 4>(piece->src.channels, [&]<int CHANNELS>() {
        constexpr int most_halo = CHANNELS == 1 ? 2 : sizeof(typename Form::sample);

        return with_constant<1, most_halo>(piece->request->halo, [&]<int HALO>() {
            return launch_window<Form, HALO, CHANNELS>(piece);
        });
    });
}

static const char *window_run(const struct piece *piece)
{
    return piece->src.sample_bytes == 1 ? window_run_by<form_bytes>(piece)
                                        : window_run_by<form_words>(piece);
}

#endif
