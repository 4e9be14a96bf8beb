/* SPDX-License-Identifier: MIT */
/* Look at the flops for each byte that is loaded: 0.25 without tiles, 8 with tiles of 32. Then look
 * at the bank conflicts of the tiled experiments.
 *
 * The kernels compute C = alpha A B + beta C in single precision, with a thread for each element of
 * C. In the tiled kernels a tile of A and one of B in shared memory serve all threads of a block.
 * Separate experiments show strides in global memory and bank conflicts in shared memory.
 *
 * Easily wrong: a barrier inside a condition; partial sums in an int; and 0 * C for beta = 0, which
 * keeps the NaNs of C (with beta = 0, C must not be read). For element (i, tx) of tile number ph
 * with edge T, an index such as B[(i + ph T) N + tx], where N is the width of B, is wrong, too: it
 * lacks the index of the tile's first column, and is right only for N = T. */
#include "kernels/memory/matrices/gemm.cuh"

#define EDGE 32

__device__ __forceinline__ void store(const gemm &p, int64_t row, int64_t column, float sum)
{
    float *c = p.c + row * p.n + column;

    *c = p.beta == 0 ? p.alpha * sum : p.alpha * sum + p.beta * *c;
}

__device__ __forceinline__ float dot(const gemm &p, int64_t row, int64_t column)
{
    float sum = 0;

    for (int64_t i = 0; i < p.k; i++)
        sum += p.a[row * p.k + i] * p.b[i * p.n + column];
    return sum;
}

__global__ void __launch_bounds__(MAX_BLOCK_THREADS) gemm_uncoalesced(const gemm p)
{
    const int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (row < p.m)
        for (int64_t column = (int64_t)blockIdx.y * blockDim.y + threadIdx.y; column < p.n;
             column += (int64_t)gridDim.y * blockDim.y)
            store(p, row, column, dot(p, row, column));
}

__global__ void __launch_bounds__(MAX_BLOCK_THREADS) gemm_coalesced(const gemm p)
{
    const int64_t column = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (column < p.n)
        for (int64_t row = (int64_t)blockIdx.y * blockDim.y + threadIdx.y; row < p.m;
             row += (int64_t)gridDim.y * blockDim.y)
            store(p, row, column, dot(p, row, column));
}

/* Says which elements of a tile neighbouring lanes of a warp take. */
enum walk {
    DOWN,    /* neighbouring lanes take neighbouring rows, in global and in shared memory: strided
                accesses and bank conflicts */
    TURNED,  /* neighbouring lanes take neighbouring columns; B's tile is stored transposed, so in
                shared memory the lanes read down a column */
    STRAIGHT /* like TURNED, but B's tile is stored as B is: lanes read neighbouring banks */
};

/* Computes an element of C from tiles of A and B, of edge x edge elements, which are loaded into
 * shared memory one pair after the other. Outside the matrices the tiles hold zeros, so that the
 * sum needs no test. pitch: elements from one row of a tile to the next; it is edge, or edge + 1
 * with padding. */
template <walk WALK>
__global__ void __launch_bounds__(MAX_BLOCK_THREADS) gemm_tiled(const gemm p, int pitch)
{
    DYN_SHARED(float, a_tile);
    const int edge = blockDim.x;
    const int x = WALK == DOWN ? threadIdx.y : threadIdx.x; /* column and row within the tile */
    const int y = WALK == DOWN ? threadIdx.x : threadIdx.y;
    float *b_tile = a_tile + edge * pitch;
    const int64_t column = (int64_t)blockIdx.x * edge + x;

    for (int64_t first_row = (int64_t)blockIdx.y * edge; first_row < p.m;
         first_row += (int64_t)gridDim.y * edge) {
        const int64_t row = first_row + y;
        float sum = 0;

        for (int64_t first = 0; first < p.k; first += edge) {
            a_tile[y * pitch + x] = row < p.m && first + x < p.k ? p.a[row * p.k + first + x] : 0;
            b_tile[WALK == TURNED ? x * pitch + y : y * pitch + x] =
                first + y < p.k && column < p.n ? p.b[(first + y) * p.n + column] : 0;
            __syncthreads();
            for (int i = 0; i < edge; i++)
                sum +=
                    a_tile[y * pitch + i] * b_tile[WALK == TURNED ? x * pitch + i : i * pitch + x];
            __syncthreads(); /* before the tiles are filled again */
        }
        if (row < p.m && column < p.n)
            store(p, row, column, sum);
    }
}

