/* SPDX-License-Identifier: MIT */
/* Look at the barrier: without it a thread would load what another thread has not yet stored. Then
 * look at the sectors of 32 bytes that are loaded: blocks of 4 threads use half of each sector.
 *
 * Each block reverses its own piece of a list through shared memory: [0 1 2 3] becomes [3 2 1 0].
 *
 * Easily wrong: shared memory is indexed within the block, not by the global index; the last block
 * may have a shorter piece; and a barrier that some threads do not reach is undefined, so it has to
 * be outside the condition. */
#include "kernels/memory/experiment.cuh"

#define MOST_THREADS 256

__global__ void __launch_bounds__(MOST_THREADS)
    swap_in_block(const int32_t *__restrict__ in, int32_t *__restrict__ out, int64_t count)
{
    __shared__ int32_t piece[MOST_THREADS];
    const int64_t first = (int64_t)blockIdx.x * blockDim.x;
    const int64_t left = count - first;
    const int length = left < (int64_t)blockDim.x ? (int)left : (int)blockDim.x;
    const int i = threadIdx.x;

    if (i < length)
        piece[i] = in[first + i];
    __syncthreads();
    if (i < length)
        out[first + i] = piece[length - 1 - i];
}

static const char *run(const struct experiment_job *job)
{
    const int threads = (int)job->row->parameter;

    LAUNCH(swap_in_block, grid_for(job->out.count, threads), threads, 0, job->stream,
           input<int32_t>(job, 0), output<int32_t>(job), job->out.count);
    return launched();
}

static void reference(const struct experiment_job *job)
{
    const int64_t length = job->row->parameter, count = job->out.count;

    for (int64_t i = 0; i < count; i++) {
        const int64_t first = i / length * length;
        const int64_t end = first + length < count ? first + length : count;

        output<int32_t>(job)[i] = input<int32_t>(job, 0)[end - 1 - (i - first)];
    }
}

static void geometry(const struct experiment *row, const struct problem_size *,
                     struct launch_geometry *geometry)
{
    *geometry = {(const void *)swap_in_block, (int)row->parameter, 0};
}

#define ROW(NAME, THREADS, SHOWS)                                                                  \
    {                                                                                              \
        .group = "swap", .row = NAME, .shows = SHOWS, .parameter = THREADS, .place = ON_GPU,       \
        .shape = equal_arrays<ELEMENT_I32, 1, 1000000>, .run = run, .reference = reference,        \
        .work = elementwise_work<8, 0>, .geometry = geometry                                       \
    }

DEFINE_EXPERIMENTS(swap) = {
    ROW("blocks of 4", 4,
        "The textbook's block of 4: 28 lanes of every warp idle, and 1 sector a load, half used."),
    ROW("blocks of 256", MOST_THREADS,
        "4 sectors a load, all used. Shared memory turns the order at no cost: backwards through "
        "the banks is 1-way, as free of conflicts as forwards."),
    {}};
