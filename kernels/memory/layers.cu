/* SPDX-License-Identifier: MIT */
/* Look at the sectors of 32 bytes that the launches move: with two layers in a launch there are
 * half as many as with one, with four layers about a quarter.
 *
 * A matrix is smoothed four times. Each smoothing gives a layer, which is computed from the
 * previous layer:
 *
 *     out(r, c) = (the 3 x 3 window, weighted 1 2 1 along both axes, + 8) / 16, rounded down.
 *
 * An element outside the matrix has the value of the nearest one inside, in the same layer. A
 * launch can compute one layer; then the matrix goes to global memory and back four times. Or a
 * block loads a tile with a frame whose width is one element for each layer, and keeps the layers
 * in shared memory; each layer is one element smaller on each side than the previous layer. This
 * takes more arithmetic, but moves only a fraction of the bytes. The experiments share one kernel
 * that computes 1, 2 or 4 layers in a launch. */
#include "kernels/memory/experiment.cuh"

#define EDGE 32
#define LAYERS 4
#define WHITE 65535

/* Returns the edge of a tile with its frame, which is `layers` elements wide. */
__host__ __device__ static inline int tile_edge(int edge, int layers)
{
    return edge + 2 * layers;
}

__device__ static inline int64_t within(int64_t i, int64_t count)
{
    return min(max(i, (int64_t)0), count - 1);
}

/* Returns the next layer's element, given the window around *centre. up, down, left, right: offsets
 * from `centre` to its neighbours. */
__host__ __device__ static inline int32_t smoothed(const int32_t *centre, int64_t up, int64_t down,
                                                   int64_t left, int64_t right)
{
    return (centre[up + left] + 2 * centre[up] + centre[up + right] + 2 * centre[left] +
            4 * centre[0] + 2 * centre[right] + centre[down + left] + 2 * centre[down] +
            centre[down + right] + 8) /
           16;
}

struct layered { /* parameters of the kernel */
    const int32_t *in;
    int32_t *out;
    int64_t width, height;
};

/* Loads the tile whose first element is in row y and column x of the matrix. Outside the matrix the
 * tile gets the nearest element inside. */
__device__ static inline void load_tile(int32_t *tile, const layered &p, int64_t x, int64_t y,
                                        int pitch)
{
    for (int r = threadIdx.y; r < pitch; r += blockDim.y)
        for (int c = threadIdx.x; c < pitch; c += blockDim.x)
            tile[r * pitch + c] = p.in[within(y + r, p.height) * p.width + within(x + c, p.width)];
}

/* Computes layer `layer` (1, 2, ...) from the previous one. A layer is smaller than the tile by
 * `layer` elements on each side. An element outside the matrix gets the value of the nearest
 * element inside. The tile always contains this nearest element, because some of the tile's outputs
 * are inside the matrix. */
__device__ static inline void next_layer(int32_t *tile, const int32_t *before, const layered &p,
                                         int64_t x, int64_t y, int pitch, int layer)
{
    for (int r = layer + threadIdx.y; r < pitch - layer; r += blockDim.y)
        for (int c = layer + threadIdx.x; c < pitch - layer; c += blockDim.x) {
            const int64_t row = within(y + r, p.height) - y, column = within(x + c, p.width) - x;

            tile[r * pitch + c] = smoothed(before + row * pitch + column, -pitch, pitch, -1, 1);
        }
}

/* A block computes square tiles, blockDim.x outputs wide and high. AT_ONCE: layers in a launch. */
template <int AT_ONCE>
__global__ void __launch_bounds__(MAX_BLOCK_THREADS) layers_kernel(const layered p)
{
    DYN_SHARED(int32_t, tiles);
    const int edge = blockDim.x, pitch = tile_edge(edge, AT_ONCE);
    const int64_t x = (int64_t)blockIdx.x * edge - AT_ONCE;

    for (int64_t top = (int64_t)blockIdx.y * edge; top < p.height;
         top += (int64_t)gridDim.y * edge) {
        const int64_t y = top - AT_ONCE;
        int32_t *now = tiles, *before = tiles + pitch * pitch;

        load_tile(now, p, x, y, pitch);
        __syncthreads();
        for (int layer = 1; layer <= AT_ONCE; layer++) {
            int32_t *const done = now;

            now = before;
            before = done;
            next_layer(now, before, p, x, y, pitch, layer);
            __syncthreads();
        }
        const int row = AT_ONCE + threadIdx.y, column = AT_ONCE + threadIdx.x;

        if (y + row < p.height && x + column < p.width)
            p.out[(y + row) * p.width + x + column] = now[row * pitch + column];
        __syncthreads(); /* before the next tile overwrites this one */
    }
}

