/* SPDX-License-Identifier: MIT */
/* Launching fused_int8. */
#ifndef SMOOTHIMG_FUSED_INT8_LAUNCH_CUH
#define SMOOTHIMG_FUSED_INT8_LAUNCH_CUH

#include "kernels/common/elements.cuh"
#include "kernels/smooth/fused/int8/int8.cuh"
#include "kernels/smooth/fused/launch.cuh"

/* The tables lie in scratch, after the list of unresolved samples. */
static inline size_t int8_scratch_offset(const struct job *job)
{
    return aligned_list_bytes(job);
}

static inline size_t int8_scratch_bytes(const struct job *job)
{
    int8_filter plan = {};

    return job->halo <= INT8_MAX_HALO && make_int8_plan(job, &plan) ? tables_bytes(plan) : 0;
}

static inline uint4 *int8_tables_of(const struct job *job)
{
    return reinterpret_cast<uint4 *>(static_cast<char *>(job->scratch) + int8_scratch_offset(job));
}

/* Bytes by which rows of src had best begin off 16: then the window does at 16. */
static inline int64_t int8_phase(const struct job *job)
{
    return job->halo_x * job->src.channels * job->src.sample_bytes % 16;
}

/* Of any shape with so many planes. */
static inline size_t int8_shared_bytes_of(const struct job *job, const int8_plan &plan)
{
    if (job->src.sample_bytes == 1)
        return plan.planes == 3 ? int8_shared_bytes<int8_shape<1, 3>>(plan)
                                : int8_shared_bytes<int8_shape<1, 1>>(plan);
    return plan.planes == 3 ? int8_shared_bytes<int8_shape<2, 3>>(plan)
                            : int8_shared_bytes<int8_shape<2, 1>>(plan);
}

/* Whether this GPU has the products, and memory for the window, and the image lies well. */
static inline bool int8_serves(const struct job *job, int8_filter *plan)
{
    const int bytes = job->src.sample_bytes;

    if (job->halo_x < 1 || job->halo_y < 1 || job->halo > INT8_MAX_HALO || !sums_to_one(job) ||
        job->src.channels > 64 || job->src.stride_bytes % 16 != 0 ||
        !aligned_view(&job->src, bytes) || !aligned_view(&job->dst, 16) ||
        !make_int8_plan(job, plan))
        return false;
    return attribute_of_device(cudaDevAttrComputeCapabilityMajor) >= 8 &&
           int8_shared_bytes_of(job, *plan) <=
               (size_t)attribute_of_device(cudaDevAttrMaxSharedMemoryPerBlockOptin);
}

template <class Shape, int ALONG>
static const char *launch_int8_kernel(const struct job *job, const int8_plan &plan,
                                      const int8_choice &chosen, int segment_rows)
{
    const void *kernel = (const void *)fused_int8<Shape, ALONG>;
    const size_t shared_bytes = int8_shared_bytes<Shape>(plan);
    const int64_t column_blocks =
        blocks_for(job->dst.width * job->dst.channels, Shape::row_samples);

    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared_bytes);
    if (segment_rows == 0)
        segment_rows = (int)blocks_for(rows_of_segment(column_blocks, job->dst.height, kernel,
                                                       32 * INT8_WARPS, shared_bytes, plan.halo_y),
                                       8) *
                       8;
    LAUNCH_NEXT((fused_int8<Shape, ALONG>),
                dim3((unsigned)column_blocks, (unsigned)blocks_for(job->dst.height, segment_rows)),
                dim3(32 * INT8_WARPS), shared_bytes, job->stream, job->src, job->dst, plan,
                int8_tables_of(job), chosen, segment_rows, list_of(job), list_capacity(job));
    return launched();
}

/* Before launch_int8(): lays out the tables. zero, zeros: words to make 0. */
template <int BYTES>
static void prepare_int8(const struct job *job, const int8_filter &plan, uint32_t *zero, int zeros)
{
    const int64_t words = max((int64_t)tables_bytes(plan) / 4, (int64_t)zeros);

    LAUNCH((lay_out_int8<BYTES>), dim3((unsigned)blocks_for(words, 128)), dim3(128), 0, job->stream,
           plan, int8_tables_of(job), list_of(job), zero, zeros);
}

template <int BYTES, int PLANES>
static const char *launch_int8_planes(const struct job *job, const int8_plan &plan,
                                      const int8_choice &chosen, int segment_rows)
{
    typedef int8_shape<BYTES, PLANES> shape;

    if constexpr (BYTES == 1)
        if (plan.along_sums == 3)
            return launch_int8_kernel<shape, 3>(job, plan, chosen, segment_rows);
    return launch_int8_kernel<shape, SUMS>(job, plan, chosen, segment_rows);
}

/* chosen, segment_rows: as in fused_int8; segment_rows 0: what rows_of_segment() finds best. */
template <int BYTES>
static const char *launch_int8(const struct job *job, const int8_plan &plan,
                               const int8_choice &chosen, int segment_rows)
{
    switch (plan.planes) {
    case 2:
        return launch_int8_planes<BYTES, 2>(job, plan, chosen, segment_rows);
    case 3:
        return launch_int8_planes<BYTES, 3>(job, plan, chosen, segment_rows);
    case 4:
        return launch_int8_planes<BYTES, 4>(job, plan, chosen, segment_rows);
    default:
        return launch_int8_planes<BYTES, 1>(job, plan, chosen, segment_rows);
    }
}

#endif
