/* SPDX-License-Identifier: MIT */
/* Launches of fused_fp16: the GPUs that have it, tables, and shapes by halo. */
#ifndef SMOOTHIMG_FUSED_FP16_LAUNCH_CUH
#define SMOOTHIMG_FUSED_FP16_LAUNCH_CUH

#include "kernels/smooth/fused/int8/launch.cuh"
#include "kernels/smooth/fused/fp16/kernel.cuh"

/* In scratch. fused_int8 computes the dense blocks again. */
struct fp16_scratch {
    fp16_progress progress;
    uint8_t dense[1]; /* one byte for each thread block */
};

/* Outputs of a thread block in a row. */
static inline int fp16_columns(const struct request *request)
{
    return fp16_planes(request) == 3 ? fp16_shape<fp16_bulk, 3, 3, false, false, 3>::columns
                                     : fp16_shape<fp16_bulk, 3, 3, false>::columns;
}

static inline int64_t fp16_column_blocks(const struct request *request)
{
    return blocks_for(row_samples(request->dst), fp16_columns(request));
}

/* __CUDA_ARCH__ of the code that the GPU runs: the newest that nvcc compiled, up to the GPU's
 * capability. The emulated device's code is compiled for all. */
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

/* True if the TMA makes the copies. */
static inline bool fp16_uses_tma()
{
    return fp16_bulk::is_compiled_for(code_of_device());
}

/* True if this GPU has a transport and adds as fp16/bound.cuh assumes: 8.0 to 9.0. */
static inline bool fp16_runs_here()
{
    return attribute_of_device(cudaDevAttrComputeCapabilityMajor) <= 9 &&
           (fp16_uses_tma() || fp16_async::is_compiled_for(code_of_device()));
}

/* Thread blocks on an SM. Asserted below to be those of fp16_shape. */
static constexpr int fp16_resident(int64_t halo, bool tma)
{
    return halo <= 5 && tma ? 4 : halo <= 8 ? 3 : 2;
}

/* Rows of a thread block: enough to outweigh the 2 halo rows that it only reads, and few enough
 * that all blocks of a smaller image run at once. The constants were the fastest on an H200:
 * NOTES.md. */
static inline int fp16_segment_rows(const struct request *request)
{
    const int resident = fp16_resident(request->halo, fp16_uses_tma());
    const int64_t processors = attribute_of_device(cudaDevAttrMultiProcessorCount);
    const int64_t most = request->halo > 8 ? 1024 : 768, at_once = processors * resident;
    const int64_t share =
        blocks_for(request->dst.height, max(at_once / fp16_column_blocks(request), (int64_t)1));
    const int64_t least = blocks_for(request->dst.height, most_blocks_down());

    return (int)(blocks_for(max(min(most, share), least), ROUND_ROWS) * ROUND_ROWS);
}

static inline int64_t fp16_blocks(const struct request *request)
{
    return fp16_column_blocks(request) *
           blocks_for(request->dst.height, fp16_segment_rows(request));
}

/* Bytes, in whole words. */
static inline size_t fp16_scratch_bytes(const struct request *request)
{
    return sizeof(struct fp16_scratch) + (size_t)blocks_for(fp16_blocks(request), 4) * 4;
}

/* Clears the counters and the dense bytes. */
static __global__ void begin_fp16(uint32_t *words, const int count)
{
    const int word = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    let_next_kernel_come();
    if (word < count)
        words[word] = 0;
}

/* Returns why it cannot compute integers at any address (fp16/shape.cuh), or NULL. */
static inline const char *fp16_refuses_shape(const struct request *request)
{
    const int64_t samples = row_samples(request->src);

    if (!axes_are_equal(request) || request->src.sample_bytes != 1 || request->halo < 2 ||
        request->halo > FP16_MAX_HALO || (request->src.channels > 4 && fp16_planes(request) > 1) ||
        !sums_to_one(request) || samples < 16 || samples > INT32_MAX / 2 ||
        request->src.height > INT32_MAX / 2)
        return "channels, halos or weights are not for it";
    return fp16_runs_here() ? NULL : "this GPU does not add half floats as it must";
}

