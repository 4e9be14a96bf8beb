/* SPDX-License-Identifier: MIT */
/* Launching fused_fp16: maps for the TMA, tables, shapes by halo. */
#ifndef SMOOTHIMG_FUSED_FP16_LAUNCH_CUH
#define SMOOTHIMG_FUSED_FP16_LAUNCH_CUH

#include "kernels/smooth/fused/int8/launch.cuh"
#include "kernels/smooth/fused/fp16/kernel.cuh"

#include <atomic>

typedef CUresult (*encode_map)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                               const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                               const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                               CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

/* The driver's function; NULL if it has none. */
static inline encode_map find_encode_map()
{
    void *function = NULL;
    cudaDriverEntryPointQueryResult found;

#if CUDART_VERSION >= 12050
    const cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function,
                                                               12000, cudaEnableDefault, &found);
#else
    const cudaError_t error =
        cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &found);
#endif
    return error == cudaSuccess ? reinterpret_cast<encode_map>(function) : NULL;
}

/* A map over `rows` rows of `width` bytes; false where the driver refuses. */
static inline bool make_map(CUtensorMap *map, void *base, int64_t width, int64_t rows,
                            int64_t stride, uint32_t box_width, uint32_t box_rows,
                            CUtensorMapSwizzle swizzle)
{
    static std::atomic<encode_map> known; /* asking takes longer than encoding */
    encode_map encode = known;
    const cuuint64_t sizes[2] = {(cuuint64_t)width, (cuuint64_t)rows};
    const cuuint64_t strides[1] = {(cuuint64_t)stride};
    const cuuint32_t box[2] = {box_width, box_rows}, steps[2] = {1, 1};

    if (!encode)
        known = encode = find_encode_map();
    return encode &&
           encode(map, CU_TENSOR_MAP_DATA_TYPE_UINT8, 2, base, sizes, strides, box, steps,
                  CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

/* In scratch, after the list. fused_int8 computes the dense blocks again. */
struct fp16_scratch {
    fp16_progress progress;
    uint8_t dense[1]; /* a byte for each thread block */
};

static inline int64_t row_samples(const struct view &view)
{
    return view.width * view.channels;
}

/* Outputs of a thread block in a row. */
static inline int fp16_columns(const struct job *job)
{
    return fp16_planes(job) == 3 ? fp16_shape<3, 3, false, false, 3>::columns
                                 : fp16_shape<3, 3, false>::columns;
}

static inline int64_t fp16_column_blocks(const struct job *job)
{
    return blocks_for(row_samples(job->dst), fp16_columns(job));
}

/* Rows of a thread block: enough to make up for the 2 halo rows that it only reads, and few enough
 * that all blocks of a smaller image run at once. Measured on an H200: NOTES.md. */
static inline int fp16_segment_rows(const struct job *job)
{
    const int resident = job->halo <= 5 ? 4 : job->halo <= 8 ? 3 : 2; /* as in fp16_shape */
    const int64_t processors = attribute_of_device(cudaDevAttrMultiProcessorCount);
    const int64_t most = job->halo > 8 ? 1024 : 768, at_once = processors * resident;
    const int64_t share =
        blocks_for(job->dst.height, max(at_once / fp16_column_blocks(job), (int64_t)1));
    const int64_t least = blocks_for(job->dst.height, MAX_GRID_Y);

    return (int)(blocks_for(max(min(most, share), least), ROUND_ROWS) * ROUND_ROWS);
}

static inline int64_t fp16_blocks(const struct job *job)
{
    return fp16_column_blocks(job) * blocks_for(job->dst.height, fp16_segment_rows(job));
}

static inline size_t fp16_scratch_offset(const struct job *job)
{
    return aligned_list_bytes(job);
}

/* In whole words. */
static inline size_t fp16_scratch_bytes(const struct job *job)
{
    return sizeof(struct fp16_scratch) + (size_t)blocks_for(fp16_blocks(job), 4) * 4;
}

static inline fp16_scratch *fp16_scratch_of(const struct job *job)
{
    return reinterpret_cast<fp16_scratch *>(static_cast<char *>(job->scratch) +
                                            fp16_scratch_offset(job));
}

/* Makes them 0, and the list empty. */
static __global__ void begin_fp16(unresolved_list *list, uint32_t *words, const int count)
{
    const int word = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    let_next_kernel_come();
    if (word == 0)
        list->count = 0;
    if (word < count)
        words[word] = 0;
}

/* Bytes by which the first sample of a row had best lie off 16: the window, which begins 8 or 16
 * samples of each plane before it, then does not. */
static inline int fp16_phase(const struct job *job)
{
    const int planes = fp16_planes(job);

    return job->halo <= 8 && (planes == 3 || job->src.channels == 1) ? 8 : 0;
}

/* How many samples, of each plane, left of its outputs a thread block loads, so that the TMA begins
 * at a multiple of 16 bytes; 0: at none. */
static inline int fp16_before(const struct job *job)
{
    const int phase = (int)((uintptr_t)job->src.origin % 16);
    const bool planes = fp16_planes(job) > 1;

    if (phase != fp16_phase(job))
        return phase == 0 && !planes ? 16 : 0;
    return job->halo <= 8 && (planes || phase == 8) ? 8 : 16;
}

/* Below so many fused_int8 is faster, which needs one kernel less. */
#define FP16_LEAST_SAMPLES (8 << 20)

/* Whether this GPU is Hopper, whose tensor cores add as the bound supposes, and the job is one for
 * it, wherever the image lies: see fp16/fp16.cuh. */
static inline bool fp16_would_serve(const struct job *job)
{
    const int64_t samples = row_samples(job->src);

    if (!job->large && samples * job->src.height < FP16_LEAST_SAMPLES)
        return false;
    if (!axes_are_equal(job) || job->src.sample_bytes != 1 || job->halo < 2 ||
        job->halo > FP16_MAX_HALO || (job->src.channels > 4 && fp16_planes(job) > 1) ||
        !sums_to_one(job) || samples < 16 || samples > INT32_MAX / 2 ||
        job->src.height > INT32_MAX / 2)
        return false;
    return attribute_of_device(cudaDevAttrComputeCapabilityMajor) == 9 &&
           attribute_of_device(cudaDevAttrComputeCapabilityMinor) == 0;
}

/* And whether it lies where the TMA can fetch it. */
static inline bool fp16_serves(const struct job *job)
{
    return fp16_before(job) > 0 && job->src.stride_bytes % 16 == 0 && aligned_view(&job->dst, 16) &&
           fp16_would_serve(job);
}

static inline CUtensorMapSwizzle swizzle_of(bool lines)
{
    return lines ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE;
}

template <class Shape>
static const char *launch_fp16(const struct job *job, const fp16_filter &filter,
                               fp16_scratch *scratch, unresolved_list *list)
{
    const int segment_rows = fp16_segment_rows(job);
    const int halo = (int)job->halo, channels = job->src.channels;
    const struct view *src = &job->src, *dst = &job->dst;
    const int64_t samples = row_samples(*dst);
    const int beyond = Shape::before - halo * channels; /* what it loads but does not need */
    const int left = beyond / 16 * 16, before = Shape::before - left;
    char *corner = (char *)src->origin - halo * src->stride_bytes - before;
    const int64_t wide = before + samples + halo * channels, high = src->height + 2 * halo;
    const dim3 grid((unsigned)fp16_column_blocks(job),
                    (unsigned)blocks_for(dst->height, segment_rows));
    const size_t shared_bytes = sizeof(fp16_memory<Shape>) + 1024;
    const int64_t whole = samples / 16 * 16;
    const fp16_tail tail = {static_cast<uint8_t *>(dst->origin) + whole, dst->stride_bytes, whole,
                            (int)(samples - whole)};
    fp16_maps maps;

    if (!make_map(&maps.in, corner, wide, high, src->stride_bytes, Shape::in_box, GROUP_ROWS,
                  swizzle_of(Shape::planes == 1)) ||
        (Shape::side_row > 0 && !make_map(&maps.side, corner, wide, high, src->stride_bytes,
                                          Shape::side_row, GROUP_ROWS, swizzle_of(false))) ||
        !make_map(&maps.out, dst->origin, whole, dst->height, dst->stride_bytes, Shape::out_box,
                  ROUND_ROWS, swizzle_of(Shape::planes != 3)))
        return "the driver cannot describe the image to the GPU's copy unit";
    cudaFuncSetAttribute(fused_fp16<Shape>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         (int)shared_bytes);
    LAUNCH_NEXT((fused_fp16<Shape>), grid, Shape::threads, shared_bytes, job->stream, maps,
                filter.tables, filter.bytes, tail, halo, channels, left, samples, dst->height,
                segment_rows, &scratch->progress, scratch->dense, list, list_capacity(job));
    return launched();
}

#define FP16_HALOS 5 /* to 4, 5, 8, 12, 16 */
#define FP16_SHAPES (6 * FP16_HALOS)

/* The number of the shape that serves the halo, the channels and the place of the rows. */
static inline int fp16_shape_of(const struct job *job)
{
    const int64_t halo = job->halo;
    const int by_halo = halo <= 4 ? 0 : halo <= 5 ? 1 : halo <= 8 ? 2 : halo <= 12 ? 3 : 4;
    const int planes = fp16_planes(job);
    const int kind = planes > 1              ? 1 + planes
                     : job->src.channels > 1 ? 2
                     : fp16_before(job) > 8  ? 1
                                             : 0;

    return kind * FP16_HALOS + by_halo;
}

typedef const char *(*fp16_launch)(const struct job *, const fp16_filter &, fp16_scratch *,
                                   unresolved_list *);

/* By kind and halo. There is none for halos that a kind does not have. */
static constexpr fp16_launch fp16_launches[FP16_SHAPES] = {
    /* one channel, rows that begin 8 bytes off 16 */
    launch_fp16<fp16_shape<2, 2, false>>, launch_fp16<fp16_shape<3, 2, false>>,
    launch_fp16<fp16_shape<3, 3, false>>, NULL, NULL,
    /* one channel, rows that begin at 16 */
    launch_fp16<fp16_shape<2, 2, true>>, launch_fp16<fp16_shape<3, 2, true>>,
    launch_fp16<fp16_shape<3, 3, true>>, launch_fp16<fp16_shape<4, 3, true>>,
    launch_fp16<fp16_shape<5, 3, true>>,
    /* taps a pixel apart */
    launch_fp16<fp16_shape<2, 2, true, true>>, launch_fp16<fp16_shape<3, 2, true, true>>,
    launch_fp16<fp16_shape<3, 3, true, true>>, NULL, NULL,
    /* two planes */
    NULL, NULL, NULL, launch_fp16<fp16_shape<4, 3, true, false, 2>>,
    launch_fp16<fp16_shape<5, 3, true, false, 2>>,
    /* three */
    NULL, NULL, launch_fp16<fp16_shape<3, 3, false, false, 3>>,
    launch_fp16<fp16_shape<4, 3, true, false, 3>>, launch_fp16<fp16_shape<5, 3, true, false, 3>>,
    /* four */
    NULL, launch_fp16<fp16_shape<3, 2, false, false, 4>>,
    launch_fp16<fp16_shape<3, 3, false, false, 4>>, launch_fp16<fp16_shape<4, 3, true, false, 4>>,
    launch_fp16<fp16_shape<5, 3, true, false, 4>>};

#endif
