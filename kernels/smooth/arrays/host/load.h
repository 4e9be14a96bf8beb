/* SPDX-License-Identifier: MIT */
/* These functions, the loaders, convert samples of any type to doubles. Only loops.c includes this
 * file. */
#ifndef SMOOTHIMG_ARRAYS_LOAD_H
#define SMOOTHIMG_ARRAYS_LOAD_H

#include "kernels/smooth/arrays/round.h"

/* Defines load_NAME, which converts n samples of TYPE by the function OF. Compilers vectorize the
 * loop whose stride is a constant. */
#define DEFINE_LOAD(NAME, TYPE, OF)                                                                \
    typedef TYPE loaded_##NAME __attribute__((aligned(1), may_alias));                             \
                                                                                                   \
    static void load_##NAME(const char *restrict src, int64_t stride, int64_t n,                   \
                            double *restrict out)                                                  \
    {                                                                                              \
        if (stride == sizeof(TYPE))                                                                \
            for (int64_t x = 0; x < n; x++)                                                        \
                out[x] = OF(((const loaded_##NAME *)src)[x]);                                      \
        else                                                                                       \
            for (int64_t x = 0; x < n; x++)                                                        \
                out[x] = OF(*(const loaded_##NAME *)(src + x * stride));                           \
    }

#define IS_TRUE(SAMPLE) ((SAMPLE) != 0)
DEFINE_LOAD(bool, uint8_t, IS_TRUE)
DEFINE_LOAD(i8, int8_t, (double))
DEFINE_LOAD(u8, uint8_t, (double))
DEFINE_LOAD(i16, int16_t, (double))
DEFINE_LOAD(u16, uint16_t, (double))
DEFINE_LOAD(i32, int32_t, (double))
DEFINE_LOAD(u32, uint32_t, (double))
DEFINE_LOAD(f16, uint16_t, of_half)
DEFINE_LOAD(f32, float, (double))
#define ITSELF(SAMPLE) (SAMPLE)
DEFINE_LOAD(f64, double, ITSELF)

/* Loads 64-bit integers as two halves, of which the upper one has the sign. Both halves are exact,
 * and so is their sum as two doubles. */
static void load_halves(const char *src, int64_t stride, bool is_signed, int64_t n, double *out,
                        double *rest)
{
    for (int64_t x = 0; x < n; x++) {
        uint64_t sample;
        double upper, lower;

        memcpy(&sample, src + x * stride, sizeof sample);
        lower = (double)(uint32_t)sample;
        upper = (is_signed ? (double)(int32_t)(sample >> 32) : (double)(uint32_t)(sample >> 32)) *
                0x1p32;
        out[x] = upper + lower;
        if (rest)
            rest[x] = lower - (out[x] - upper); /* exact: |upper| >= lower, or upper is 0 */
    }
}

static void load(const void *src, int64_t stride, enum sample_type type, int64_t n, double *value,
                 double *rest)
{
    static void (*const loads[SAMPLE_TYPES])(const char *, int64_t, int64_t, double *) = {
        [SAMPLE_BOOL] = load_bool, [SAMPLE_I8] = load_i8,   [SAMPLE_U8] = load_u8,
        [SAMPLE_I16] = load_i16,   [SAMPLE_U16] = load_u16, [SAMPLE_I32] = load_i32,
        [SAMPLE_U32] = load_u32,   [SAMPLE_F16] = load_f16, [SAMPLE_F32] = load_f32,
        [SAMPLE_F64] = load_f64};

    if (type == SAMPLE_I64 || type == SAMPLE_U64)
        load_halves(src, stride, type == SAMPLE_I64, n, value, rest);
    else {
        loads[type](src, stride, n, value);
        if (rest)
            memset(rest, 0, (size_t)n * sizeof *rest);
    }
}

#endif