template <class Shape>
static const char *launch_fp16(const struct piece *piece, const fp16_filter &filter)
{
    fp16_scratch *const scratch = static_cast<fp16_scratch *>(piece->scratch);
    const int segment_rows = fp16_segment_rows(piece->request);
    const int64_t samples = row_samples(piece->dst);
    const dim3 grid((unsigned)fp16_column_blocks(piece->request),
                    (unsigned)blocks_for(piece->dst.height, segment_rows));
    const size_t shared_bytes = sizeof(fp16_memory<Shape>) + Shape::transport::alignment;
    const int64_t whole = samples / UNIT * UNIT;
    const fp16_tail tail = {static_cast<uint8_t *>(piece->dst.origin) + whole,
                            piece->dst.stride_bytes, whole, (int)(samples - whole)};
    typename Shape::transport images;
    const char *failure = describe_images<Shape>(piece, &images);

    if (failure)
        return failure;
    cudaFuncSetAttribute(fused_fp16<Shape>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         (int)shared_bytes);
    LAUNCH_NEXT((fused_fp16<Shape>), grid, Shape::threads, shared_bytes, piece->stream, images,
                source_of(piece), filter.tables, filter.bytes,
                two_axes_of<FP16_MAX_HALO>(piece->request), tail, (int)piece->request->halo,
                segment_rows, &scratch->progress, scratch->dense);
    return launched();
}

#define FP16_HALOS 5 /* one for halos up to each of 4, 5, 8, 12, 16 */
#define FP16_SHAPES (5 * FP16_HALOS)

/* The number of the shape for the halo and the channels. */
static inline int fp16_shape_of(const struct request *request)
{
    const int64_t halo = request->halo;
    const int by_halo = halo <= 4 ? 0 : halo <= 5 ? 1 : halo <= 8 ? 2 : halo <= 12 ? 3 : 4;
    const int planes = fp16_planes(request);
    const int kind = planes > 1 ? planes : request->src.channels > 1 ? 1 : 0;

    return kind * FP16_HALOS + by_halo;
}

/* Checks that the tables and the rows of a block suit the shapes of these halos. */
template <int BLOCKS, int DIGITS>
static constexpr bool fp16_shape_is_of(int64_t least_halo, int64_t most_halo)
{
    typedef fp16_shape<fp16_bulk, BLOCKS, DIGITS, false> bulk;
    typedef fp16_shape<fp16_async, BLOCKS, DIGITS, false> async;

    for (int64_t halo = least_halo; halo <= most_halo; halo++)
        if (fp16_adds_late(halo) != bulk::late || fp16_adds_late(halo) != async::late ||
            fp16_resident(halo, true) != bulk::resident ||
            fp16_resident(halo, false) != async::resident || halo > bulk::most_halo)
            return false;
    return true;
}

static_assert(fp16_shape_is_of<2, 2>(2, 4) && fp16_shape_is_of<3, 2>(5, 5) &&
                  fp16_shape_is_of<3, 3>(6, 8) && fp16_shape_is_of<4, 3>(9, 12) &&
                  fp16_shape_is_of<5, 3>(13, FP16_MAX_HALO),
              "as fp16_shape_of() and fp16_launches choose");

typedef const char *(*fp16_launch)(const struct piece *, const fp16_filter &);

/* By kind and halo; NULL where a kind has no shape for a halo. */
template <class Transport>
static constexpr fp16_launch fp16_launches[FP16_SHAPES] = {
    /* one channel */
    launch_fp16<fp16_shape<Transport, 2, 2, false>>,
    launch_fp16<fp16_shape<Transport, 3, 2, false>>,
    launch_fp16<fp16_shape<Transport, 3, 3, false>>, launch_fp16<fp16_shape<Transport, 4, 3, true>>,
    launch_fp16<fp16_shape<Transport, 5, 3, true>>,
    /* taps a pixel apart */
    launch_fp16<fp16_shape<Transport, 2, 2, true, true>>,
    launch_fp16<fp16_shape<Transport, 3, 2, true, true>>,
    launch_fp16<fp16_shape<Transport, 3, 3, true, true>>, NULL, NULL,
    /* two planes */
    NULL, NULL, NULL, launch_fp16<fp16_shape<Transport, 4, 3, true, false, 2>>,
    launch_fp16<fp16_shape<Transport, 5, 3, true, false, 2>>,
    /* three */
    NULL, NULL, launch_fp16<fp16_shape<Transport, 3, 3, false, false, 3>>,
    launch_fp16<fp16_shape<Transport, 4, 3, true, false, 3>>,
    launch_fp16<fp16_shape<Transport, 5, 3, true, false, 3>>,
    /* four */
    NULL, launch_fp16<fp16_shape<Transport, 3, 2, false, false, 4>>,
    launch_fp16<fp16_shape<Transport, 3, 3, false, false, 4>>,
    launch_fp16<fp16_shape<Transport, 4, 3, true, false, 4>>,
    launch_fp16<fp16_shape<Transport, 5, 3, true, false, 4>>};

/* Launches the shape for the piece. Returns NULL, or what failed. */
static inline const char *launch_fp16_shape(const struct piece *piece, const fp16_filter &filter)
{
    const fp16_launch *launches =
        fp16_uses_tma() ? fp16_launches<fp16_bulk> : fp16_launches<fp16_async>;

    return launches[fp16_shape_of(piece->request)](piece, filter);
}

#endif
