/* SPDX-License-Identifier: MIT */
/* C = A + B with a two-dimensional block, which can be laid over a matrix in two ways. Threads are
 * numbered with x first: threadIdx.x should be the index that is next to its neighbour in memory.
 *
 * Mended: the original's timing waits for nothing (`cuda.synchronize` without parentheses); and the
 * mapping [x][y] gets a grid that is turned with it, whose y runs over the columns and may be
 * short: the kernels loop, since a grid has 65535 blocks in y at most. */
#include "experiment.cuh"

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

static void shape(const struct experiment *, const struct lab_size *size, struct lab_shape *shape)
{
    for (int i = 0; i < 2; i++)
        shape->in[i] = lab_numbers(LAB_F32, lab_elements(size), -8000000, 8000000);
    shape->out = lab_results(LAB_F32, lab_elements(size));
}

static const char *run_yx(const struct lab_job *job)
{
    const int edge = lab_edge(&job->size, EDGE);
    const dim3 block(edge, edge);

    LAUNCH(matrix_add_yx, grid_over(job->size.width, job->size.height, block), block, 0,
           job->stream, lab_in<float>(job, 0), lab_in<float>(job, 1), lab_out<float>(job),
           job->size.width, job->size.height);
    return launched();
}

static const char *run_xy(const struct lab_job *job)
{
    const int edge = lab_edge(&job->size, EDGE);
    const dim3 block(edge, edge);

    LAUNCH(matrix_add_xy, grid_over(job->size.height, job->size.width, block), block, 0,
           job->stream, lab_in<float>(job, 0), lab_in<float>(job, 1), lab_out<float>(job),
           job->size.width, job->size.height);
    return launched();
}

static void reference(const struct lab_job *job)
{
    for (int64_t i = 0; i < job->out.count; i++)
        lab_out<float>(job)[i] = lab_in<float>(job, 0)[i] + lab_in<float>(job, 1)[i];
}

static void work(const struct experiment *, const struct lab_size *size, struct lab_work *work)
{
    const double count = (double)lab_elements(size);

    *work = {.useful_bytes = 12 * count, .asked_bytes = 12 * count, .flops = count};
}

template <auto KERNEL>
static void geometry(const struct experiment *, const struct lab_size *size,
                     struct lab_geometry *geometry)
{
    const int edge = lab_edge(size, EDGE);

    *geometry = {(const void *)KERNEL, edge * edge, 0};
}

#define ROW(NAME, MAPPING, SHOWS)                                                                  \
    {                                                                                              \
        .group = "matrix-add", .row = NAME, .shows = SHOWS, .parameter = 0,                        \
        .profile = LAB_NO_PROFILE, .place = ON_GPU, .refuses = lab_refuses_block, .shape = shape,  \
        .run = run_##MAPPING, .reference = reference, .bound = NULL, .work = work,                 \
        .geometry = geometry<matrix_add_##MAPPING>                                                 \
    }

DEFINE_EXPERIMENTS(matrix_add) = {
    ROW("[x][y]", xy,
        "x goes down the rows: a warp's load touches 32 rows, and as many sectors; the block's "
        "other warps use the rest of them from the L1 cache, stores have no such help."),
    ROW("[y][x]", yx, "x goes along a row, as memory does: 4 sectors a load."),
    {}};
