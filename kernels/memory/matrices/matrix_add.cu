/* SPDX-License-Identifier: MIT */
/* Look at which index comes from threadIdx.x: a warp's access touches 32 sectors (of 32 bytes) if
 * that index is the row, 4 if it is the column.
 *
 * The kernels compute C = A + B with two-dimensional blocks, which can be laid over a matrix in two
 * ways. Threads are numbered with x first, so threadIdx.x should be the index whose neighbours are
 * neighbours in memory.
 *
 * Easily wrong: the mapping [x][y] needs a transposed grid, whose y runs over the columns. A grid
 * has at most 65535 blocks in y, so the kernels loop. */
#include "kernels/memory/experiment.cuh"

#define EDGE 32

__global__ void __launch_bounds__(MAX_BLOCK_THREADS)
    matrix_add_yx(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c,
                  int64_t width, int64_t height)
{
    const int64_t column = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (column >= width)
        return;
    for (int64_t row = (int64_t)blockIdx.y * blockDim.y + threadIdx.y; row < height;
         row += (int64_t)gridDim.y * blockDim.y)
        c[row * width + column] = a[row * width + column] + b[row * width + column];
}

__global__ void __launch_bounds__(MAX_BLOCK_THREADS)
    matrix_add_xy(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c,
                  int64_t width, int64_t height)
{
    const int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (row >= height)
        return;
    for (int64_t column = (int64_t)blockIdx.y * blockDim.y + threadIdx.y; column < width;
         column += (int64_t)gridDim.y * blockDim.y)
        c[row * width + column] = a[row * width + column] + b[row * width + column];
}

/* X_ROWS: threadIdx.x and blockIdx.x give the row of the matrix; otherwise they give the column. */
template <auto KERNEL, bool X_ROWS> static const char *run(const struct experiment_job *job)
{
    const int edge = block_edge(&job->size, EDGE);
    const dim3 block(edge, edge);
    const int64_t width = job->size.width, height = job->size.height;

    LAUNCH(KERNEL, grid_over(X_ROWS ? height : width, X_ROWS ? width : height, block), block, 0,
           job->stream, input<float>(job, 0), input<float>(job, 1), output<float>(job), width,
           height);
    return launched();
}

static void reference(const struct experiment_job *job)
{
    for (int64_t i = 0; i < job->out.count; i++)
        output<float>(job)[i] = input<float>(job, 0)[i] + input<float>(job, 1)[i];
}

#define ROW(NAME, KERNEL, X_ROWS, SHOWS)                                                           \
    {                                                                                              \
        .group = "matrix-add", .row = NAME, .shows = SHOWS, .place = ON_GPU,                       \
        .refuses = refuses_block, .shape = float_arrays<2>, .run = run<KERNEL, X_ROWS>,            \
        .reference = reference, .work = elementwise_work<12, 1>,                                   \
        .geometry = square_geometry<KERNEL, EDGE>                                                  \
    }

DEFINE_EXPERIMENTS(matrix_add) = {
    ROW("[x][y]", matrix_add_xy, true,
        "x goes down the rows: 32 sectors a load; the block's other warps use the rest of them "
        "from "
        "the L1 cache. 32 sectors a store have no such help."),
    ROW("[y][x]", matrix_add_yx, false, "x goes along a row, as memory does: 4 sectors a load."),
    {}};
