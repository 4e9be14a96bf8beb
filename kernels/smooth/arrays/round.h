/* SPDX-License-Identifier: MIT */
/* Rounds real numbers to samples of any type, on the host and on GPUs.
 *
 * The estimate is value + rest, and the exact number lies in the interval from estimate - bound to
 * estimate + bound. Rounding is monotone: if both ends of the interval round to the same sample,
 * the exact number does too. The ends are doubles, rounded themselves; wider() increases the bound
 * to allow for that.
 *
 * Each round_NAME sets *sample, and returns true if the sample may be wrong. Except for
 * halves and 64-bit integers these functions have no branches, so that compilers can vectorize
 * loops of them. */
#ifndef SMOOTHIMG_ARRAYS_ROUND_H
#define SMOOTHIMG_ARRAYS_ROUND_H

#include "kernels/common/half.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Widens a bound, because estimate - bound and estimate + bound are rounded to doubles: each loses
 * at most half a unit in its last place. */
HOST_DEVICE double wider(double bound, double estimate)
{
    return bound + fabs(estimate) * 0x1p-52;
}

HOST_DEVICE bool is_finite(double value)
{
    return fabs(value) < INFINITY;
}

HOST_DEVICE bool round_f16(double value, double rest, double bound, uint16_t *sample)
{
    const double b = wider(bound + 1.01 * fabs(rest), bound > 0 || rest != 0 ? value : 0);
    const uint16_t low = half_of(value - b + 0.0), high = half_of(value + b); /* -0 becomes +0 */

    *sample = low;
    return low != high || !is_finite(b) || !is_finite(value);
}

/* The sign of a zero result says on which side of 0 the exact number is. So if an end of the
 * interval rounds to 0, nothing is proven, unless the estimate is exact. */
HOST_DEVICE bool round_f32(double value, double rest, double bound, float *sample)
{
    const double b = wider(bound + 1.01 * fabs(rest), bound > 0 || rest != 0 ? value : 0);
    const float low = (float)(value - b + 0.0), high = (float)(value + b); /* -0 becomes +0 */

    *sample = low;
    return !(low == high) || (low == 0 && b > 0) || !is_finite(b) || !is_finite(value);
}

/* Knuth's method makes sum + left exactly equal to value + rest. */
HOST_DEVICE bool round_f64(double value, double rest, double bound, double *sample)
{
    const double sum = value + rest, b1 = sum - value;
    const double left = (value - (sum - b1)) + (rest - b1);
    const double b = wider(bound, bound > 0 ? left : 0);
    const double low = sum + (left - b), high = sum + (left + b);

    *sample = low;
    return !(low == high) || (low == 0 && b > 0) || !is_finite(low);
}

/* Expands to X(sample type, NAME, TYPE, LEAST, MOST) for each type of integers of up to 32 bits. */
#define SMALL_INTEGERS(X)                                                                          \
    X(SAMPLE_BOOL, bool, uint8_t, 0., 1.)                                                          \
    X(SAMPLE_I8, i8, int8_t, -128., 127.)                                                          \
    X(SAMPLE_U8, u8, uint8_t, 0., 255.)                                                            \
    X(SAMPLE_I16, i16, int16_t, -32768., 32767.)                                                   \
    X(SAMPLE_U16, u16, uint16_t, 0., 65535.)                                                       \
    X(SAMPLE_I32, i32, int32_t, -2147483648., 2147483647.)                                         \
    X(SAMPLE_U32, u32, uint32_t, 0., 4294967295.)

#define DEFINE_ROUND_INTEGER(SAMPLE, NAME, TYPE, LEAST, MOST)                                      \
    HOST_DEVICE bool round_##NAME(double value, double rest, double bound, TYPE *sample)           \
    {                                                                                              \
        const double moved = value + 0.5, whole = floor(moved), part = moved - whole;              \
        const double b = wider(bound, moved) + 1.01 * fabs(rest);                                  \
        const double least = whole < (MOST) ? whole : (MOST);                                      \
                                                                                                   \
        *sample = (TYPE)(least > (LEAST) ? least : (LEAST));                                       \
        return !(part >= b) || !(part < 1 - b);                                                    \
    }

SMALL_INTEGERS(DEFINE_ROUND_INTEGER)

/* Rounds value + rest to a 64-bit integer from LEAST to MOST - 1; MIDDLE is the middle of this
 * range. The integer is floor(value) plus a small remainder. floor(value) is computed as a
 * difference from an end of the range if one is near, otherwise from the middle: such a difference
 * is exact, and fits 64 bits. BITS: the 64 bits of LEAST as a TYPE. The bound grows by 2^-50, since
 * four roundings that wider() does not count lose up to 2^-54 each: the roundings of value - whole,
 * of the sum before 1/2 is added, of `part` and of 1 - b. */
#define DEFINE_ROUND_LONG(NAME, TYPE, LEAST, MIDDLE, MOST, BITS)                                   \
    HOST_DEVICE bool round_##NAME(double value, double rest, double bound, TYPE *sample)           \
    {                                                                                              \
        const double whole = floor(value), left = (value - whole) + rest + 0.5;                    \
        const double more = floor(left), part = left - more, b = wider(bound, left) + 0x1p-50;     \
        const bool is_low = whole < (LEAST) + 0x1p62, is_high = whole >= (MOST)-0x1p62;            \
        const double base = is_low ? (LEAST) : is_high ? (MOST) : (MIDDLE);                        \
        const double far = is_low || is_high ? 0x1p62 : 0x1p63;                                    \
        const double apart = whole - base, near = apart < -far ? -far : apart > far ? far : apart; \
        int64_t steps;                                                                             \
                                                                                                   \
        *sample = 0;                                                                               \
        if (!(part >= b) || !(part < 1 - b) || !(fabs(more) < 0x1p30))                             \
            return 1;                                                                              \
        steps = (int64_t)near + (int64_t)more;                                                     \
        steps = is_low && steps < 0 ? 0 : is_high && steps > -1 ? -1 : steps;                      \
        *sample = (TYPE)((BITS) + (uint64_t)steps + (is_low || is_high ? 0 : (uint64_t)1 << 63));  \
        return 0;                                                                                  \
    }

DEFINE_ROUND_LONG(i64, int64_t, -0x1p63, 0., 0x1p63, (uint64_t)1 << 63)
DEFINE_ROUND_LONG(u64, uint64_t, 0., 0x1p63, 0x1p64, (uint64_t)0)

#endif
