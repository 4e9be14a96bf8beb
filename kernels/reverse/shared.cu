/* SPDX-License-Identifier: MIT */
// clang-format off
/* Idea:         a block reads a segment of a row, reverses it in shared memory, and writes it
 *               forwards.
 * Fixes:        coalesced.cu's backward stores. GPUs before 2010 coalesced accesses only if the
 *               lanes were in order. On today's GPUs this variant shows that the order no longer
 *               matters.
 * Still slow:   as in coalesced.cu, an access moves one element for each lane. */
// clang-format on
#include "kernels/common/elements.cuh"

#define THREADS 256
#define MOST_SHARED_BYTES (48 * 1024) /* a block's limit without cudaFuncSetAttribute() */

/* A segment is `length` pixels of a row; the last one of a row may be shorter. A block reverses the
 * segment number blockIdx.x of one row or, if the grid has fewer blocks than rows, of several. */
template <typename T>
__global__ void __launch_bounds__(THREADS)
    reverse_shared(const view src, const view dst, const int32_t per_pixel, const int length)
{
    DYN_SHARED(T, turned);
    const int64_t x = (int64_t)blockIdx.x * length;
    const int pixels = src.width - x < length ? (int)(src.width - x) : length;
    const int elements = pixels * per_pixel;

    for (int64_t y = blockIdx.y; y < src.height; y += gridDim.y) {
        const T *from = row_of<const T>(src, y) + x * per_pixel;
        T *to = row_of<T>(dst, src.height - 1 - y) + (src.width - x - pixels) * per_pixel;

        for (int e = threadIdx.x; e < elements; e += THREADS)
            turned[(pixels - 1 - e / per_pixel) * per_pixel + e % per_pixel] = from[e];
        __syncthreads();
        for (int e = threadIdx.x; e < elements; e += THREADS)
            to[e] = turned[e];
        __syncthreads(); /* before the next row overwrites the segment */
    }
}

/* Returns how many pixels a segment has: as many as THREADS elements hold, but at least one. */
static int segment_length(const struct elements *elements)
{
    return elements->per_pixel < THREADS ? THREADS / elements->per_pixel : 1;
}

static size_t shared_bytes_of(const struct elements *elements)
{
    return (size_t)segment_length(elements) * (size_t)elements->per_pixel * (size_t)elements->bytes;
}

static const char *refuses(const struct request *request)
{
    const struct elements elements = elements_of(request->src, request->dst);

    return shared_bytes_of(&elements) > MOST_SHARED_BYTES
               ? "a pixel has more than the 48 KiB of shared memory that a block may have"
               : NULL;
}

static const char *run(const struct piece *piece)
{
    const struct elements elements = elements_of(piece->src, piece->dst);
    const int length = segment_length(&elements);
    const dim3 grid =
        grid_over(blocks_for(piece->src.width, length), piece->src.height, dim3(1, 1));

    LAUNCH_FOR_ELEMENTS(reverse_shared, elements.bytes, grid, dim3(THREADS),
                        shared_bytes_of(&elements), piece->stream, piece->src, piece->dst,
                        elements.per_pixel, length);
    return launched();
}

static const struct engine engine = {.name = "shared", .refuses = refuses, .run = run};

DEFINE_VARIANT(reverse_shared) = {
    .op = OP_REVERSE,
    .name = "shared",
    .backend = ON_GPU,
    .description = "parts of rows reversed in shared memory",
    .engines = &engine,
    .count = 1,
};
