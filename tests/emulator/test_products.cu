/* SPDX-License-Identifier: MIT */
/* test_products [FRAGMENTS]: compares products of matrices, on a GPU or on the emulated device,
 * with the model in tensor_sums.h, bit for bit. A fragment has the factors of the products that a
 * warp computes. Tests FRAGMENTS (default: 20) random fragments of each kind. Needs a device of
 * compute capability 8.0. */
#include "kernels/common/launch.cuh"
#include "kernels/smooth/fused/fp16/mma.cuh"
#include "src/emulator/tensor_sums.h"

#include "tests/unit/unit.h"

#include <vector>

/* The factors of two products of matrices, one of half floats (a b + c) and one of bytes. A product
 * sums over the last index of both factors. */
struct fragment {
    uint16_t a[16][16], b[8][16]; /* bits of half floats */
    float c[16][8];
    uint8_t bytes_a[16][32], bytes_b[8][32];
};

/* The results. A name ends with the number of products that are added for each element. */
struct products {
    float halves_16[16][8], halves_8[16][8];
    uint32_t bytes_32[16][8], bytes_16[16][8];
};

__device__ static inline uint32_t word_of(const void *row, int word)
{
    return static_cast<const uint32_t *>(row)[word];
}

/* Each warp multiplies one fragment. */
static __global__ void multiply_fragments(const fragment *fragments, products *results)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    const fragment &in = fragments[blockIdx.x];
    products &out = results[blockIdx.x];
    const int g = (int)threadIdx.x / 4, t = (int)threadIdx.x % 4;
    uint32_t a[4], bytes[4], sums[4] = {}, sums_16[4] = {};
    const uint32_t none[4] = {};
    float c[4], result[4];

    for (int i = 0; i < 4; i++) {
        a[i] = word_of(in.a[g + i % 2 * 8], i / 2 * 4 + t);
        bytes[i] = word_of(in.bytes_a[g + i % 2 * 8], i / 2 * 4 + t);
        c[i] = in.c[g + i / 2 * 8][2 * t + i % 2];
    }
    multiply_halves_16(result, a, word_of(in.b[g], t), word_of(in.b[g], 4 + t), c);
    add_halves_8(c, a[0], a[1], word_of(in.b[g], t));
    multiply_bytes_32(sums, bytes, word_of(in.bytes_b[g], t), word_of(in.bytes_b[g], 4 + t), none);
    add_bytes_16(sums_16, bytes, word_of(in.bytes_b[g], t));
    for (int i = 0; i < 4; i++) {
        const int row = g + i / 2 * 8, column = 2 * t + i % 2;

        out.halves_16[row][column] = result[i];
        out.halves_8[row][column] = c[i];
        out.bytes_32[row][column] = sums[i];
        out.bytes_16[row][column] = sums_16[i];
    }
#endif
}

static uint32_t random_bits(void)
{
    static uint64_t state = 1;

    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 32);
}

static uint16_t random_half(int least_exponent, int most_exponent)
{
    const int field =
        least_exponent + 15 + (int)(random_bits() % (unsigned)(most_exponent - least_exponent + 1));

    return (uint16_t)((random_bits() & 0x83ff) | (unsigned)field << 10);
}

static float random_float(int least_exponent, int most_exponent)
{
    const int exponent =
        least_exponent + (int)(random_bits() % (unsigned)(most_exponent - least_exponent + 1));
    const float size = ldexpf((float)(0x800000 | (random_bits() & 0x7fffff)), exponent - 23);

    return random_bits() & 1 ? size : -size;
}

/* Fills the fragment with numbers of very different exponents, among them subnormal halves. */
static void fill_wide(fragment *f)
{
    for (int k = 0; k < 16; k++) {
        for (int row = 0; row < 16; row++)
            f->a[row][k] = random_half(-15, 15);
        for (int column = 0; column < 8; column++)
            f->b[column][k] = random_half(-15, 15);
    }
    for (int i = 0; i < 128; i++)
        f->c[i / 8][i % 8] = random_float(-60, 40);
}

/* Fills the fragment with numbers of similar exponents, so that many bits overlap in a sum. Some
 * are 0. */
static void fill_near(fragment *f)
{
    for (int k = 0; k < 16; k++) {
        for (int row = 0; row < 16; row++)
            f->a[row][k] = random_bits() % 8 ? random_half(-4, 4) : 0;
        for (int column = 0; column < 8; column++)
            f->b[column][k] = random_half(-4, 4);
    }
    for (int i = 0; i < 128; i++)
        f->c[i / 8][i % 8] = random_bits() % 8 ? random_float(-8, 8) : 0;
}

/* Fills the fragment with pairs whose products cancel, or nearly do. */
static void fill_cancelling(fragment *f)
{
    fill_near(f);
    for (int k = 0; k < 16; k += 2) {
        for (int row = 0; row < 16; row++)
            f->a[row][k + 1] = (uint16_t)(f->a[row][k] ^ 0x8000 ^ (random_bits() % 16 == 0));
        for (int column = 0; column < 8; column++)
            f->b[column][k + 1] = f->b[column][k];
    }
    for (int i = 0; i < 128; i++)
        f->c[i / 8][i % 8] = random_bits() % 4 ? random_float(-30, -10) : 0;
}

