/* SPDX-License-Identifier: MIT */
/* Doubles each number. Which thread takes which number? */
#include "docs/notebook/lesson.cuh"

__global__ void twice(const float *in, float *out)
{
    const int x = ____;
    const int y = ____;

    out[y * SIDE + x] = 2 * in[y * SIDE + x];
}

int main()
{
    const matrix numbers = some_numbers();
    float *in = on_device(numbers), *out = on_device(matrix(SIDE * SIDE));

    LAUNCH(twice, dim3(SIDE / 32, SIDE / 32), dim3(32, 32), 0, 0, in, out);
    return compare(numbers, out,
                   [](const matrix &in, int x, int y) { return 2 * in[y * SIDE + x]; });
}
