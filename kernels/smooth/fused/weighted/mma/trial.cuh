/* SPDX-License-Identifier: MIT */
/* The trial of fused_weighted_mma. Its samples are subnormal numbers, and NVIDIA's manual does not
 * say that products of matrices count these. Before a process relies on a GPU's products, a warp
 * multiplies such samples by weights, and compares the sums with those of fma, which counts them.
 */
#ifndef SMOOTHIMG_FUSED_WEIGHTED_MMA_TRIAL_CUH
#define SMOOTHIMG_FUSED_WEIGHTED_MMA_TRIAL_CUH

#include "kernels/smooth/fused/trial.cuh"
#include "kernels/smooth/fused/double_products.cuh"
#include "kernels/smooth/fused/weighted/windows.cuh"

#define TRIED_PRODUCTS 64

/* One warp. *differ becomes 1 if a sum is not that of the four fma of each product in turn, else 0.
 */
static __global__ void try_products(uint8_t *differ)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    const int lane = (int)threadIdx.x, row = lane / 4, column = lane % 4 * 2;
    double sums[4] = {}, wanted[4] = {};
    bool wrong = false;

    for (int i = 0; i < TRIED_PRODUCTS; i++) {
        const uint32_t bits = (uint32_t)(i * 32 + lane + 1) * 2654435761u;
        const double a[2] = {subnormal_of(bits), subnormal_of(bits >> 16)};
        /* Weights of 2^-46 to 1, which are scaled. */
        const int exponent = 1023 + WEIGHTED_DOWN_SCALE - 1 - (int)(bits >> 8) % 46;
        const double b = __hiloint2double(exponent << 20 | (int)(bits >> 12), (int)bits);

        add_doubles_4(sums, a[0], a[1], b);
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < PRODUCT_TERMS; k++)
                wanted[j] = fma(__shfl_sync(0xffffffffu, a[j / 2], row * 4 + k),
                                __shfl_sync(0xffffffffu, b, (column + j % 2) * 4 + k), wanted[j]);
    }
    for (int j = 0; j < 4; j++)
        wrong |= sums[j] != wanted[j];
    wrong = __any_sync(0xffffffffu, wrong);
    if (lane == 0)
        *differ = wrong;
#endif
}

/* Runs the trial, and waits for it. The result takes the place of the job's first sample, which is
 * not yet computed. */
static bool products_pass(const struct job *job)
{
    const cudaStream_t stream = static_cast<cudaStream_t>(job->stream);
    uint8_t *result = static_cast<uint8_t *>(job->dst.origin), differ = 1;

    LAUNCH(try_products, 1, 32, 0, job->stream, result);
    cudaMemcpyAsync(&differ, result, sizeof differ, cudaMemcpyDeviceToHost, stream);
    return cudaStreamSynchronize(stream) == cudaSuccess && !differ;
}

/* Whether the device's products are right. */
static bool products_are_right(const struct job *job)
{
    static trials known;

    return passes(known, [job] { return products_pass(job); });
}

#endif
