/* SPDX-License-Identifier: MIT */
/* Computes the product of gemm.cuh by cuBLAS, in builds for CUDA that find cuBLAS. It shows what a
 * library achieves with registers, wide loads and a pipeline. */
#include "kernels/memory/matrices/gemm.cuh"

#include <cublas_v2.h>

/* cuBLAS stores matrices by columns. If it reads a matrix that is stored by rows, it finds the
 * transpose. So the operands are exchanged: C' = B' A', where ' is the transpose. With beta = 0
 * cuBLAS does not read C. */
static const char *multiply(cublasHandle_t handle, const struct experiment_job *job)
{
    const gemm p = gemm_operands(job);
    const int m = (int)p.m, n = (int)p.n, k = (int)p.k;

    if (cublasSetStream(handle, (cudaStream_t)job->stream) != CUBLAS_STATUS_SUCCESS)
        return "cuBLAS does not take the stream";
    return cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &p.alpha, p.b, n, p.a, k, &p.beta,
                       p.c, n) == CUBLAS_STATUS_SUCCESS
               ? NULL
               : "cublasSgemm failed";
}

/* The first run creates the handle, which takes longer than a product. The first run is not
 * timed. */
static const char *run(const struct experiment_job *job)
{
    static cublasHandle_t handle;

    if (!handle && cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS)
        return "cuBLAS does not start";
    return multiply(handle, job);
}

/* cuBLAS loads an unknown number of bytes, at least the useful ones. */
static void work(const struct experiment *, const struct problem_size *size,
                 struct experiment_work *work)
{
    *work = gemm_work(size, 1);
    work->asked_bytes = work->useful_bytes;
}

DEFINE_EXPERIMENTS(gemm_cublas) = {
    {.group = "gemm",
     .row = "cuBLAS",
     .shows = "Many elements of C a thread, kept in registers: an order of magnitude beyond one "
              "element a thread.",
     .place = ON_GPU,
     .refuses = gemm_refuses,
     .shape = gemm_shape,
     .run = run,
     .reference = gemm_reference,
     .work = work},
    {}};
