/* SPDX-License-Identifier: MIT */
/* The copies of fused_fp16 by the TMA (tensor memory accelerator). The helping warps are those that
 * load and store (shape.cuh); lane 0 of the first one starts the loads of boxes of the image and
 * the stores of boxes of outputs. A box is a rectangle that one copy moves; the TMA can swizzle it
 * (swizzled() in shape.cuh).
 *
 * The ring buffer in shared memory has slots for groups of 16 rows. A round is 32 rows of
 * outputs. */
#ifndef SMOOTHIMG_FUSED_FP16_BULK_CUH
#define SMOOTHIMG_FUSED_FP16_BULK_CUH

#include "kernels/smooth/fused/fp16/transport/lanes.cuh"

#include <atomic>

/* Starts the load of the 16 rows of group `group` into the slot of the ring buffer, by the lanes if
 * the GPU has no TMA or the group reaches an end of the image. In a block that reaches an
 * end of the image all lanes of the helping warps call it, in others only the lanes that copy
 * (help() in kernel.cuh). */
template <class Shape>
__device__ __forceinline__ void load_group(fp16_memory<Shape> &memory, const fp16_maps &maps,
                                           const source &src, const fp16_work &work, int group,
                                           int slot, int helper, int lane)
{
    const uint32_t full = shared_address(&memory.full[slot]);
    const int64_t top = work.row - work.halo + (int64_t)group * GROUP_ROWS;
    const int64_t end = min(top + GROUP_ROWS, work.height + work.halo);
    /* The group has rows or columns outside the image, for which the edge rule applies. */
    const bool at_end = work.at_end && (work.at_side || !source_has_rows(src, top, end - 1));
    const int x = work.column - Shape::before + maps.left, y = (int)top + maps.above;

    if (!Shape::bulk || at_end) {
        load_by_lanes<Shape>(memory, src, top, slot, helper);
        return;
    }
    if (work.at_end) {
        barrier_arrive(full);
        if (lane != 0 || helper != 0) {
            barrier_arrive(full);
            return;
        }
        fence_for_tma(); /* the copies come after the lanes' own stores into the slot */
    }
    barrier_expect(full, Shape::in_bytes + Shape::side_bytes);
#pragma unroll
    for (int column = 0; column < Shape::in_row; column += Shape::in_box)
        tile_load(shared_address(memory.in[slot]) + (uint32_t)(column * GROUP_ROWS), &maps.in,
                  x + column, y, full);
    if constexpr (Shape::side_bytes > 0)
        tile_load(shared_address(memory.side[slot]), &maps.side, x + Shape::columns, y, full);
}

/* Starts the store of the round's outputs, except the last samples of a row that do not fill 16
 * bytes (store_tail()). */
template <class Shape>
__device__ __forceinline__ void store_by_tma(fp16_memory<Shape> &memory, const fp16_maps &maps,
                                             const fp16_work &work, int round, int buffer)
{
#pragma unroll
    for (int column = 0; column < Shape::columns; column += Shape::out_box)
        tile_store(&maps.out, work.column + column, work.row + round * ROUND_ROWS,
                   shared_address(memory.out[buffer]) + (uint32_t)(column * ROUND_ROWS));
    tile_stores_commit();
}

typedef CUresult (*encode_map)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                               const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                               const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                               CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

/* Returns the driver's function that encodes tensor maps, or NULL if the driver lacks it. */
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

/* Makes a tensor map, the TMA's description of an image, of `rows` rows of `width` bytes. Returns
 * false if the driver refuses. */
static inline bool make_map(CUtensorMap *map, void *base, int64_t width, int64_t rows,
                            int64_t stride, uint32_t box_width, uint32_t box_rows, bool swizzled)
{
    static std::atomic<encode_map> known; /* the query takes longer than encoding a map */
    encode_map encode = known;
    const cuuint64_t sizes[2] = {(cuuint64_t)width, (cuuint64_t)rows};
    const cuuint64_t strides[1] = {(cuuint64_t)stride};
    const cuuint32_t box[2] = {box_width, box_rows}, steps[2] = {1, 1};

    if (!encode)
        known = encode = find_encode_map();
    return encode && encode(map, CU_TENSOR_MAP_DATA_TYPE_UINT8, 2, base, sizes, strides, box, steps,
                            CU_TENSOR_MAP_INTERLEAVE_NONE,
                            swizzled ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE,
                            CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                            CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

static inline int64_t row_samples(const struct view &view)
{
    return view.width * view.channels;
}

/* Makes the TMA's descriptions (tensor maps) of the outputs, and of the part of the image that
 * exists and is needed. Returns NULL, or what failed. */
template <class Shape>
static const char *describe_images(const struct piece *piece, fp16_maps *maps)
{
    const struct view *src = &piece->src, *dst = &piece->dst;
    const int64_t channels = src->channels, whole = row_samples(*dst) / UNIT * UNIT;
    const int64_t left =
        blocks_for(min(piece->beside.left, piece->request->halo) * channels, UNIT) * UNIT;
    const int64_t above = min(piece->beside.above, piece->request->halo);
    const int64_t width =
        left + row_samples(*src) + min(piece->beside.right, piece->request->halo) * channels;
    const int64_t rows = above + src->height + min(piece->beside.below, piece->request->halo);
    char *corner = static_cast<char *>(src->origin) - above * src->stride_bytes - left;

    maps->left = (int)left;
    maps->above = (int)above;
    if (!make_map(&maps->in, corner, width, rows, src->stride_bytes, Shape::in_box, GROUP_ROWS,
                  Shape::planes == 1) ||
        (Shape::side_row > 0 && !make_map(&maps->side, corner, width, rows, src->stride_bytes,
                                          Shape::side_row, GROUP_ROWS, false)) ||
        !make_map(&maps->out, dst->origin, whole, dst->height, dst->stride_bytes, Shape::out_box,
                  ROUND_ROWS, Shape::planes != 3))
        return "the driver cannot describe the image to the GPU's copy unit";
    return NULL;
}

#endif
