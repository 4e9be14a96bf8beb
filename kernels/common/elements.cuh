/* SPDX-License-Identifier: MIT */
/* Transpose and reverse move pixels whatever their samples mean. An aligned pixel of 1, 2, 4 or 8
 * bytes moves as one element; other pixels move sample by sample. */
#ifndef SMOOTHIMG_ELEMENTS_CUH
#define SMOOTHIMG_ELEMENTS_CUH

#include "kernels/common/launch.cuh"

struct elements {
    int bytes;         /* size of an element: 1, 2, 4 or 8 */
    int32_t per_pixel; /* elements in a pixel: 1, or the number of channels */
};

static inline bool aligned_view(const struct view *view, int64_t bytes)
{
    return (uintptr_t)view->origin % (uintptr_t)bytes == 0 && view->stride_bytes % bytes == 0;
}

static inline struct elements elements_of(const view &src, const view &dst)
{
    const int64_t pixel_bytes = (int64_t)src.channels * src.sample_bytes;
    const bool power_of_two = (pixel_bytes & (pixel_bytes - 1)) == 0;

    if (pixel_bytes <= 8 && power_of_two && aligned_view(&src, pixel_bytes) &&
        aligned_view(&dst, pixel_bytes))
        return {(int)pixel_bytes, 1};
    return {src.sample_bytes, src.channels};
}

/* Launches the instance of the kernel template for elements of `bytes` bytes. */
#define LAUNCH_FOR_ELEMENTS(KERNEL, BYTES, GRID, BLOCK, SHARED_BYTES, STREAM, ...)                 \
    switch (BYTES) {                                                                               \
    case 1:                                                                                        \
        LAUNCH(KERNEL<uint8_t>, GRID, BLOCK, SHARED_BYTES, STREAM, __VA_ARGS__);                   \
        break;                                                                                     \
    case 2:                                                                                        \
        LAUNCH(KERNEL<uint16_t>, GRID, BLOCK, SHARED_BYTES, STREAM, __VA_ARGS__);                  \
        break;                                                                                     \
    case 4:                                                                                        \
        LAUNCH(KERNEL<uint32_t>, GRID, BLOCK, SHARED_BYTES, STREAM, __VA_ARGS__);                  \
        break;                                                                                     \
    default:                                                                                       \
        LAUNCH(KERNEL<uint64_t>, GRID, BLOCK, SHARED_BYTES, STREAM, __VA_ARGS__);                  \
    }

#endif
