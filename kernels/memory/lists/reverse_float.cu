/* SPDX-License-Identifier: MIT */
/* Look for a difference, and find none: a store touches as many sectors (of 32 bytes) in either
 * order.
 *
 * The kernels reverse a list of floats: out[n-1-i] = in[i]. In the experiment "plain" a warp's
 * stores run backwards; through shared memory they run forwards, which was faster on the GPUs of
 * 2010.
 *
 * Easily wrong: the elements of block b go to block gridDim.x - (b+1), not blockDim.x - (b+1); the
 * last block may have fewer elements than threads; and the barrier has to be outside the condition
 * that leaves out the threads without an element. */
#include "kernels/memory/experiment.cuh"

#define THREADS 256

__global__ void __launch_bounds__(THREADS)
    reverse_float(const float *__restrict__ in, float *__restrict__ out, int64_t count)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count)
        out[count - 1 - i] = in[i];
}

/* A block reverses the elements that it loads, and stores them at ascending addresses. The block's
 * elements are then as far from the end of the list as they were from its start. */
__global__ void __launch_bounds__(THREADS)
    reverse_float_shared(const float *__restrict__ in, float *__restrict__ out, int64_t count)
{
    __shared__ float piece[THREADS];
    const int64_t first = (int64_t)blockIdx.x * blockDim.x;
    const int64_t left = count - first;
    const int length = left < THREADS ? (int)left : THREADS;
    const int i = threadIdx.x;

    if (i < length)
        piece[i] = in[first + i];
    __syncthreads();
    if (i < length)
        out[count - first - length + i] = piece[length - 1 - i];
}

template <auto KERNEL> static const char *run(const struct experiment_job *job)
{
    LAUNCH(KERNEL, grid_for(job->out.count, THREADS), THREADS, 0, job->stream, input<float>(job, 0),
           output<float>(job), job->out.count);
    return launched();
}

static void reference(const struct experiment_job *job)
{
    for (int64_t i = 0; i < job->out.count; i++)
        output<float>(job)[i] = input<float>(job, 0)[job->out.count - 1 - i];
}

#define ROW(NAME, KERNEL, SHOWS)                                                                   \
    {                                                                                              \
        .group = "reverse-float", .row = NAME, .shows = SHOWS, .place = ON_GPU,                    \
        .shape = float_arrays<1>, .run = run<KERNEL>, .reference = reference,                      \
        .work = elementwise_work<8, 0>, .geometry = list_geometry<KERNEL, THREADS>                 \
    }

DEFINE_EXPERIMENTS(reverse_float) = {ROW("plain", reverse_float,
                                         "Stores that run backwards cover the same 4 sectors a "
                                         "store as stores that run forwards: on "
                                         "today's GPUs the order within a sector is free."),
                                     ROW("shared", reverse_float_shared,
                                         "Through shared memory the stores run forwards, 4 sectors "
                                         "a store as in the plain row: what "
                                         "that saved on the GPUs of 2010 it no longer saves."),
                                     {}};
