/* SPDX-License-Identifier: MIT */
/* The roofs of the roofline, measured: how fast this device copies, and how fast it multiplies and
 * adds. The copies are as plain as they come; the arithmetic is chains x = x m + a in registers, of
 * which every thread has eight, so that none has to wait for itself. */
#include "experiment.cuh"

#define THREADS 256
#define CHAINS 8
#define STEPS 512 /* of each chain; a float holds 8 x (STEPS + 100) exactly */

__global__ void __launch_bounds__(THREADS)
    peak_copy(const float *__restrict__ in, float *__restrict__ out, int64_t count)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count)
        out[i] = in[i];
}

/* The factors come from memory, where they are 1, so that no compiler can know the result. */
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

static void shape_copy(const struct experiment *, const struct lab_size *size,
                       struct lab_shape *shape)
{
    shape->in[0] = lab_numbers(LAB_F32, lab_elements(size), -8000000, 8000000);
    shape->out = lab_results(LAB_F32, lab_elements(size));
}

template <enum lab_type TYPE>
static void shape_chains(const struct experiment *, const struct lab_size *size,
                         struct lab_shape *shape)
{
    shape->in[0] = lab_numbers(TYPE, lab_elements(size), -100, 100);
    shape->in[1] = lab_numbers(TYPE, 2, 1, 1);
    shape->out = lab_results(TYPE, lab_elements(size));
}

static const char *run_memcpy(const struct lab_job *job)
{
    const cudaError_t error =
        cudaMemcpyAsync(job->out.memory, job->in[0].memory, sizeof(float) * (size_t)job->out.count,
                        cudaMemcpyDeviceToDevice, (cudaStream_t)job->stream);

    return error == cudaSuccess ? NULL : cudaGetErrorString(error);
}

static const char *run_copy(const struct lab_job *job)
{
    LAUNCH(peak_copy, lab_grid(job->out.count, THREADS), THREADS, 0, job->stream,
           lab_in<float>(job, 0), lab_out<float>(job), job->out.count);
    return launched();
}

template <typename T> static const char *run_chains(const struct lab_job *job)
{
    LAUNCH(peak_chains<T>, lab_grid(job->out.count, THREADS), THREADS, 0, job->stream,
           lab_in<T>(job, 0), lab_in<T>(job, 1), lab_out<T>(job), job->out.count);
    return launched();
}

static void reference_copy(const struct lab_job *job)
{
    for (int64_t i = 0; i < job->out.count; i++)
        lab_out<float>(job)[i] = lab_in<float>(job, 0)[i];
}

/* By hand: each chain ends STEPS above its start, and the starts are 0 to 7 above the input. */
template <typename T> static void reference_chains(const struct lab_job *job)
{
    for (int64_t i = 0; i < job->out.count; i++)
        lab_out<T>(job)[i] =
            CHAINS * (lab_in<T>(job, 0)[i] + STEPS) + (T)(CHAINS * (CHAINS - 1) / 2);
}

static void work_copy(const struct experiment *, const struct lab_size *size, struct lab_work *work)
{
    const double bytes = 8.0 * (double)lab_elements(size);

    *work = {.useful_bytes = bytes, .asked_bytes = bytes, .flops = 0};
}

template <typename T>
static void work_chains(const struct experiment *, const struct lab_size *size,
                        struct lab_work *work)
{
    const double count = (double)lab_elements(size);

    *work = {.useful_bytes = 2 * sizeof(T) * count,
             .asked_bytes = 4 * sizeof(T) * count,
             .flops = count * (2.0 * STEPS * CHAINS + 2 * CHAINS)};
}

static void geometry_memcpy(const struct experiment *, const struct lab_size *,
                            struct lab_geometry *geometry)
{
    *geometry = {NULL, 0, 0};
}

template <auto KERNEL>
static void geometry(const struct experiment *, const struct lab_size *,
                     struct lab_geometry *geometry)
{
    *geometry = {(const void *)KERNEL, THREADS, 0};
}

#define ROW(NAME, SHAPE, RUN, REFERENCE, WORK, GEOMETRY, SHOWS)                                    \
    {                                                                                              \
        .group = "peaks", .row = NAME, .shows = SHOWS, .parameter = 0, .profile = LAB_NO_PROFILE,  \
        .place = ON_GPU, .refuses = NULL, .shape = SHAPE, .run = RUN, .reference = REFERENCE,      \
        .bound = NULL, .work = WORK, .geometry = GEOMETRY                                          \
    }

DEFINE_EXPERIMENTS(peaks) = {
    ROW("memcpy", shape_copy, run_memcpy, reference_copy, work_copy, geometry_memcpy,
        "The runtime's device-to-device copy: the roof that all other rows are shares of."),
    ROW("copy", shape_copy, run_copy, reference_copy, work_copy, geometry<peak_copy>,
        "A kernel of one line, four bytes a thread: less is under way at a time than in the "
        "runtime's copy, and two thirds of its rate are left on an H200."),
    ROW("fp32", shape_chains<LAB_F32>, run_chains<float>, reference_chains<float>,
        work_chains<float>, geometry<peak_chains<float>>,
        "Chains in registers: what the device can do with floats if memory never makes it wait."),
    ROW("fp64", shape_chains<LAB_F64>, run_chains<double>, reference_chains<double>,
        work_chains<double>, geometry<peak_chains<double>>,
        "The same in double: half of that on GPUs for computing centres, 1/32 or 1/64 on others."),
    {}};
