/* SPDX-License-Identifier: MIT */
/* Storers: real numbers, rounded into samples of any type. Part of loops.c.
 *
 * The number that is meant lies between estimate - bound and estimate + bound. Rounding is
 * monotone: where both ends round to the same sample, that is the result. The ends are doubles,
 * rounded themselves; the bound is widened for that (wider). */
#ifndef SMOOTHIMG_ARRAYS_STORE_H
#define SMOOTHIMG_ARRAYS_STORE_H

INLINED double bound_of(const struct reals *from, const struct array_bound *bound, int64_t x)
{
    if (!from->magnitude)
        return bound->absolute;
    return from->magnitude[x] > 0 || from->magnitude[x] != from->magnitude[x]
               ? from->magnitude[x] * bound->relative + bound->absolute
               : 0;
}

/* For ends that are rounded to a double: half a unit of the last place, and a little. */
INLINED double wider(double bound, double estimate)
{
    return bound + fabs(estimate) * 0x1p-52;
}

/* Of binary16, to nearest, ties to even: `value` is a double with the significand in its place when
 * a number that has the same exponent is added to it. */
INLINED uint16_t half_of(double value)
{
    const double magnitude = fabs(value);
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    uint64_t bits;
    double rounded;

    if (magnitude >= 65520) /* the middle between the greatest number and 2^16 */
        return sign | 0x7c00;
    if (magnitude < 0x1p-14) {                   /* subnormal: units of 2^-24 */
        rounded = (magnitude + 0x1p28) - 0x1p28; /* 2^28 has units of 2^-24 */
        return (uint16_t)(sign + (uint16_t)(rounded * 0x1p24));
    }
    memcpy(&bits, &magnitude, sizeof bits);
    bits += ((uint64_t)1 << 41) - 1 + (bits >> 42 & 1);
    return (uint16_t)(sign + (uint16_t)((bits >> 42) - ((uint64_t)(1023 - 15) << 10)));
}

/* Of the floats that are narrower than a double: the rest, if there is one, only widens the bound.
 */
#define DEFINE_STORE_FLOAT(NAME, BITS, ROUNDED)                                                    \
    static bool store_##NAME(const struct reals *from, const struct array_bound *bound, int64_t n, \
                             char *dst, int64_t stride, uint8_t *open)                             \
    {                                                                                              \
        uint8_t any = 0;                                                                           \
                                                                                                   \
        for (int64_t x = 0; x < n; x++) {                                                          \
            const double value = from->value[x], rest = from->rest ? from->rest[x] : 0;            \
            const double b = bound_of(from, bound, x) > 0 || rest != 0                             \
                                 ? wider(bound_of(from, bound, x) + 1.01 * fabs(rest), value)      \
                                 : bound_of(from, bound, x);                                       \
            const BITS low = ROUNDED(value - b), high = ROUNDED(value + b);                        \
                                                                                                   \
            memcpy(dst + x * stride, &low, sizeof low);                                            \
            any |= open[x] = low != high || !(b < INFINITY) || !(fabs(value) < INFINITY);          \
        }                                                                                          \
        return any;                                                                                \
    }

INLINED uint32_t float_bits(double value)
{
    const float rounded = (float)value;
    uint32_t bits;

    memcpy(&bits, &rounded, sizeof bits);
    return bits;
}

DEFINE_STORE_FLOAT(f16, uint16_t, half_of)
DEFINE_STORE_FLOAT(f32, uint32_t, float_bits)

static bool store_f64(const struct reals *from, const struct array_bound *bound, int64_t n,
                      char *dst, int64_t stride, uint8_t *open)
{
    uint8_t any = 0;

    for (int64_t x = 0; x < n; x++) {
        const double value = from->value[x], rest = from->rest[x];
        const double sum = value + rest, b1 = sum - value;
        const double left = (value - (sum - b1)) + (rest - b1); /* sum + left is value + rest */
        const double bound_x = bound_of(from, bound, x);
        const double b = bound_x > 0 ? wider(bound_x, left) : 0;
        const double low = sum + (left - b), high = sum + (left + b);

        memcpy(dst + x * stride, &low, sizeof low);
        any |= open[x] = !(low == high) || !(fabs(low) < INFINITY) || (low == 0 && b > 0);
    }
    return any;
}

