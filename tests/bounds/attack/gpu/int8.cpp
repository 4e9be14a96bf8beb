// SPDX-License-Identifier: MIT
// The paths (ways to estimate a result, attack.h) of fused:int8, which splits weights into digits
// of a byte. The sums of products of two bytes are exact, as on tensor cores; the kernel's function
// join() combines these sums into one. The first pass sums lines that are rows of the window.
#include "tests/bounds/attack/gpu/gpu.h"

#include "kernels/smooth/fused/int8/products.cuh"

namespace
{

constexpr int LANES = 8;

int8_filter plan;
int bytes; // bytes of a sample
// [window][row]: the sums along the rows of each window
uint32_t rows[LANES][2 * INT8_MAX_HALO + 1];

uint32_t weight(const int8_axis &axis, int tap, int digit)
{
    return digit < 0 || digit >= WEIGHT_DIGITS
               ? 0
               : digit_of_weight(axis.weights[abs(tap - axis.halo)], digit);
}

attack_service open_digits(const struct request *asked, int sample_bytes, int along_sums,
                           attack_limits *limits)
{
    struct request sized = *asked;
    const struct request *request = &sized;

    // int8_make() sets plan.along_sums, the number of sums along each row of a window: four for a
    // small image, three for a large one.
    sized.src.width = sized.src.height = along_sums < SUMS ? 4096 : 1;
    // The conditions of int8_refuses().
    if (request->src.sample_bytes != sample_bytes || request->halo_x < 1 || request->halo_y < 1 ||
        request->halo > INT8_MAX_HALO || !sums_to_one(request) ||
        greatest_int8_weight(request) == 0 || int8_make(request, &plan) ||
        plan.along_sums != along_sums)
        return DECLINES;
    const error_limits error = int8_limits(request, plan);
    const double unit = ldexp(1, sample_bytes == 1 ? -24 : -16);

    bytes = sample_bytes;
    // plan.offset in grey levels, without the 1/2 that every estimate includes
    const double offset = (plan.offset >> plan.shift) * unit - 0.5;
    *limits = {offset + error.least, offset + error.most, 0, ldexp(plan.unresolved, -32)};
    return SERVES;
}

template <int BYTES, int SUMS_ALONG>
attack_service open(const request *request, attack_limits *limits)
{
    return open_digits(request, BYTES, SUMS_ALONG, limits);
}

// Multiplies a weight by `number`, in digits of 8 bits. The product of the weight's digit i and the
// number's digit j has the place value 256^(i + j). Adds this product to sums[i + j - first], if
// there is such an element; else leaves the product out.
template <int COUNT>
void add_products(uint32_t (&sums)[COUNT][4], int first, const int8_axis &axis, int tap,
                  uint32_t number, int digits)
{
    for (int sum = 0; sum < COUNT; sum++)
        for (int digit = 0; digit < digits; digit++)
            sums[sum][0] += weight(axis, tap, first + sum - digit) * (number >> (8 * digit) & 255);
}

template <int COUNT> uint32_t sum_along(const uint16_t *samples)
{
    uint32_t sums[COUNT][4] = {};

    for (int tap = 0; tap <= 2 * plan.halo_x; tap++)
        add_products<COUNT>(sums, first_along(plan, bytes), plan.x, tap, samples[tap * LANES],
                            bytes);
    return join<COUNT>(sums, 0, plan);
}

void sum_line(int64_t line, const uint16_t *samples)
{
    for (int lane = 0; lane < LANES; lane++)
        rows[lane][line] =
            plan.along_sums == 3 ? sum_along<3>(samples + lane) : sum_along<SUMS>(samples + lane);
}

void estimate(double *t)
{
    for (int lane = 0; lane < LANES; lane++) {
        uint32_t sums[SUMS][4] = {};

        sums[1][0] = plan.offset;
        for (int tap = 0; tap <= 2 * plan.halo_y; tap++)
            add_products<SUMS>(sums, FIRST_DOWN, plan.y, tap, rows[lane][tap], WEIGHT_DIGITS);
        t[lane] = ldexp(join<SUMS>(sums, 0, plan), bytes == 1 ? -24 : -16);
    }
}

const attack_path three = {
    "int8 mma, u8, three sums", LANES, false, 0.5, 1, 0.001, open<1, 3>, sum_line, estimate, false};
const attack_path four = {
    "int8 mma, u8, four sums", LANES, false, 0.5, 1, 0.001, open<1, 4>, sum_line, estimate, false};
const attack_path words = {"int8 mma, u16", LANES,      false,    0.5,      1,
                           0.001,           open<2, 4>, sum_line, estimate, false};

} // namespace

const attack_path *const attack_int8[] = {&three, &four, &words, nullptr};
