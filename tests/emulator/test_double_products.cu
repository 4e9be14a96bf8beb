/* SPDX-License-Identifier: MIT */
/* test_double_products [FRAGMENTS]: the products of matrices of doubles that kernels use, on a GPU
 * or the emulated device, against chains of fma bit for bit. Needs a device of compute capability
 * 8.0. */
#include "kernels/common/launch.cuh"
#include "kernels/smooth/fused/double_products.cuh"

#include "tests/unit/unit.h"

#include <math.h>
#include <string.h>
#include <vector>

struct fragment {
    double a[16][4], b[8][4], sums[16][8]; /* b: by columns */
};

/* One warp for each fragment computes its sums. */
static __global__ void add_fragments(fragment *fragments)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    fragment &in = fragments[blockIdx.x];
    const int g = (int)threadIdx.x / 4, t = (int)threadIdx.x % 4;
    double sums[4];

    for (int i = 0; i < 4; i++)
        sums[i] = in.sums[g + i / 2 * 8][2 * t + i % 2];
    add_doubles_4(sums, in.a[g][t], in.a[g + 8][t], in.b[g][t]);
    for (int i = 0; i < 4; i++)
        in.sums[g + i / 2 * 8][2 * t + i % 2] = sums[i];
#endif
}

static uint64_t random_bits(void)
{
    static uint64_t state = 1;

    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 32 | state << 32;
}

/* A number of either sign, with a size of 2^least to 2^most. */
static double random_double(int least, int most)
{
    const int exponent = least + (int)(random_bits() % (unsigned)(most - least + 1));
    const double size = ldexp((double)(random_bits() >> 11 | 1ull << 52), exponent - 52);

    return random_bits() & 1 ? size : -size;
}

/* Numbers as in lines/: weights, some of them 0, and floats or sums of floats. */
static void fill_samples(fragment *f)
{
    for (double *a = f->a[0]; a < f->a[0] + 64; a++)
        *a = random_bits() % 4 ? fabs(random_double(-46, 0)) : 0;
    for (double *b = f->b[0]; b < f->b[0] + 32; b++)
        *b = random_double(-149, 127);
    for (double *sum = f->sums[0]; sum < f->sums[0] + 128; sum++)
        *sum = random_bits() % 4 ? random_double(-195, 127) : 0;
}

/* Terms of any sign and similar size. */
static void fill_cancelling(fragment *f)
{
    for (double *a = f->a[0]; a < f->a[0] + 64; a++)
        *a = random_double(-3, 3);
    for (double *b = f->b[0]; b < f->b[0] + 32; b++)
        *b = random_double(-3, 3);
    for (double *sum = f->sums[0]; sum < f->sums[0] + 128; sum++)
        *sum = random_bits() % 4 ? random_double(-50, 6) : 0;
}

static void check_fragment(const char *kind, const fragment &in, const fragment &out)
{
    for (int row = 0; row < 16; row++)
        for (int column = 0; column < 8; column++) {
            double wanted = in.sums[row][column];

            for (int k = 0; k < 4; k++)
                wanted = fma(in.a[row][k], in.b[column][k], wanted);
            CHECK(memcmp(&wanted, &out.sums[row][column], sizeof wanted) == 0, "%s: %a, not %a",
                  kind, out.sums[row][column], wanted);
        }
}

static void check_kind(const char *kind, void (*fill)(fragment *), int count)
{
    std::vector<fragment> in((size_t)count), out((size_t)count);
    const size_t bytes = (size_t)count * sizeof(fragment);
    void *memory;

    for (fragment &f : in)
        fill(&f);
    NEED(cudaMalloc(&memory, bytes) == cudaSuccess);
    NEED(cudaMemcpy(memory, in.data(), bytes, cudaMemcpyHostToDevice) == cudaSuccess);
    LAUNCH(add_fragments, (unsigned)count, 32, 0, NULL, static_cast<fragment *>(memory));
    NEED(cudaMemcpy(out.data(), memory, bytes, cudaMemcpyDeviceToHost) == cudaSuccess);
    cudaFree(memory);
    for (size_t i = 0; i < in.size() && unit_failures < 20; i++)
        check_fragment(kind, in[i], out[i]);
}

int main(int argc, char **argv)
{
    const int count = argc > 1 ? atoi(argv[1]) : 20;
    int devices = 0;

    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
        return getenv("SMOOTHIMG_REQUIRE_GPU") ? 1 : 77;
    if (attribute_of_device(cudaDevAttrComputeCapabilityMajor) < 8)
        return 77;
    check_kind("weights by samples", fill_samples, count);
    check_kind("cancelling", fill_cancelling, count);
    return unit_result();
}