static const char *refuses(const struct experiment *row, const struct problem_size *size)
{
    const char *why = gemm_refuses(row, size);

    return why ? why : refuses_block(row, size);
}

enum {
    TILE = 8,
    PAD = 1
}; /* bits of an experiment's parameter. TILE: it has tiles; PAD: the rows of its tiles are
      padded */

static size_t tile_bytes(const struct experiment *row, const struct problem_size *size)
{
    const int edge = block_edge(size, EDGE);

    return row->parameter & TILE
               ? 2 * sizeof(float) * (size_t)(edge * (edge + (int)(row->parameter & PAD)))
               : 0;
}

/* X_ROWS: threadIdx.x and blockIdx.x give the row of C; otherwise they give the column. */
template <auto KERNEL, bool X_ROWS> static const char *run_plain(const struct experiment_job *job)
{
    const int edge = block_edge(&job->size, EDGE);
    const dim3 block(edge, edge);
    const int64_t m = job->size.height, n = job->size.width;

    LAUNCH(KERNEL, grid_over(X_ROWS ? m : n, X_ROWS ? n : m, block), block, 0, job->stream,
           gemm_operands(job));
    return launched();
}

template <walk WALK> static const char *run_tiled(const struct experiment_job *job)
{
    const int edge = block_edge(&job->size, EDGE);
    const dim3 block(edge, edge);

    LAUNCH(gemm_tiled<WALK>, grid_over(job->size.width, job->size.height, block), block,
           tile_bytes(job->row, &job->size), job->stream, gemm_operands(job),
           edge + (int)(job->row->parameter & PAD));
    return launched();
}

static void work(const struct experiment *row, const struct problem_size *size,
                 struct experiment_work *work)
{
    *work = gemm_work(size, row->parameter & TILE ? block_edge(size, EDGE) : 1);
}

#define ROW(NAME, PARAMETER, RUN, KERNEL, SHOWS)                                                   \
    {                                                                                              \
        .group = "gemm", .row = NAME, .shows = SHOWS, .parameter = PARAMETER, .place = ON_GPU,     \
        .refuses = refuses, .shape = gemm_shape, .run = RUN, .reference = gemm_reference,          \
        .work = work, .geometry = square_geometry<KERNEL, EDGE, tile_bytes>                        \
    }

DEFINE_EXPERIMENTS(gemm) = {
    ROW("uncoalesced", 0, (run_plain<gemm_uncoalesced, true>), gemm_uncoalesced,
        "Lanes go down the rows: a load of A is 32 sectors, one of B a broadcast, which makes 16.5 "
        "sectors a load; C takes 32 sectors a store."),
    ROW("coalesced", 0, (run_plain<gemm_coalesced, false>), gemm_coalesced,
        "Lanes go along the rows: a load of B is 4 sectors, one of A the broadcast, 2.5 sectors a "
        "load; C takes 4 sectors a store. Still 0.25 flop for a byte that is asked for."),
    ROW("tiled, down the rows", TILE, run_tiled<DOWN>, gemm_tiled<DOWN>,
        "Tiles, but lanes go down the rows: global accesses are strided, and shared ones conflict "
        "32 ways."),
    ROW("tiled, conflicts", TILE, run_tiled<TURNED>, gemm_tiled<TURNED>,
        "Global accesses are coalesced; what is left is the conflicts of reading a tile down a "
        "column, 32 ways."),
    ROW("tiled, padded", TILE | PAD, run_tiled<TURNED>, gemm_tiled<TURNED>,
        "One column more in the tile, and the same kernel has no conflicts."),
    ROW("tiled", TILE, run_tiled<STRAIGHT>, gemm_tiled<STRAIGHT>,
        "With lanes along the rows of both tiles there was no conflict to pad away; two shared "
        "loads for each product remain the limit."),
    {}};
