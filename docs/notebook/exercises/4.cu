/* SPDX-License-Identifier: MIT */
/* Reverses each row in shared memory. What is missing in two places? */
#include "docs/notebook/lesson.cuh"

__global__ void reverse(const float *in, float *out)
{
    __shared__ float piece[SIDE];

    for (int y = blockIdx.x; y < SIDE; y += gridDim.x) {
        piece[SIDE - 1 - threadIdx.x] = in[y * SIDE + threadIdx.x];
        ____;
        out[y * SIDE + threadIdx.x] = piece[threadIdx.x];
        ____;
    }
}

int main()
{
    const matrix numbers = some_numbers();
    float *in = on_device(numbers), *out = on_device(matrix(SIDE * SIDE));

    LAUNCH(reverse, dim3(SIDE / 4), dim3(SIDE), 0, 0, in, out);
    return compare(numbers, out,
                   [](const matrix &in, int x, int y) { return in[y * SIDE + SIDE - 1 - x]; });
}
