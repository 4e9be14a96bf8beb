/* SPDX-License-Identifier: MIT */
// clang-format off
/* Idea:         a thread loads 16 bytes at a time, reverses them in registers, and writes 16 bytes.
 * Fixes:        shared.cu moves only one element for each lane: here a warp's load moves 512 bytes,
 *               and four loads are in flight. (To use 4 TB/s at a latency of 0.7 microseconds, each
 *               of an H200's multiprocessors needs 21 KB in flight.)
 * Still slow:   only the memory limits it. If a row is no multiple of 16 bytes long, 16 bytes of
 *               the result come from two aligned units; the L1 cache has the second one already. */
// clang-format on
#include "kernels/common/elements.cuh"

#define THREADS 256
#define UNITS 4 /* units of 16 bytes for each thread */

/* Returns the 16 bytes that begin at byte `shift` of two adjacent units of 16 bytes. All threads of
 * a row have the same shift, so no warp diverges. */
__device__ __forceinline__ uint4 join(const uint4 &first, const uint4 &second, int shift)
{
    uint32_t words[8] = {first.x,  first.y,  first.z,  first.w,
                         second.x, second.y, second.z, second.w};
    uint32_t joined[4];

#pragma unroll
    for (int i = 0; i < 7; i++)
        words[i] = shift & 4 ? words[i + 1] : words[i];
#pragma unroll
    for (int i = 0; i < 5; i++)
        words[i] = shift & 8 ? words[i + 2] : words[i];
#pragma unroll
    for (int i = 0; i < 4; i++)
        joined[i] = __funnelshift_r(words[i], words[i + 1], shift % 4 * 8);
    return make_uint4(joined[0], joined[1], joined[2], joined[3]);
}

/* Reverses the order of the elements of type T in 16 bytes. */
template <typename T> __device__ __forceinline__ uint4 turned(const uint4 &unit)
{
    if (sizeof(T) == 8)
        return make_uint4(unit.z, unit.w, unit.x, unit.y);
    if (sizeof(T) == 4)
        return make_uint4(unit.w, unit.z, unit.y, unit.x);
    const uint32_t order = sizeof(T) == 2 ? 0x1032 : 0x0123; /* byte order within a word */

    return make_uint4(__byte_perm(unit.w, 0, order), __byte_perm(unit.z, 0, order),
                      __byte_perm(unit.y, 0, order), __byte_perm(unit.x, 0, order));
}

/* Reverses the block's part of a row of `width` elements. If the row's length is no multiple of 16
 * bytes, the last bytes of the target's row are copied element by element. */
template <typename T>
__device__ __forceinline__ void reverse_row(T *to, const T *from, int64_t width)
{
    const int64_t bytes = width * (int64_t)sizeof(T), whole = bytes / 16;
    const int64_t first = (int64_t)blockIdx.x * (THREADS * UNITS) + threadIdx.x;
    const int shift = (int)(bytes % 16);
    const uint4 *units = reinterpret_cast<const uint4 *>(from);
    uint4 left[UNITS], right[UNITS];

#pragma unroll
    for (int i = 0; i < UNITS; i++) {
        const int64_t unit = first + i * THREADS;

        left[i] = right[i] = make_uint4(0, 0, 0, 0);
        if (unit < whole) {
            left[i] = units[whole - 1 - unit];
            if (shift)
                right[i] = units[whole - unit];
        }
    }
#pragma unroll
    for (int i = 0; i < UNITS; i++) {
        const int64_t unit = first + i * THREADS;

        if (unit < whole)
            reinterpret_cast<uint4 *>(to)[unit] = turned<T>(join(left[i], right[i], shift));
        else if (unit == whole)
            for (int64_t e = 0; e < shift / (int)sizeof(T); e++)
                to[width - 1 - e] = from[e];
    }
}

template <typename T>
__global__ void __launch_bounds__(THREADS) reverse_vector(const view src, const view dst)
{
    for (int64_t y = blockIdx.y; y < src.height; y += gridDim.y)
        reverse_row(row_of<T>(dst, src.height - 1 - y), row_of<const T>(src, y), src.width);
}

/* The kernel for pixels of several elements, and for views that are not aligned to 16 bytes: a
 * thread moves one element. */
template <typename T>
__global__ void __launch_bounds__(THREADS)
    reverse_elements(const view src, const view dst, const int32_t per_pixel)
{
    const int64_t e = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    const int64_t x = e / per_pixel, channel = e % per_pixel;

    if (x >= src.width)
        return;
    for (int64_t y = blockIdx.y; y < src.height; y += gridDim.y)
        row_of<T>(dst, src.height - 1 - y)[(src.width - 1 - x) * per_pixel + channel] =
            row_of<const T>(src, y)[e];
}

static const char *run(const struct piece *piece)
{
    const struct elements elements = elements_of(piece->src, piece->dst);
    const int64_t row_bytes = piece->src.width * elements.per_pixel * elements.bytes;
    const dim3 row(1, 1), block(THREADS);

    if (elements.per_pixel == 1 && aligned_view(&piece->src, 16) && aligned_view(&piece->dst, 16)) {
        const dim3 grid = grid_over(blocks_for(blocks_for(row_bytes, 16), THREADS * UNITS),
                                    piece->src.height, row);

        LAUNCH_FOR_ELEMENTS(reverse_vector, elements.bytes, grid, block, 0, piece->stream,
                            piece->src, piece->dst);
    } else {
        const dim3 grid = grid_over(blocks_for(piece->src.width * elements.per_pixel, THREADS),
                                    piece->src.height, row);

        LAUNCH_FOR_ELEMENTS(reverse_elements, elements.bytes, grid, block, 0, piece->stream,
                            piece->src, piece->dst, elements.per_pixel);
    }
    return launched();
}

static const struct engine engine = {.name = "vector", .run = run};

DEFINE_VARIANT(reverse_vector) = {
    .op = OP_REVERSE,
    .name = "vector",
    .backend = ON_GPU,
    .description = "16 bytes a thread, turned in registers",
    .engines = &engine,
    .count = 1,
};
