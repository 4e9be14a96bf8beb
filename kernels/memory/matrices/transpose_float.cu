/* SPDX-License-Identifier: MIT */
/* Look at how many sectors (of 32 bytes) a warp's store touches: 32 without a tile, 4 with a tile.
 * Then look at the banks of shared memory: a tile of 32 x 32 has 32-way conflicts, a padded tile
 * has none.
 *
 * The kernels transpose a matrix of floats on the GPU: element by element in global memory, through
 * a tile in shared memory, or through a padded tile. The experiments on the CPU are in
 * transpose_float_cpu.c.
 *
 * Easily wrong: tiles at the edges, where the size is no multiple of 32. One column of padding is
 * right for tiles of 32 only: tiles of 16 x 16 still conflict two ways. A course's pass mark, 840
 * microseconds for 4096 x 4096, is 160 GB/s, which every experiment reaches on today's GPUs. So
 * compare with a device copy instead. */
#include "kernels/memory/experiment.cuh"

#define EDGE 32

__global__ void __launch_bounds__(MAX_BLOCK_THREADS)
    transpose_float(const float *__restrict__ in, float *__restrict__ out, int64_t width,
                    int64_t height)
{
    const int64_t x = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (x >= width)
        return;
    for (int64_t y = (int64_t)blockIdx.y * blockDim.y + threadIdx.y; y < height;
         y += (int64_t)gridDim.y * blockDim.y)
        out[x * height + y] = in[y * width + x];
}

/* pitch: elements from one row of the tile to the next; the block is as large as the tile. */
__global__ void __launch_bounds__(MAX_BLOCK_THREADS)
    transpose_float_tile(const float *__restrict__ in, float *__restrict__ out, int64_t width,
                         int64_t height, int pitch)
{
    DYN_SHARED(float, tile);
    const int edge = blockDim.x, i = threadIdx.x, j = threadIdx.y;
    const int64_t x = (int64_t)blockIdx.x * edge;

    for (int64_t y = (int64_t)blockIdx.y * edge; y < height; y += (int64_t)gridDim.y * edge) {
        if (x + i < width && y + j < height)
            tile[j * pitch + i] = in[(y + j) * width + x + i];
        __syncthreads();
        if (y + i < height && x + j < width)
            out[(x + j) * height + y + i] = tile[i * pitch + j];
        __syncthreads(); /* before the tile is filled again */
    }
}

static const char *run_plain(const struct experiment_job *job)
{
    const int edge = block_edge(&job->size, EDGE);
    const dim3 block(edge, edge);

    LAUNCH(transpose_float, grid_over(job->size.width, job->size.height, block), block, 0,
           job->stream, input<float>(job, 0), output<float>(job), job->size.width,
           job->size.height);
    return launched();
}

/* The experiment's parameter is the padding: elements added to each row of the tile. */
static size_t tile_bytes(const struct experiment *row, const struct problem_size *size)
{
    const int edge = block_edge(size, EDGE);

    return sizeof(float) * (size_t)(edge * (edge + (int)row->parameter));
}

static const char *run_tile(const struct experiment_job *job)
{
    const int edge = block_edge(&job->size, EDGE);
    const dim3 block(edge, edge);

    LAUNCH(transpose_float_tile, grid_over(job->size.width, job->size.height, block), block,
           tile_bytes(job->row, &job->size), job->stream, input<float>(job, 0), output<float>(job),
           job->size.width, job->size.height, edge + (int)job->row->parameter);
    return launched();
}

static void reference(const struct experiment_job *job)
{
    const int64_t width = job->size.width, height = job->size.height;

    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++)
            output<float>(job)[x * height + y] = input<float>(job, 0)[y * width + x];
}

#define ROW(NAME, FORM, GEOMETRY, PADDING, SHOWS)                                                  \
    {                                                                                              \
        .group = "transpose-float", .row = NAME, .shows = SHOWS, .parameter = PADDING,             \
        .place = ON_GPU, .refuses = refuses_block, .shape = float_arrays<1>, .run = run_##FORM,    \
        .reference = reference, .work = elementwise_work<8, 0>, .geometry = GEOMETRY               \
    }

DEFINE_EXPERIMENTS(transpose_float) = {
    ROW("global", plain, (square_geometry<transpose_float, EDGE>), 0,
        "Loads are coalesced, 4 sectors a load; stores are not, 32 sectors a store, of which each "
        "is filled to an eighth."),
    ROW("tile", tile, (square_geometry<transpose_float_tile, EDGE, tile_bytes>), 0,
        "Both ways are coalesced, 4 sectors a load and 4 sectors a store; the turn is in shared "
        "memory, where a column of a tile of 32 is in one bank: it is read 32-way, in 32 passes."),
    ROW("padded tile", tile, (square_geometry<transpose_float_tile, EDGE, tile_bytes>), 1,
        "A pitch of 33 spreads the column over all banks: 1-way, the conflicts are gone."),
    {}};