/* Fills the fragment with small numbers: those of a are subnormal halves, or 0; some of b and c are
 * subnormal, or 0. */
static void fill_tiny(fragment *f)
{
    for (int k = 0; k < 16; k++) {
        for (int row = 0; row < 16; row++)
            f->a[row][k] = (uint16_t)(random_bits() & 0x83ff);
        for (int column = 0; column < 8; column++)
            f->b[column][k] = random_bits() % 3 ? random_half(-15, -12) : 0;
    }
    for (int i = 0; i < 128; i++)
        f->c[i / 8][i % 8] =
            random_bits() % 2 ? random_float(-50, -10) : ldexpf((float)random_bits(), -149);
}

/* Fills the fragment with numbers such as the engine fused:fp16 of the variant smooth_fused
 * multiplies: a holds digits of 11 bits, taken as the bits of half floats; b holds positive
 * weights; c holds sums of similar size. */
static void fill_digits(fragment *f)
{
    for (int k = 0; k < 16; k++) {
        for (int row = 0; row < 16; row++)
            f->a[row][k] = (uint16_t)(random_bits() & 0x7ff);
        for (int column = 0; column < 8; column++)
            f->b[column][k] = k < 8 ? random_half(3, 14) & 0x7fff : random_half(-8, 4) & 0x7fff;
    }
    for (int i = 0; i < 128; i++)
        f->c[i / 8][i % 8] = random_bits() % 4 ? fabsf(random_float(-4, 2)) : 0;
}

static void fill_bytes(fragment *f)
{
    uint8_t *bytes = f->bytes_a[0];

    for (size_t i = 0; i < sizeof f->bytes_a + sizeof f->bytes_b; i++)
        bytes[i] = (uint8_t)random_bits();
}

static uint32_t sum_bytes(const uint8_t *a, const uint8_t *b, int count)
{
    uint32_t sum = 0;

    for (int k = 0; k < count; k++)
        sum += (uint32_t)a[k] * b[k];
    return sum;
}

static bool same_bits(float x, float y)
{
    return memcmp(&x, &y, sizeof x) == 0;
}

static void check_element(const char *kind, const fragment &in, const products &out, int row,
                          int column, const emulated::tensor_cores &cores)
{
    const float c = in.c[row][column];
    const float wanted_16 = add_products(cores, in.a[row], in.b[column], 16, c);
    const float wanted_8 = add_products(cores, in.a[row], in.b[column], 8, c);

    CHECK(same_bits(out.halves_16[row][column], wanted_16), "%s: 16 products to %a: %a, not %a",
          kind, (double)c, (double)out.halves_16[row][column], (double)wanted_16);
    CHECK(same_bits(out.halves_8[row][column], wanted_8), "%s: 8 products to %a: %a, not %a", kind,
          (double)c, (double)out.halves_8[row][column], (double)wanted_8);
    CHECK(out.bytes_32[row][column] == sum_bytes(in.bytes_a[row], in.bytes_b[column], 32), "%s",
          kind);
    CHECK(out.bytes_16[row][column] == sum_bytes(in.bytes_a[row], in.bytes_b[column], 16), "%s",
          kind);
}

static void check_kind(const char *kind, void (*fill)(fragment *), int count, int major)
{
    std::vector<fragment> fragments((size_t)count);
    std::vector<products> results((size_t)count);
    void *in, *out;

    for (fragment &f : fragments) {
        fill(&f);
        fill_bytes(&f);
    }
    NEED(cudaMalloc(&in, (size_t)count * sizeof(fragment)) == cudaSuccess);
    NEED(cudaMalloc(&out, (size_t)count * sizeof(products)) == cudaSuccess);
    NEED(cudaMemcpy(in, fragments.data(), (size_t)count * sizeof(fragment),
                    cudaMemcpyHostToDevice) == cudaSuccess);
    LAUNCH(multiply_fragments, (unsigned)count, 32, 0, NULL, static_cast<const fragment *>(in),
           static_cast<products *>(out));
    NEED(cudaMemcpy(results.data(), out, (size_t)count * sizeof(products),
                    cudaMemcpyDeviceToHost) == cudaSuccess);
    cudaFree(in);
    cudaFree(out);
    for (size_t i = 0; i < fragments.size() && unit_failures < 20; i++)
        for (int element = 0; element < 128; element++)
            check_element(kind, fragments[i], results[i], element / 8, element % 8,
                          emulated::tensor_cores_of(major));
}

int main(int argc, char **argv)
{
    const int count = argc > 1 ? atoi(argv[1]) : 20;
    int devices = 0;

    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
        return getenv("SMOOTHIMG_REQUIRE_GPU") ? 1 : 77;
    const int major = attribute_of_device(cudaDevAttrComputeCapabilityMajor);

    if (major < 8)
        return 77;
    check_kind("wide", fill_wide, count, major);
    check_kind("near", fill_near, count, major);
    check_kind("cancelling", fill_cancelling, count, major);
    check_kind("tiny", fill_tiny, count, major);
    check_kind("digits", fill_digits, count, major);
    return unit_result();
}
