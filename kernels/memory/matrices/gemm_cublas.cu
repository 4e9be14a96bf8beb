/* SPDX-License-Identifier: MIT */
/* The same product by cuBLAS: what a library reaches by registers, wide loads and a pipeline. In
 * builds that find it; see meson.build. */
#include "kernels/memory/matrices/gemm.cuh"

#include <cublas_v2.h>

/* cuBLAS reckons by columns: by rows, C = A B reads C' = B' A'. Without beta it does not read C. */
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

/* The handle is made at the first run, which is never one that is timed, and lives as long as the
 * program: making it takes longer than any product. */
static const char *run(const struct experiment_job *job)
{
    static cublasHandle_t handle;

    if (!handle && cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS)
        return "cuBLAS does not start";
    return multiply(handle, job);
}

/* What it asks for is its own affair: at least what is useful. */
static void work(const struct experiment *, const struct problem_size *size,
                 struct experiment_work *work)
{
    *work = gemm_work(size, 1);
    work->asked_bytes = work->useful_bytes;
}

static void geometry(const struct experiment *, const struct problem_size *,
                     struct launch_geometry *geometry)
{
    *geometry = {NULL, 0, 0};
}

DEFINE_EXPERIMENTS(gemm_cublas) = {
    {.group = "gemm",
     .row = "cuBLAS",
     .shows = "Many elements of C a thread, kept in registers: an order of magnitude beyond one "
              "element a thread.",
     .parameter = 0,
     .profile = PROFILE_NONE,
     .place = ON_GPU,
     .refuses = gemm_refuses,
     .shape = gemm_shape,
     .run = run,
     .reference = gemm_reference,
     .bound = NULL,
     .work = work,
     .geometry = geometry},
    {}};