/* Integers of up to 32 bits: LEAST..MOST. */
#define DEFINE_STORE_INTEGER(NAME, TYPE, LEAST, MOST)                                              \
    static bool store_##NAME(const struct reals *from, const struct array_bound *bound, int64_t n, \
                             char *dst, int64_t stride, uint8_t *open)                             \
    {                                                                                              \
        uint8_t any = 0;                                                                           \
                                                                                                   \
        for (int64_t x = 0; x < n; x++) {                                                          \
            const double moved = from->value[x] + 0.5, whole = floor(moved), part = moved - whole; \
            const double b = wider(bound_of(from, bound, x), moved) +                              \
                             (from->rest ? 1.01 * fabs(from->rest[x]) : 0);                        \
            const double least = whole < (MOST) ? whole : (MOST);                                  \
            const TYPE sample = (TYPE)(least > (LEAST) ? least : (LEAST));                         \
                                                                                                   \
            memcpy(dst + x * stride, &sample, sizeof sample);                                      \
            any |= open[x] = !(part >= b && part < 1 - b);                                         \
        }                                                                                          \
        return any;                                                                                \
    }

DEFINE_STORE_INTEGER(bool, uint8_t, 0., 1.)
DEFINE_STORE_INTEGER(i8, int8_t, -128., 127.)
DEFINE_STORE_INTEGER(u8, uint8_t, 0., 255.)
DEFINE_STORE_INTEGER(i16, int16_t, -32768., 32767.)
DEFINE_STORE_INTEGER(u16, uint16_t, 0., 65535.)
DEFINE_STORE_INTEGER(i32, int32_t, -2147483648., 2147483647.)
DEFINE_STORE_INTEGER(u32, uint32_t, 0., 4294967295.)

/* value + rest in whole numbers of 64 bits: the value's floor is one, and what is left is small. */
INLINED bool store_long(double value, double rest, double bound, bool is_signed, uint64_t *sample)
{
    const double whole = floor(value), left = (value - whole) + rest + 0.5, more = floor(left);
    const double part = left - more, b = wider(bound, left) + 0x1p-50;
    const double most = is_signed ? 0x1p63 : 0x1p64, least = is_signed ? -0x1p63 : 0;

    *sample = 0;
    /* Near the ends of the range the exact sum decides. */
    if (!(part >= b && part < 1 - b) || !(whole < most - 0x1p40) || !(fabs(more) < 0x1p30))
        return true;
    if (whole + more < least || (!is_signed && whole + more < 0))
        *sample = is_signed ? (uint64_t)1 << 63 : 0;
    else if (whole < least + 0x1p40 && is_signed)
        return true;
    else
        *sample = (is_signed || whole < 0 ? (uint64_t)(int64_t)whole : (uint64_t)whole) +
                  (uint64_t)(int64_t)more;
    return false;
}

static bool store_longs(const struct reals *from, const struct array_bound *bound, bool is_signed,
                        int64_t n, char *dst, int64_t stride, uint8_t *open)
{
    bool any = false;

    for (int64_t x = 0; x < n; x++) {
        uint64_t sample;

        open[x] =
            store_long(from->value[x], from->rest[x], bound_of(from, bound, x), is_signed, &sample);
        any |= open[x];
        memcpy(dst + x * stride, &sample, sizeof sample);
    }
    return any;
}

static bool store(const struct reals *from, const struct array_bound *bound, enum sample_type type,
                  int64_t n, void *dst, int64_t stride, uint8_t *open)
{
    static bool (*const stores[SAMPLE_TYPES])(const struct reals *, const struct array_bound *,
                                              int64_t, char *, int64_t, uint8_t *) = {
        [SAMPLE_BOOL] = store_bool, [SAMPLE_I8] = store_i8,   [SAMPLE_U8] = store_u8,
        [SAMPLE_I16] = store_i16,   [SAMPLE_U16] = store_u16, [SAMPLE_I32] = store_i32,
        [SAMPLE_U32] = store_u32,   [SAMPLE_F16] = store_f16, [SAMPLE_F32] = store_f32,
        [SAMPLE_F64] = store_f64};

    if (type == SAMPLE_I64 || type == SAMPLE_U64)
        return store_longs(from, bound, type == SAMPLE_I64, n, dst, stride, open);
    return stores[type](from, bound, n, dst, stride, open);
}

#endif
