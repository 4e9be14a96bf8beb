/* SPDX-License-Identifier: MIT */
/* Experiments (kernels that a benchmark measures, see kernels/memory) that are wrong on purpose.
 * Most of them repeat faults of the original programs from which the real experiments were made.
 * check_experiments must find each of them; otherwise it proves nothing about the real ones. */
#include "kernels/memory/experiment.cuh"

extern "C" {
extern const struct experiment experiments_reverse_float[], experiments_swap[], experiments_gemm[],
    experiments_smoothing[], experiments_matrix_add[];
}

/* Reverses a list, but computes the index `to` as the original program does. That index is right
 * only if the grid has as many blocks as a block has threads. */
__global__ void broken_reverse(const float *in, float *out, int64_t count)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t to =
        ((int64_t)blockDim.x - (blockIdx.x + 1)) * blockDim.x + blockDim.x - 1 - threadIdx.x;

    if (i < count && to >= 0 && to < count)
        out[to] = in[i];
}

static const char *run_reverse(const struct experiment_job *job)
{
    LAUNCH(broken_reverse, grid_for(job->out.count, 32), 32, 0, job->stream, input<float>(job, 0),
           output<float>(job), job->out.count);
    return launched();
}

/* Leaves out the last count % 4 elements, like a grid whose number of blocks was rounded down. */
static const char *run_untailed(const struct experiment_job *job)
{
    struct experiment_job whole = *job;

    whole.out.count -= whole.out.count > 1 ? whole.out.count % 4 : 0;
    return experiments_swap[0].run(&whole);
}

/* Has a barrier inside of an if statement. Some threads of the last block do not reach it. */
__global__ void broken_barrier(const int32_t *in, int32_t *out, int64_t count)
{
    __shared__ int32_t piece[32];
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count) {
        piece[threadIdx.x] = in[i];
        __syncthreads();
        out[i] = piece[blockDim.x - 1 - threadIdx.x];
    }
}

static const char *run_barrier(const struct experiment_job *job)
{
    LAUNCH(broken_barrier, grid_for(job->out.count, 32), 32, 0, job->stream, input<int32_t>(job, 0),
           output<int32_t>(job), job->out.count);
    return launched();
}

/* Computes C = A * B + 0 * C. A NaN in the old C makes the result NaN. `k` is the number of columns
 * of A. */
__global__ void broken_beta(const float *a, const float *b, float *c, int64_t m, int64_t n,
                            int64_t k)
{
    const int64_t at = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

    if (at >= m * n)
        return;
    for (int64_t i = 0; i < k; i++)
        sum += a[at / n * k + i] * b[i * n + at % n];
    c[at] = 1 * sum + 0 * c[at];
}

static const char *run_beta(const struct experiment_job *job)
{
    const int64_t m = job->size.height, n = job->size.width;

    LAUNCH(broken_beta, grid_for(m * n, 32), 32, 0, job->stream, input<float>(job, 0),
           input<float>(job, 1), output<float>(job), m, n, job->in[0].count / m);
    return launched();
}

/* Launches a block of 4096 threads, which no GPU runs, and ignores that the launch fails. */
static const char *run_unlaunched(const struct experiment_job *job)
{
    LAUNCH(broken_reverse, 1, 4096, 0, job->stream, input<float>(job, 0), output<float>(job),
           job->out.count);
    return NULL;
}

__global__ void broken_spill(float *out, int64_t count)
{
    out[count] = 0;
}

static const char *run_spill(const struct experiment_job *job)
{
    LAUNCH(broken_spill, 1, 1, 0, job->stream, output<float>(job), job->out.count);
    return experiments_matrix_add[1].run(job);
}

__global__ void broken_scribble(float *in)
{
    in[0] += 1;
}

static const char *run_scribble(const struct experiment_job *job)
{
    const char *failure = experiments_matrix_add[1].run(job);

    LAUNCH(broken_scribble, 1, 1, 0, job->stream, (float *)job->in[0].memory);
    return failure ? failure : launched();
}

/* Changes the pixel at index `at` by one grey level. run_level() passes the last pixel of the
 * image, and run_border() passes a pixel of the border around the image. */
__global__ void broken_level(uint8_t *out, int64_t at)
{
    out[at] ^= 1;
}

static const char *run_level(const struct experiment_job *job)
{
    const int64_t halo = job->size.halo, pitch = job->size.width + 2 * halo;
    const char *failure = experiments_smoothing[1].run(job);

    LAUNCH(broken_level, 1, 1, 0, job->stream, output<uint8_t>(job),
           (job->size.height + halo - 1) * pitch + halo + job->size.width - 1);
    return failure ? failure : launched();
}

static const char *run_border(const struct experiment_job *job)
{
    const char *failure = experiments_smoothing[1].run(job);

    LAUNCH(broken_level, 1, 1, 0, job->stream, output<uint8_t>(job), (int64_t)0);
    return failure ? failure : launched();
}

/* Defines shape() and reference() of a broken experiment: they call the functions of the correct
 * experiment ORIGINAL. Only run() differs. */
#define LIKE(NAME, ORIGINAL)                                                                       \
    static void shape_##NAME(const struct experiment *, const struct problem_size *size,           \
                             struct array_specs *shape)                                            \
    {                                                                                              \
        ORIGINAL.shape(&ORIGINAL, size, shape);                                                    \
    }                                                                                              \
    static void reference_##NAME(const struct experiment_job *job)                                 \
    {                                                                                              \
        struct experiment_job sound = *job;                                                        \
                                                                                                   \
        sound.row = &ORIGINAL;                                                                     \
        ORIGINAL.reference(&sound);                                                                \
    }
LIKE(reverse, experiments_reverse_float[0])
LIKE(swap, experiments_swap[0])
LIKE(gemm, experiments_gemm[1])
LIKE(add, experiments_matrix_add[1])
LIKE(smoothing, experiments_smoothing[1])

static double bound_smoothing(const struct experiment_job *job)
{
    return experiments_smoothing[1].bound(job);
}

#define ROW(NAME, KIND, BOUND, SHOWS)                                                              \
    {                                                                                              \
        .group = "broken", .row = #NAME, .shows = SHOWS, .parameter = 4, .place = ON_GPU,          \
        .shape = shape_##KIND, .run = run_##NAME, .reference = reference_##KIND, .bound = BOUND,   \
        .work = NULL, .geometry = NULL                                                             \
    }

DEFINE_EXPERIMENTS(broken) = {
    ROW(reverse, reverse, NULL, "the original's index of the target block"),
    ROW(untailed, swap, NULL, "no ragged last block"),
    ROW(barrier, swap, NULL, "a barrier inside a condition"),
    ROW(beta, gemm, NULL, "0 * C"),
    ROW(unlaunched, reverse, NULL, "a launch that fails unseen"),
    ROW(spill, add, NULL, "an element behind the end"),
    ROW(scribble, add, NULL, "a changed input"),
    ROW(level, smoothing, bound_smoothing, "one grey level"),
    ROW(border, smoothing, bound_smoothing, "a pixel of the border"),
    {}};
