/* SPDX-License-Identifier: MIT */
/* Common code of the exercises. An exercise is a kernel, and a function that launches it and
 * compares its results with plain loops. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#ifndef LAUNCH
#define LAUNCH(KERNEL, GRID, BLOCK, SHARED_BYTES, STREAM, ...)                                     \
    KERNEL<<<GRID, BLOCK, SHARED_BYTES, STREAM>>>(__VA_ARGS__)
#endif

typedef std::vector<float> matrix; /* SIDE rows of SIDE numbers */

static const int SIDE = 128;

static void check(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    printf("%s\n", cudaGetErrorString(error));
    exit(1);
}

static float *on_device(const matrix &numbers)
{
    void *memory;

    check(cudaMalloc(&memory, numbers.size() * sizeof(float)));
    check(
        cudaMemcpy(memory, numbers.data(), numbers.size() * sizeof(float), cudaMemcpyHostToDevice));
    return static_cast<float *>(memory);
}

static matrix some_numbers()
{
    matrix numbers(SIDE * SIDE);

    for (int i = 0; i < SIDE * SIDE; i++)
        numbers[i] = (float)(i * 2654435761u >> 24);
    return numbers;
}

/* Compares each number of the result with expected(in, x, y), the right number for column x and row
 * y. All numbers are small integers, so sums are exact. Returns 1 if a number is wrong, else 0. */
template <class Expected>
static int compare(const matrix &in, const float *out, const Expected &expected)
{
    matrix got(SIDE * SIDE);
    int wrong = 0;

    check(cudaGetLastError());
    check(cudaMemcpy(got.data(), out, got.size() * sizeof(float), cudaMemcpyDeviceToHost));
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            if (got[y * SIDE + x] != expected(in, x, y) && wrong++ == 0)
                printf("number (%d, %d) is %g, not %g\n", x, y, got[y * SIDE + x],
                       expected(in, x, y));
    printf("%d numbers wrong\n", wrong);
    return wrong > 0;
}

/* sum_around() returns the sum of the numbers around (x, y), at most halo_x columns and halo_y rows
 * away. Zeros surround the matrix. */
static const int HALO = 2;

static float sum_around(const matrix &in, int x, int y, int halo_x, int halo_y)
{
    float sum = 0;

    for (int i = y - halo_y; i <= y + halo_y; i++)
        for (int j = x - halo_x; j <= x + halo_x; j++)
            sum += i >= 0 && i < SIDE && j >= 0 && j < SIDE ? in[i * SIDE + j] : 0;
    return sum;
}
