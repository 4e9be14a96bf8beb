/* SPDX-License-Identifier: MIT */
/* Idea:         a block reads a piece of a row, turns it round in shared memory, and writes it
 *               forwards.
 *
 * Mends:        coalesced's backward stores. On GPUs that minded the order of the lanes (before
 *               2010) that was the point; on today's it shows that the order no longer matters.
 *
 * Still slow:   as coalesced: one element a lane and access. */
#include "kernels/common/elements.cuh"

#define THREADS 256
#define MOST_SHARED_BYTES (48 * 1024) /* what every GPU gives a block without being asked */

/* Blocks take `piece` pixels of a row each; the last piece of a row may be shorter. */
template <typename T>
__global__ void __launch_bounds__(THREADS)
    reverse_shared(const view src, const view dst, const int32_t per_pixel, const int piece)
{
    DYN_SHARED(T, turned);
    const int64_t x = (int64_t)blockIdx.x * piece;
    const int pixels = src.width - x < piece ? (int)(src.width - x) : piece;
    const int elements = pixels * per_pixel;

    for (int64_t y = blockIdx.y; y < src.height; y += gridDim.y) {
        const T *from = row_of<const T>(src, y) + x * per_pixel;
        T *to = row_of<T>(dst, src.height - 1 - y) + (src.width - x - pixels) * per_pixel;

        for (int e = threadIdx.x; e < elements; e += THREADS)
            turned[(pixels - 1 - e / per_pixel) * per_pixel + e % per_pixel] = from[e];
        __syncthreads();
        for (int e = threadIdx.x; e < elements; e += THREADS)
            to[e] = turned[e];
        __syncthreads(); /* before the piece is filled again */
    }
}

static int piece_of(const struct elements *elements)
{
    return elements->per_pixel < THREADS ? THREADS / elements->per_pixel : 1;
}

static size_t shared_bytes_of(const struct elements *elements)
{
    return (size_t)piece_of(elements) * (size_t)elements->per_pixel * (size_t)elements->bytes;
}

static const char *refuses(const struct job *job)
{
    const struct elements elements = elements_of(job);

    return shared_bytes_of(&elements) > MOST_SHARED_BYTES
               ? "a pixel has more than the 48 KiB of shared memory that a block may have"
               : NULL;
}

static const char *run(const struct job *job)
{
    const struct elements elements = elements_of(job);
    const int piece = piece_of(&elements);
    const dim3 grid = grid_over(blocks_for(job->src.width, piece), job->src.height, dim3(1, 1));

    LAUNCH_FOR_ELEMENTS(reverse_shared, elements.bytes, grid, dim3(THREADS),
                        shared_bytes_of(&elements), job->stream, job->src, job->dst,
                        elements.per_pixel, piece);
    return launched();
}

DEFINE_VARIANT(reverse_shared) = {
    .op = OP_REVERSE,
    .name = "shared",
    .backend = ON_GPU,
    .reference = false,
    .description = "pieces of rows turned round in shared memory",
    .refuses = refuses,
    .scratch_bytes = NULL,
    .run = run,
    .src_phase = NULL,
};
