// SPDX-License-Identifier: MIT
// The device functions that kernels use, as the CUDA programming guide defines them.
#ifndef SMOOTHIMG_EMULATED_INTRINSICS_H
#define SMOOTHIMG_EMULATED_INTRINSICS_H

#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

inline void __syncwarp(unsigned mask = 0xffffffff, EMULATED_WHERE)
{
    emulated::wait_for_lanes(emulated::warp_op::sync, mask, 0, 0, where);
}

inline unsigned __ballot_sync(unsigned mask, int predicate, EMULATED_WHERE)
{
    return (unsigned)emulated::wait_for_lanes(emulated::warp_op::ballot, mask, predicate != 0, 0,
                                              where);
}

inline int __any_sync(unsigned mask, int predicate, EMULATED_WHERE)
{
    return __ballot_sync(mask, predicate, where) != 0;
}

namespace emulated
{

template <typename T> T shuffle(unsigned mask, T value, int source, place where)
{
    static_assert(sizeof(T) <= sizeof(uint64_t) && std::is_trivially_copyable_v<T>);
    uint64_t bits = 0;

    memcpy(&bits, &value, sizeof value);
    bits = wait_for_lanes(warp_op::shuffle, mask, bits, source, where);
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Returns the first lane of the section of `width` lanes that contains the current lane.
inline int section(int width)
{
    return current_lane() & ~(width - 1);
}

} // namespace emulated

template <typename T>
T __shfl_sync(unsigned mask, T value, int lane, int width = 32, EMULATED_WHERE)
{
    const int source = emulated::section(width) + (lane & (width - 1));

    return emulated::shuffle(mask, value, source, where);
}

// The shuffles below return a lane's own value if the source lane is outside the lane's section;
// __shfl_xor_sync does so only for lanes of later sections, as in CUDA.
template <typename T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, EMULATED_WHERE)
{
    const int lane = emulated::current_lane(), source = lane - (int)delta;

    return emulated::shuffle(mask, value, source < emulated::section(width) ? lane : source, where);
}

template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, EMULATED_WHERE)
{
    const int lane = emulated::current_lane(), source = lane + (int)delta;

    return emulated::shuffle(mask, value,
                             source >= emulated::section(width) + width ? lane : source, where);
}

template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32, EMULATED_WHERE)
{
    const int lane = emulated::current_lane(), source = lane ^ lane_mask;

    return emulated::shuffle(mask, value,
                             source >= emulated::section(width) + width ? lane : source, where);
}

// Nibble i of the selector chooses byte i of the result. The nibble's bits 0..2 are the number of a
// byte: 0..3 in low, 4..7 in high. Byte i is that byte or, if bit 3 of the nibble is set, eight
// copies of that byte's sign bit.
inline unsigned __byte_perm(unsigned low, unsigned high, unsigned selector)
{
    const uint64_t bytes = (uint64_t)high << 32 | low;
    unsigned result = 0;

    for (int i = 0; i < 4; i++) {
        const unsigned nibble = selector >> (4 * i) & 15;
        const unsigned byte = (unsigned)(bytes >> (8 * (nibble & 7))) & 255;

        result |= (nibble & 8 ? (byte & 128 ? 255u : 0u) : byte) << (8 * i);
    }
    return result;
}

template <typename T> T __ldg(const T *pointer)
{
    return *pointer;
}

inline double __hiloint2double(int high, int low)
{
    return std::bit_cast<double>((uint64_t)(uint32_t)high << 32 | (uint32_t)low);
}

// Returns a + b, rounded down. If a, b or their sum is infinite, it may be rounded to nearest.
inline double __dadd_rd(double a, double b)
{
    const double sum = a + b, of_b = sum - a, lost = (a - (sum - of_b)) + (b - of_b);

    return lost < 0 ? nextafter(sum, -INFINITY) : sum;
}

// Returns a + b, rounded up. If a, b or their sum is infinite, it may be rounded to nearest.
inline double __dadd_ru(double a, double b)
{
    return -__dadd_rd(-a, -b);
}

inline int __double2hiint(double number)
{
    return (int)(std::bit_cast<uint64_t>(number) >> 32);
}

// The product never becomes a part of an fma, since kernels are compiled with -ffp-contract=off.
inline double __dmul_rn(double a, double b)
{
    return a * b;
}

inline int __double2loint(double number)
{
    return (int)std::bit_cast<uint64_t>(number);
}

inline unsigned __float_as_uint(float number)
{
    return std::bit_cast<unsigned>(number);
}

// Each half of the result is the minimum of the same halves of a and b, as unsigned 16-bit
// integers.
inline unsigned __vminu2(unsigned a, unsigned b)
{
    const unsigned low = (a & 0xffff) < (b & 0xffff) ? a : b, high = a >> 16 < b >> 16 ? a : b;

    return (high & 0xffff0000u) | (low & 0xffff);
}

inline unsigned __viaddmin_u16x2(unsigned a, unsigned b, unsigned c)
{
    const unsigned low = (a + b) & 0xffff, high = (a >> 16) + (b >> 16);

    return __vminu2(high << 16 | low, c);
}

inline int __popc(unsigned x)
{
    return __builtin_popcount(x);
}

inline int __clz(int x)
{
    return x == 0 ? 32 : __builtin_clz((unsigned)x);
}

inline int __clzll(long long x)
{
    return x == 0 ? 64 : __builtin_clzll((unsigned long long)x);
}

inline int __ffs(int x)
{
    return __builtin_ffs(x);
}

inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((uint64_t)high << 32 | low) >> (shift & 31));
}

// Plain operations are enough: threads run one at a time, and switch only when they wait.
#define EMULATED_ATOMIC(NAME, NEW_VALUE)                                                           \
    template <typename T> EMULATED_UNTRACED T NAME(T *pointer, std::type_identity_t<T> value)      \
    {                                                                                              \
        const T old = *pointer;                                                                    \
                                                                                                   \
        emulated::note_atomic(pointer, sizeof(T));                                                 \
        *pointer = NEW_VALUE;                                                                      \
        return old;                                                                                \
    }
EMULATED_ATOMIC(atomicAdd, (T)(old + value))
EMULATED_ATOMIC(atomicOr, (T)(old | value))
EMULATED_ATOMIC(atomicAnd, (T)(old &value))
EMULATED_ATOMIC(atomicMax, value > old ? value : old)
#undef EMULATED_ATOMIC

template <typename T, typename U> constexpr std::common_type_t<T, U> min(T a, U b)
{
    return b < a ? b : a;
}

template <typename T, typename U> constexpr std::common_type_t<T, U> max(T a, U b)
{
    return a < b ? b : a;
}

#endif
