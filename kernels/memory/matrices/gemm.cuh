/* SPDX-License-Identifier: MIT */
/* The arrays, data and reference of C = alpha A B + beta C, for the project's kernels and cuBLAS. A
 * is m x k, B is k x n, and C is m x n; all are stored by rows. m and n are the height and the
 * width of the problem size, and k is their mean, so that for most sizes the last tiles are partial
 * in all three dimensions. */
#ifndef SMOOTHIMG_GEMM_CUH
#define SMOOTHIMG_GEMM_CUH

#include "kernels/memory/experiment.cuh"

/* Greatest magnitude in the data: a product is at most 64. */
#define GEMM_HIGH 8
#define GEMM_DEPTH (1 << 18) /* greatest k: 2^18 * 64 = 2^24, so sums are exact in a float */

struct gemm { /* operands, as the kernels take them */
    const float *a, *b;
    float *c;
    int64_t m, n, k;
    float alpha, beta;
};

static inline int64_t gemm_depth(const struct problem_size *size)
{
    return (size->width + size->height + 1) / 2;
}

static inline const char *gemm_refuses(const struct experiment *, const struct problem_size *size)
{
    return gemm_depth(size) > GEMM_DEPTH
               ? "sums of more than 262144 products would not be exact in floats"
               : NULL;
}

static inline void gemm_shape(const struct experiment *, const struct problem_size *size,
                              struct array_specs *shape)
{
    shape->in[0] =
        number_array(ELEMENT_F32, size->height * gemm_depth(size), -GEMM_HIGH, GEMM_HIGH);
    shape->in[1] = number_array(ELEMENT_F32, gemm_depth(size) * size->width, -GEMM_HIGH, GEMM_HIGH);
    shape->out = result_array(ELEMENT_F32, element_count(size));
}

static inline gemm gemm_operands(const struct experiment_job *job)
{
    return {input<float>(job, 0),
            input<float>(job, 1),
            output<float>(job),
            job->size.height,
            job->size.width,
            gemm_depth(&job->size),
            1,
            0};
}

/* Computes the right result. It multiplies by 64 rows of B at a time, since these fit the cache;
 * otherwise each row of A would load all of B from memory. */
static inline void gemm_reference(const struct experiment_job *job)
{
    const gemm p = gemm_operands(job);
    const int64_t piece = 64; /* rows of B */

    for (int64_t i = 0; i < p.m * p.n; i++)
        p.c[i] = 0;
    for (int64_t first = 0; first < p.k; first += piece)
        for (int64_t row = 0; row < p.m; row++)
            for (int64_t i = first; i < p.k && i < first + piece; i++)
                for (int64_t column = 0; column < p.n; column++)
                    p.c[row * p.n + column] += p.a[row * p.k + i] * p.b[i * p.n + column];
}

/* Counts the work. reuse: the number of threads that use each loaded element, which is the edge of
 * a tile, or 1 without tiles. A product and its addition are 2 flops and use 8 bytes, so there are
 * 0.25 * reuse flops for each loaded byte. */
static inline struct experiment_work gemm_work(const struct problem_size *size, double reuse)
{
    const double m = (double)size->height, n = (double)size->width, k = (double)gemm_depth(size);

    return {.useful_bytes = 4 * (m * k + k * n + m * n),
            .asked_bytes = 8 * m * n * k / reuse + 4 * m * n,
            .flops = 2 * m * n * k};
}

#endif
