/* SPDX-License-Identifier: MIT */
/* Compiled once for each instruction set, ISA being its name. The same loops serve floats
 * and doubles. */
#include "kernels/smooth/cpu/weighted/loops.h"

#include "kernels/common/isa.h"
#include "kernels/smooth/cpu/vectors.h"

#define VECTORS 4 /* that are worked on at a time */
#define SIGN INT32_MIN

/* Colours have alpha's sum to their right; alpha's own place gets 1, from the second vector. */
#define SPREAD_2(I, WIDTH) (I) + 1, (WIDTH)
#define SPREAD_4(I, WIDTH) (I) + 3, (I) + 3, (I) + 3, (WIDTH)

static inline int32_t chosen(int32_t rounded, int32_t own, int32_t maxval)
{
    return rounded < 0 ? own : rounded < maxval ? rounded : maxval;
}

static void narrow_u8(const int32_t *restrict rounded, const uint8_t *restrict src, int32_t maxval,
                      uint8_t *restrict dst, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        dst[i] = (uint8_t)chosen(rounded[i], src[i], maxval);
}

static void narrow_u16(const int32_t *restrict rounded, const uint16_t *restrict src,
                       int32_t maxval, uint16_t *restrict dst, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        dst[i] = (uint16_t)chosen(rounded[i], src[i], maxval);
}

static void narrow(const int32_t *rounded, const void *src, int32_t sample_bytes, int32_t maxval,
                   void *dst, int64_t n)
{
    if (sample_bytes == 1)
        narrow_u8(rounded, src, maxval, dst, n);
    else
        narrow_u16(rounded, src, maxval, dst, n);
}

#define REAL float
#define REAL_BYTES 4
#define WHOLE int32_t
#define OF_REALS(STEM) STEM##_floats
#include "kernels/smooth/cpu/weighted/reals.h"
#undef REAL
#undef REAL_BYTES
#undef WHOLE
#undef OF_REALS

#define REAL double
#define REAL_BYTES 8
#define WHOLE int64_t
#define OF_REALS(STEM) STEM##_doubles
#include "kernels/smooth/cpu/weighted/reals.h"

extern const struct weighted_precisions FOR_ISA(weighted_loops);
const struct weighted_precisions FOR_ISA(weighted_loops) = {&loops_floats, &loops_doubles};
