/* SPDX-License-Identifier: MIT */
/* Measures the two limits of the roofline model: how fast this device copies, and how fast it
 * multiplies and adds. The arithmetic is done in registers: chains of steps x = x m + a. Each
 * thread has eight independent chains, so that no operation waits for the result of the one
 * before. */
#include "kernels/memory/experiment.cuh"

#define THREADS 256
#define CHAINS 8
/* Steps of each chain. The greatest result, 8 (STEPS + 100) + 28, is below 2^24, so floats hold all
 * results exactly. */
#define STEPS 512

__global__ void __launch_bounds__(THREADS)
    peak_copy(const float *__restrict__ in, float *__restrict__ out, int64_t count)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count)
        out[i] = in[i];
}

/* The factors are 1, but they are loaded from memory, so that no compiler knows the result. */
template <typename T>
__global__ void __launch_bounds__(THREADS)
    peak_chains(const T *__restrict__ in, const T *__restrict__ factors, T *__restrict__ out,
                int64_t count)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const T m = factors[0], a = factors[1];
    T x[CHAINS], sum = 0;

    if (i >= count)
        return;
    for (int chain = 0; chain < CHAINS; chain++)
        x[chain] = in[i] + (T)chain;
#pragma unroll 16
    for (int step = 0; step < STEPS; step++)
        for (int chain = 0; chain < CHAINS; chain++)
            x[chain] = x[chain] * m + a;
    for (int chain = 0; chain < CHAINS; chain++)
        sum += x[chain];
    out[i] = sum;
}

template <enum element_type TYPE>
static void shape_chains(const struct experiment *, const struct problem_size *size,
                         struct array_specs *shape)
{
    shape->in[0] = number_array(TYPE, element_count(size), -100, 100);
    shape->in[1] = number_array(TYPE, 2, 1, 1);
    shape->out = result_array(TYPE, element_count(size));
}

static const char *run_memcpy(const struct experiment_job *job)
{
    const cudaError_t error =
        cudaMemcpyAsync(job->out.memory, job->in[0].memory, sizeof(float) * (size_t)job->out.count,
                        cudaMemcpyDeviceToDevice, (cudaStream_t)job->stream);

    return error == cudaSuccess ? NULL : cudaGetErrorString(error);
}

static const char *run_copy(const struct experiment_job *job)
{
    LAUNCH(peak_copy, grid_for(job->out.count, THREADS), THREADS, 0, job->stream,
           input<float>(job, 0), output<float>(job), job->out.count);
    return launched();
}

template <typename T> static const char *run_chains(const struct experiment_job *job)
{
    LAUNCH(peak_chains<T>, grid_for(job->out.count, THREADS), THREADS, 0, job->stream,
           input<T>(job, 0), input<T>(job, 1), output<T>(job), job->out.count);
    return launched();
}

static void reference_copy(const struct experiment_job *job)
{
    for (int64_t i = 0; i < job->out.count; i++)
        output<float>(job)[i] = input<float>(job, 0)[i];
}

/* Computes the right result: each chain ends STEPS above its start, and the starts are 0 to 7 above
 * the input. */
template <typename T> static void reference_chains(const struct experiment_job *job)
{
    for (int64_t i = 0; i < job->out.count; i++)
        output<T>(job)[i] = CHAINS * (input<T>(job, 0)[i] + STEPS) + (T)(CHAINS * (CHAINS - 1) / 2);
}

template <typename T>
static void work_chains(const struct experiment *, const struct problem_size *size,
                        struct experiment_work *work)
{
    const double count = (double)element_count(size);

    *work = {.useful_bytes = 2 * sizeof(T) * count,
             .asked_bytes = 4 * sizeof(T) * count,
             .flops = count * (2.0 * STEPS * CHAINS + 2 * CHAINS)};
}

#define ROW(NAME, SHAPE, RUN, REFERENCE, WORK, GEOMETRY, SHOWS)                                    \
    {                                                                                              \
        .group = "peaks", .row = NAME, .shows = SHOWS, .place = ON_GPU, .shape = SHAPE,            \
        .run = RUN, .reference = REFERENCE, .work = WORK, .geometry = GEOMETRY                     \
    }

DEFINE_EXPERIMENTS(peaks) = {
    ROW("memcpy", float_arrays<1>, run_memcpy, reference_copy, (elementwise_work<8, 0>), NULL,
        "The runtime's device-to-device copy: the peak that all other rows are shares of."),
    ROW("copy", float_arrays<1>, run_copy, reference_copy, (elementwise_work<8, 0>),
        (list_geometry<peak_copy, THREADS>),
        "A kernel of one line, four bytes a thread: fewer bytes are in flight than in the "
        "runtime's copy, and an H200 reaches two thirds of its rate."),
    ROW("fp32", shape_chains<ELEMENT_F32>, run_chains<float>, reference_chains<float>,
        work_chains<float>, (list_geometry<peak_chains<float>, THREADS>),
        "Chains in registers: what the device can do with floats if memory never makes it wait."),
    ROW("fp64", shape_chains<ELEMENT_F64>, run_chains<double>, reference_chains<double>,
        work_chains<double>, (list_geometry<peak_chains<double>, THREADS>),
        "The same in double: half of that on GPUs for computing centres, 1/32 or 1/64 on others."),
    {}};
