/* SPDX-License-Identifier: MIT */
/* Sums along the rows, from a tile with its halo. How much of the row does a block need? */
#include "docs/notebook/lesson.cuh"

__global__ void sum_along(const float *in, float *out)
{
    __shared__ float tile[____];
    const int first = blockIdx.x * 32 - HALO, y = blockIdx.y;
    float sum = 0;

    for (int i = threadIdx.x; i < ____; i += 32)
        tile[i] = first + i >= 0 && first + i < SIDE ? in[y * SIDE + first + i] : 0;
    __syncthreads();
    for (int i = 0; i <= 2 * HALO; i++)
        sum += tile[threadIdx.x + i];
    out[y * SIDE + blockIdx.x * 32 + threadIdx.x] = sum;
}

int main()
{
    const matrix numbers = some_numbers();
    float *in = on_device(numbers), *out = on_device(matrix(SIDE * SIDE));

    LAUNCH(sum_along, dim3(SIDE / 32, SIDE), dim3(32), 0, 0, in, out);
    return compare(numbers, out,
                   [](const matrix &in, int x, int y) { return sum_around(in, x, y, HALO, 0); });
}
