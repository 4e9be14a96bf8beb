// SPDX-License-Identifier: MIT
// A model of how tensor cores add products of half floats to a float. Two published models agree
// (Khattak and Mikaitis, arXiv 2512.07004; MMA-Sim, arXiv 2511.10909):
//
// - The addends are the float and the products, which are exact and not normalised.
// - All addends are aligned to the greatest exponent that an addend other than 0 has.
// - Each addend is then cut, towards zero, to the bits that a float with that exponent has, plus
//   `extra_bits` lower bits.
// - The cut addends are added exactly, and the sum is cut to a float, towards zero.
// - The products are added in groups of tensor_cores.group, one group after another.
//
// This file needs no CUDA. The emulated device uses it, and tests compare it with a GPU.
#ifndef SMOOTHIMG_TENSOR_SUMS_H
#define SMOOTHIMG_TENSOR_SUMS_H

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace emulated
{

// How addends are cut. A unit is the value of the last bit that is kept. `published` cuts as the
// published models do. `least` and `greatest` assume less: a cut moves an addend towards zero by
// less than one unit, and leaves a multiple of the unit as it is. With `least`, each cut is chosen
// so that the sum is as small as possible, with `greatest` so that it is as great as possible. A
// bound on errors that relies on the model must hold for both sums.
enum class cuts { published, least, greatest };

struct tensor_cores {
    int group;      // number of products that are added at once
    int extra_bits; // how many bits below a float's last bit an aligned addend keeps
    cuts how;
};

// Returns the tensor cores of GPUs whose compute capability has this major number. 7 stands for
// 7.0.
inline tensor_cores tensor_cores_of(int major, cuts how = cuts::published)
{
    return major >= 9   ? tensor_cores{16, 2, how}
           : major == 8 ? tensor_cores{8, 1, how}
                        : tensor_cores{4, 0, how};
}

// An addend is the number significand * 2^(exponent - FRACTION_BITS). significand *
// 2^-FRACTION_BITS is less than 4 for a product, and less than 2 for a float. Subnormal numbers
// have the exponent of the smallest normal number. The results of of_half are an exception: they
// stand for significand * 2^(exponent - 10).
struct addend {
    static constexpr int FRACTION_BITS = 23;
    int64_t significand;
    int exponent;
};

inline addend of_half(uint16_t bits)
{
    const int field = bits >> 10 & 31;
    const int64_t size = (int64_t)(bits & 1023) + (field ? 1024 : 0);

    return {bits & 0x8000 ? -size : size, std::max(field, 1) - 15};
}

inline addend of_product(uint16_t a, uint16_t b)
{
    const addend x = of_half(a), y = of_half(b);

    return {x.significand * y.significand * 8, x.exponent + y.exponent};
}

inline addend of_float(float x)
{
    const auto bits = std::bit_cast<uint32_t>(x);
    const int field = (int)(bits >> 23 & 255);
    const int64_t size = (int64_t)(bits & 0x7fffff) + (field ? 0x800000 : 0);

    return {bits >> 31 ? -size : size, std::max(field, 1) - 127};
}

// The sum so far, in units of the last bit that is kept.
struct aligned_sum {
    cuts how;
    int64_t whole = 0; // sum of the addends, each cut towards zero
    double cut = 0; // sum of the parts that have been cut off, in units; stays 0 with `published`
    int above = 0,
        below = 0; // positive and negative addends that a cut changed; 0 with `published`

    // Adds x. `places` is how many bits of x are below the unit; it may be negative.
    void add(const addend &x, int places)
    {
        const int64_t unit = (int64_t)1 << std::min(std::abs(places), 62);
        const int64_t kept = places > 0 ? x.significand / unit : x.significand * unit;

        whole += kept;
        if (how == cuts::published || places <= 0)
            return;
        const int64_t rest = x.significand - kept * unit;

        cut += std::ldexp((double)rest, -places);
        above += rest > 0;
        below += rest < 0;
    }

    int64_t result() const
    {
        return how == cuts::least      ? whole + (int64_t)std::ceil(cut) - above
               : how == cuts::greatest ? whole + (int64_t)std::floor(cut) + below
                                       : whole;
    }
};

// Returns sum * 2^exponent, cut to a float towards zero.
inline float cut_to_float(int64_t sum, int exponent)
{
    const uint64_t size = (uint64_t)std::abs(sum);
    int surplus = 0; // bits beyond a float's precision

    while (size >> surplus >= 1u << 24 || (size >> surplus > 0 && exponent + surplus < -149))
        surplus++;
    const float result = std::ldexp((float)(size >> surplus), exponent + surplus);

    return sum < 0 ? -result : result;
}

// Returns c plus a group of products a[i] * b[i], i = 0..count-1. `count` is at most 16.
inline float add_group(const tensor_cores &cores, const uint16_t *a, const uint16_t *b, int count,
                       float c)
{
    const addend last = of_float(c);
    addend products[16];
    int greatest = last.significand ? last.exponent : -133;
    aligned_sum sum = {cores.how};

    for (int i = 0; i < count; i++) {
        products[i] = of_product(a[i], b[i]);
        if (products[i].significand)
            greatest = std::max(greatest, products[i].exponent);
    }
    for (int i = 0; i < count; i++)
        if (products[i].significand)
            sum.add(products[i], greatest - cores.extra_bits - products[i].exponent);
    if (last.significand)
        sum.add(last, greatest - cores.extra_bits - last.exponent);
    return cut_to_float(sum.result(), greatest - cores.extra_bits - addend::FRACTION_BITS);
}

// Returns c plus `count` products. The operands are finite.
inline float add_products(const tensor_cores &cores, const uint16_t *a, const uint16_t *b,
                          int count, float c)
{
    for (int i = 0; i < count; i += cores.group)
        c = add_group(cores, a + i, b + i, std::min(cores.group, count - i), c);
    return c;
}

} // namespace emulated

#endif
