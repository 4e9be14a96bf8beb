/* SPDX-License-Identifier: MIT */
/* For each number, sums the 5 x 5 numbers around it, in two passes: along the rows, then down the
 * columns. What does the second pass add up? */
#include "docs/notebook/lesson.cuh"

__global__ void sum_along(const float *in, float *sums)
{
    const int x = threadIdx.x, y = blockIdx.x;
    float sum = 0;

    for (int j = max(x - HALO, 0); j <= min(x + HALO, SIDE - 1); j++)
        sum += in[y * SIDE + j];
    sums[y * SIDE + x] = sum;
}

__global__ void sum_down(const float *sums, float *out)
{
    const int x = threadIdx.x, y = blockIdx.x;
    float sum = 0;

    for (int i = max(y - HALO, 0); i <= min(y + HALO, SIDE - 1); i++)
        sum += ____;
    out[y * SIDE + x] = sum;
}

int main()
{
    const matrix numbers = some_numbers();
    float *in = on_device(numbers), *out = on_device(matrix(SIDE * SIDE)),
          *sums = on_device(matrix(SIDE * SIDE));

    LAUNCH(sum_along, dim3(SIDE), dim3(SIDE), 0, 0, in, sums);
    LAUNCH(sum_down, dim3(SIDE), dim3(SIDE), 0, 0, sums, out);
    return compare(numbers, out,
                   [](const matrix &in, int x, int y) { return sum_around(in, x, y, HALO, HALO); });
}
