/* SPDX-License-Identifier: MIT */
/* Launching window, rows and the repair: grids, filters, and the list of unresolved samples, which
 * lies in scratch. Each function returns NULL, or the failure in words. */
#ifndef SMOOTHIMG_FUSED_LAUNCH_CUH
#define SMOOTHIMG_FUSED_LAUNCH_CUH

#include "kernels/smooth/fused/rows.cuh"
#include "kernels/smooth/fused/window.cuh"
#include "kernels/smooth/segments.cuh"

static struct unresolved_list *list_of(const struct job *job)
{
    return static_cast<struct unresolved_list *>(job->scratch);
}

/* Empties the list of unresolved samples. */
[[maybe_unused]] static __global__ void begin_estimate(unresolved_list *list)
{
    let_next_kernel_come();
    list->count = 0;
}

/* Instead of an estimate: a count past any capacity has every sample repaired. */
static inline const char *repair_all(const struct job *job)
{
    const cudaError_t error =
        cudaMemsetAsync(&list_of(job)->count, 0xff, sizeof list_of(job)->count,
                        static_cast<cudaStream_t>(job->stream));

    return error == cudaSuccess ? NULL : cudaGetErrorString(error);
}

template <class Form, int HALO, int CHANNELS, bool BY_UNIT>
static const char *launch_window_by(const struct job *job)
{
    const void *kernel = (const void *)fused_window<Form, HALO, CHANNELS, BY_UNIT>;
    const unsigned threads = 32 * window_rows<HALO, typename Form::sample>::warps;
    const int64_t warps = blocks_for(job->dst.width * CHANNELS, window_of<Form>::warp_columns);
    const int64_t column_blocks = blocks_for(warps, WINDOW_WARPS);
    const int rows = rows_of_segment(column_blocks, job->dst.height, kernel, threads, 0, HALO);
    fused_filter<Form, HALO + 1> filter;

    if (!make_filter(job, true, &filter))
        return repair_all(job);
    LAUNCH(begin_estimate, 1, 1, 0, job->stream, list_of(job));
    LAUNCH_NEXT((fused_window<Form, HALO, CHANNELS, BY_UNIT>),
                dim3((unsigned)column_blocks, (unsigned)blocks_for(job->dst.height, rows)),
                dim3(threads), 0, job->stream, source_of(job), job->dst, filter, rows, list_of(job),
                list_capacity(job));
    return launched();
}

template <class Form, int HALO, int CHANNELS = 1>
static const char *launch_window(const struct job *job)
{
#ifndef __NVCC__ /* which leaves it to the GPU that it compiles for */
    if (attribute_of_device(cudaDevAttrComputeCapabilityMajor) < 9)
        return launch_window_by<Form, HALO, CHANNELS, false>(job);
#endif
    return launch_window_by<Form, HALO, CHANNELS, true>(job);
}

/* filter: the job's. */
template <class Form, bool DENSE, class Filter>
static const char *launch_rows_by(const struct job *job, const Filter &filter)
{
    const int halo = (int)job->halo_x;
    const void *kernel = (const void *)fused_rows<Form, DENSE, Filter>;
    const size_t shared_bytes =
        2 * line_slots<typename Form::sum>(halo) * sizeof(typename Form::sum);
    const int64_t column_blocks = blocks_for(job->dst.width, columns_of_block(halo));
    const unsigned channels = blocks_down(job->src.channels);
    const int rows = rows_of_segment(column_blocks * channels, job->dst.height, kernel,
                                     ROWS_THREADS, shared_bytes, (int)job->halo_y);

    LAUNCH(begin_estimate, 1, 1, 0, job->stream, list_of(job));
    LAUNCH_NEXT(
        (fused_rows<Form, DENSE, Filter>),
        dim3((unsigned)column_blocks, (unsigned)blocks_for(job->dst.height, rows), channels),
        dim3(ROWS_THREADS), shared_bytes, job->stream, source_of(job), job->dst, filter, rows,
        list_of(job), list_capacity(job));
    return launched();
}

template <class Form, bool DENSE> static const char *launch_rows(const struct job *job)
{
    any_filter_of_two<Form> filter;

    if (!make_filter(job, false, &filter))
        return repair_all(job);
    filter.columns_halo = (int)job->halo_y;
    return axes_are_equal(job) ? launch_rows_by<Form, DENSE, any_filter<Form>>(job, filter)
                               : launch_rows_by<Form, DENSE>(job, filter);
}

template <typename Sample, class Filter> static const char *launch_repair_by(const struct job *job)
{
    const int processors = attribute_of_device(cudaDevAttrMultiProcessorCount);

    LAUNCH_NEXT((fused_repair<Sample, Filter>), dim3((unsigned)(4 * processors)), dim3(256), 0,
                job->stream, source_of(job), job->dst, filter_of<Filter>(job), list_of(job),
                list_capacity(job));
    return launched();
}

template <typename Sample> static const char *launch_repair(const struct job *job)
{
    return axes_are_equal(job) ? launch_repair_by<Sample, equal_axes>(job)
                               : launch_repair_by<Sample, two_axes>(job);
}

#endif
