/* SPDX-License-Identifier: MIT */
/* test_products [COUNT]: compares products of matrices of bytes, on a GPU or on the emulated
 * device, with sums in plain C. Each of COUNT (default: 20) warps multiplies random matrices. Needs
 * a device of compute capability 8.0. */
#include "kernels/common/launch.cuh"
#include "kernels/smooth/fused/int8/mma.cuh"

#include "tests/unit/unit.h"

#include <vector>

/* A product sums over the last index of both factors, and adds c. */
struct factors {
    uint8_t a[16][32], b[8][32];
    uint32_t c[16][8];
};

struct product {
    uint32_t sums[16][8];
};

__device__ static inline uint32_t word_of(const uint8_t *row, int word)
{
    return reinterpret_cast<const uint32_t *>(row)[word];
}

static __global__ void multiply_factors(const factors *all, product *products)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    const factors &in = all[blockIdx.x];
    const int g = (int)threadIdx.x / 4, t = (int)threadIdx.x % 4;
    uint32_t a[4], c[4], sums[4];

    for (int i = 0; i < 4; i++) {
        a[i] = word_of(in.a[g + i % 2 * 8], i / 2 * 4 + t);
        c[i] = in.c[g + i / 2 * 8][2 * t + i % 2];
    }
    multiply_bytes_32(sums, a, word_of(in.b[g], t), word_of(in.b[g], 4 + t), c);
    for (int i = 0; i < 4; i++)
        products[blockIdx.x].sums[g + i / 2 * 8][2 * t + i % 2] = sums[i];
#endif
}

static void fill(factors *all, size_t count)
{
    uint8_t *bytes = reinterpret_cast<uint8_t *>(all);
    uint64_t state = 1;

    for (size_t i = 0; i < count * sizeof *all; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        bytes[i] = (uint8_t)(state >> 56);
    }
}

static uint32_t sum_of(const factors &in, int row, int column)
{
    uint32_t sum = in.c[row][column];

    for (int k = 0; k < 32; k++)
        sum += (uint32_t)in.a[row][k] * in.b[column][k];
    return sum;
}

int main(int argc, char **argv)
{
    const size_t count = argc > 1 ? (size_t)atoi(argv[1]) : 20;
    std::vector<factors> all(count);
    std::vector<product> products(count);
    void *in, *out;
    int devices = 0;

    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
        return getenv("SMOOTHIMG_REQUIRE_GPU") ? 1 : 77;
    if (attribute_of_device(cudaDevAttrComputeCapabilityMajor) < 8)
        return 77;
    fill(all.data(), count);
    NEED(cudaMalloc(&in, count * sizeof all[0]) == cudaSuccess);
    NEED(cudaMalloc(&out, count * sizeof products[0]) == cudaSuccess);
    NEED(cudaMemcpy(in, all.data(), count * sizeof all[0], cudaMemcpyHostToDevice) == cudaSuccess);
    LAUNCH(multiply_factors, (unsigned)count, 32, 0, NULL, static_cast<const factors *>(in),
           static_cast<product *>(out));
    NEED(cudaMemcpy(products.data(), out, count * sizeof products[0], cudaMemcpyDeviceToHost) ==
         cudaSuccess);
    for (size_t i = 0; i < count; i++)
        for (int element = 0; element < 128; element++) {
            const int row = element / 8, column = element % 8;

            CHECK(products[i].sums[row][column] == sum_of(all[i], row, column), "warp %zu: %d, %d",
                  i, row, column);
        }
    return unit_result();
}
