/* SPDX-License-Identifier: MIT */
/* The sample types of arrays. */
#ifndef SMOOTHIMG_SAMPLE_TYPE_H
#define SMOOTHIMG_SAMPLE_TYPE_H

#include <stdbool.h>
#include <stdint.h>

/* The types, numbered as in smoothimg.h. Samples have native byte order. A BOOL is a byte that is 0
 * or 1. F16, F32 and F64 are the formats of IEEE 754. */
enum sample_type {
    SAMPLE_U8,
    SAMPLE_U16,
    SAMPLE_F32,
    SAMPLE_BOOL,
    SAMPLE_I8,
    SAMPLE_I16,
    SAMPLE_I32,
    SAMPLE_U32,
    SAMPLE_I64,
    SAMPLE_U64,
    SAMPLE_F16,
    SAMPLE_F64,
    SAMPLE_TYPES
};

/* The range and precision of a type. */
struct sample_format {
    int bytes;
    bool is_float;
    bool is_signed;       /* integers: the type has negative numbers */
    int significant_bits; /* bits of the greatest integer, or of a float's significand */
    int least_exponent;   /* floats: the smallest positive number is 2^least_exponent */
    int exponent_bits;    /* floats: width of the exponent field */
};

static inline struct sample_format sample_format(enum sample_type type)
{
    static const struct sample_format formats[SAMPLE_TYPES] = {
        {1, false, false, 8, 0, 0},   {2, false, false, 16, 0, 0},    /* U8, U16 */
        {4, true, true, 24, -149, 8}, {1, false, false, 1, 0, 0},     /* F32, BOOL */
        {1, false, true, 7, 0, 0},    {2, false, true, 15, 0, 0},     /* I8, I16 */
        {4, false, true, 31, 0, 0},   {4, false, false, 32, 0, 0},    /* I32, U32 */
        {8, false, true, 63, 0, 0},   {8, false, false, 64, 0, 0},    /* I64, U64 */
        {2, true, true, 11, -24, 5},  {8, true, true, 53, -1074, 11}, /* F16, F64 */
    };

    return formats[type];
}

/* True if the type has at least as many significant bits as a double. Then the error of a sum in
 * one double is too large to round the sum to this type. */
static inline bool sample_is_wide(enum sample_type type)
{
    return type == SAMPLE_I64 || type == SAMPLE_U64 || type == SAMPLE_F64;
}

#endif