/* The last launch writes the output. Earlier launches write alternately to scratch and output. */
template <int AT_ONCE> static const char *run(const struct experiment_job *job)
{
    const int edge = block_edge(&job->size, EDGE), launches = LAYERS / AT_ONCE;
    const int pitch = tile_edge(edge, AT_ONCE);
    const dim3 block(edge, edge);
    layered p = {input<int32_t>(job, 0), NULL, job->size.width, job->size.height};

    for (int left = launches - 1; left >= 0; left--) {
        p.out = left % 2 == 0 ? output<int32_t>(job) : static_cast<int32_t *>(job->scratch.memory);
        LAUNCH(layers_kernel<AT_ONCE>, grid_over(p.width, p.height, block), block,
               2 * (size_t)(pitch * pitch) * sizeof(int32_t), job->stream, p);
        p.in = p.out;
    }
    return launched();
}

static void reference(const struct experiment_job *job)
{
    const int64_t width = job->size.width, height = job->size.height;
    const int32_t *in = input<int32_t>(job, 0);

    for (int left = LAYERS - 1; left >= 0; left--) {
        int32_t *out =
            left % 2 == 0 ? output<int32_t>(job) : static_cast<int32_t *>(job->scratch.memory);

        for (int64_t y = 0; y < height; y++)
            for (int64_t x = 0; x < width; x++)
                out[y * width + x] =
                    smoothed(in + y * width + x, y > 0 ? -width : 0, y < height - 1 ? width : 0,
                             x > 0 ? -1 : 0, x < width - 1 ? 1 : 0);
        in = out;
    }
}

static void shape(const struct experiment *, const struct problem_size *size,
                  struct array_specs *shape)
{
    shape->in[0] = number_array(ELEMENT_I32, element_count(size), 0, WHITE);
    shape->out = shape->scratch = result_array(ELEMENT_I32, element_count(size));
}

/* Flops is 0, since the arithmetic is in integers. */
static void work(const struct experiment *row, const struct problem_size *size,
                 struct experiment_work *work)
{
    const int edge = block_edge(size, EDGE), at_once = (int)row->parameter;
    const double launches = LAYERS / at_once, count = (double)element_count(size);
    const double tiles = (double)(blocks_for(size->width, edge) * blocks_for(size->height, edge));
    const double pitch = tile_edge(edge, at_once);

    *work = {.useful_bytes = 2 * count * sizeof(int32_t),
             .asked_bytes = launches * (tiles * pitch * pitch + count) * sizeof(int32_t),
             .flops = 0};
}

static size_t shared_bytes(const struct experiment *row, const struct problem_size *size)
{
    const int pitch = tile_edge(block_edge(size, EDGE), (int)row->parameter);

    return 2 * (size_t)(pitch * pitch) * sizeof(int32_t);
}

#define ROW(NAME, AT_ONCE, SHOWS)                                                                  \
    {                                                                                              \
        .group = "layers", .row = NAME, .shows = SHOWS, .parameter = AT_ONCE, .place = ON_GPU,     \
        .refuses = refuses_block, .shape = shape, .run = run<AT_ONCE>, .reference = reference,     \
        .work = work, .geometry = square_geometry<layers_kernel<AT_ONCE>, EDGE, shared_bytes>      \
    }

DEFINE_EXPERIMENTS(layers) = {
    ROW("a launch a layer", 1,
        "Four launches: the matrix goes through global memory four times, and the sectors of the "
        "tiles' frames more often."),
    ROW("two layers a launch", 2,
        "About half of the sectors. What lies between two layers never leaves shared memory."),
    ROW("layers in shared memory", 4,
        "About a quarter, with frames that are four elements wide: each block computes a part of "
        "its neighbours' layers again."),
    {}};
