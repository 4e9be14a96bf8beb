/* SPDX-License-Identifier: MIT */
/* Transposes like exercise 2. How wide must the tile be so that no two lanes use the same bank? */
#include "docs/notebook/lesson.cuh"

__global__ void transpose(const float *in, float *out)
{
    __shared__ float tile[32][____];
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    const int to_x = blockIdx.y * 32 + threadIdx.x, to_y = blockIdx.x * 32 + threadIdx.y;

    tile[threadIdx.y][threadIdx.x] = in[y * SIDE + x];
    __syncthreads();
    out[to_y * SIDE + to_x] = tile[threadIdx.x][threadIdx.y];
}

int main()
{
    const matrix numbers = some_numbers();
    float *in = on_device(numbers), *out = on_device(matrix(SIDE * SIDE));

    LAUNCH(transpose, dim3(SIDE / 32, SIDE / 32), dim3(32, 32), 0, 0, in, out);
    return compare(numbers, out, [](const matrix &in, int x, int y) { return in[x * SIDE + y]; });
}
