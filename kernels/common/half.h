/* SPDX-License-Identifier: MIT */
/* Half-precision floats (binary16), given as their bits, for the host and for GPUs. */
#ifndef SMOOTHIMG_HALF_H
#define SMOOTHIMG_HALF_H

#include "kernels/common/host_device.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Converts any binary16 to a double. Moves the exponent and the fraction to their places in a
 * double, and then multiplies by 2^1008, which corrects the exponent's bias, also for subnormal
 * numbers. Infinities and NaN have the greatest exponent in both formats. */
HOST_DEVICE double of_half(uint16_t bits)
{
    const uint64_t magnitude = bits & 0x7fffu, sign = (uint64_t)(bits >> 15) << 63;
    const uint64_t moved = magnitude << 42;
    uint64_t made = sign | moved;
    double value;

    if (magnitude >= 0x7c00)
        made |= (uint64_t)0x7ff << 52;
    memcpy(&value, &made, sizeof value);
    return magnitude >= 0x7c00 ? value : value * 0x1p1008;
}

/* Converts to the nearest binary16, ties to even. For a NaN the result is unspecified. Adding 2^28
 * to a double rounds it to a multiple of 2^-24, the unit of subnormal halves. */
HOST_DEVICE uint16_t half_of(double value)
{
    const double magnitude = fabs(value);
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    uint64_t bits;

    if (magnitude >= 65520) /* 65520: midway between the greatest number, 65504, and 2^16 */
        return sign | 0x7c00;
    if (magnitude < 0x1p-14)
        return (uint16_t)(sign + (uint16_t)(((magnitude + 0x1p28) - 0x1p28) * 0x1p24));
    memcpy(&bits, &magnitude, sizeof bits);
    bits += ((uint64_t)1 << 41) - 1 + (bits >> 42 & 1);
    return (uint16_t)(sign + (uint16_t)((bits >> 42) - ((uint64_t)(1023 - 15) << 10)));
}

#endif
