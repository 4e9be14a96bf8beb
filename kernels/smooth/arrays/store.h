/* SPDX-License-Identifier: MIT */
/* Storers: real numbers, rounded into samples of any type (round.h). Part of loops.c. */
#ifndef SMOOTHIMG_ARRAYS_STORE_H
#define SMOOTHIMG_ARRAYS_STORE_H

/* Numbers and their bounds: see struct array_bound. */
struct estimates {
    const double *value, *rest, *magnitude; /* the last two may be NULL */
    double relative, absolute;
};

INLINED double rest_of(const struct estimates *estimates, int64_t x)
{
    return estimates->rest ? estimates->rest[x] : 0;
}

INLINED double bound_of(const struct estimates *estimates, int64_t x)
{
    const double magnitude = estimates->magnitude ? estimates->magnitude[x] : 0;
    const double bound = magnitude * estimates->relative + estimates->absolute;

    return estimates->magnitude && magnitude == 0 ? 0 : bound;
}

INLINED vector rests_of(const struct estimates *estimates, int64_t x)
{
    return estimates->rest ? at(estimates->rest + x) : all(0);
}

INLINED vector bounds_of(const struct estimates *estimates, int64_t x)
{
    const vector absolute = all(estimates->absolute);
    vector magnitude;

    if (!estimates->magnitude)
        return absolute;
    magnitude = at(estimates->magnitude + x);
    return (vector)((truths)(magnitude * estimates->relative + absolute) &
                    (truths)(magnitude != all(0)));
}

/* As wider(), where there is a bound. */
INLINED vector wider_all(vector bounds, vector estimates)
{
    const vector wide = bounds + sizes(estimates) * 0x1p-52;

    return (vector)((truths)wide & (truths)(bounds > all(0)));
}

INLINED truths all_finite(vector a)
{
    return (truths)(sizes(a) < all(INFINITY));
}

INLINED bool any_false(truths sure)
{
    int64_t both = -1;

    UNROLLED
    for (int i = 0; i < WIDTH; i++)
        both &= sure[i];
    return both == 0;
}

/* Of WIDTH numbers; returns where they are sure. */
INLINED truths round_all_f64(const struct estimates *from, int64_t x, char *dst)
{
    const vector value = at(from->value + x), rest = rests_of(from, x);
    const vector sum = value + rest, left = sum_rest(value, rest, sum);
    const vector b = wider_all(bounds_of(from, x), left);
    const vector low = sum + (left - b), high = sum + (left + b);

    memcpy(dst + x * (int64_t)sizeof(double), &low, sizeof low);
    return (truths)(low == high) & all_finite(low) &
           ((truths)(low != all(0)) | (truths)(b == all(0)));
}

typedef float few_floats __attribute__((vector_size(4 * WIDTH)));

INLINED truths round_all_f32(const struct estimates *from, int64_t x, char *dst)
{
    const vector value = at(from->value + x), rest = rests_of(from, x);
    const vector b = wider_all(bounds_of(from, x) + 1.01 * sizes(rest), value);
    const few_floats low = __builtin_convertvector(value - b + 0.0, few_floats);
    const few_floats high = __builtin_convertvector(value + b, few_floats);
    const vector lower = __builtin_convertvector(low, vector);

    memcpy(dst + x * (int64_t)sizeof(float), &low, sizeof low);
    return (truths)(lower == __builtin_convertvector(high, vector)) & all_finite(b) &
           all_finite(value) & ((truths)(lower != all(0)) | (truths)(b == all(0)));
}

INLINED vector floors(vector a)
{
#ifdef __AVX512F__
    return (vector)_mm512_floor_pd((__m512d)a);
#elif defined __AVX__
    return (vector)_mm256_floor_pd((__m256d)a);
#elif defined LEVEL_NEON
    return (vector)vrndmq_f64((float64x2_t)a);
#else
    for (int i = 0; i < WIDTH; i++)
        a[i] = floor(a[i]);
    return a;
#endif
}

typedef int32_t few_ints __attribute__((vector_size(4 * WIDTH)));

/* Whole numbers least..most; `shift` of 32 bits brings them into the range of an int. */
INLINED truths round_all_integers(const struct estimates *from, int64_t x, double least,
                                  double most, double shift, few_ints *samples)
{
    const vector moved = at(from->value + x) + 0.5, whole = floors(moved), part = moved - whole;
    const vector b = bounds_of(from, x) + sizes(moved) * 0x1p-52 + 1.01 * sizes(rests_of(from, x));
    const truths below = (truths)(whole < all(most));
    const vector lower = (vector)((truths)whole & below) + (vector)((truths)all(most) & ~below);
    const truths above = (truths)(lower > all(least));
    const vector inside = (vector)((truths)lower & above) + (vector)((truths)all(least) & ~above);

    *samples = __builtin_convertvector(inside - shift, few_ints);
    return (truths)(part >= b) & (truths)(part < 1 - b);
}

#define DEFINE_ROUND_ALL(NAME, TYPE, LEAST, MOST, SHIFT)                                           \
    typedef TYPE few_##NAME __attribute__((vector_size(sizeof(TYPE) * WIDTH)));                    \
                                                                                                   \
    INLINED truths round_all_##NAME(const struct estimates *from, int64_t x, char *dst)            \
    {                                                                                              \
        few_ints whole;                                                                            \
        const truths sure = round_all_integers(from, x, LEAST, MOST, SHIFT, &whole);               \
        const few_##NAME samples = __builtin_convertvector(whole, few_##NAME) + (TYPE)(SHIFT);     \
                                                                                                   \
        memcpy(dst + x * (int64_t)sizeof(TYPE), &samples, sizeof samples);                         \
        return sure;                                                                               \
    }

DEFINE_ROUND_ALL(bool, uint8_t, 0., 1., 0.)
DEFINE_ROUND_ALL(i8, int8_t, -128., 127., 0.)
DEFINE_ROUND_ALL(u8, uint8_t, 0., 255., 0.)
DEFINE_ROUND_ALL(i16, int16_t, -32768., 32767., 0.)
DEFINE_ROUND_ALL(u16, uint16_t, 0., 65535., 0.)
DEFINE_ROUND_ALL(i32, int32_t, -2147483648., 2147483647., 0.)
DEFINE_ROUND_ALL(u32, uint32_t, 0., 4294967295., 0x1p31)

/* Those whose vectors are not written: none is sure. */
#define DEFINE_ROUND_NONE(NAME, TYPE)                                                              \
    INLINED truths round_all_##NAME(const struct estimates *from, int64_t x, char *dst)            \
    {                                                                                              \
        (void)from, (void)x, (void)dst;                                                            \
        return (truths){0};                                                                        \
    }

DEFINE_ROUND_NONE(i64, int64_t)
DEFINE_ROUND_NONE(u64, uint64_t)
DEFINE_ROUND_NONE(f16, uint16_t)

/* Rounds numbers of the row from `begin` on, one by one. */
#define DEFINE_STORE(NAME, TYPE)                                                                   \
    static bool store_some_##NAME(const struct estimates *from, int64_t begin, int64_t n,          \
                                  char *dst, int64_t stride, uint8_t *open)                        \
    {                                                                                              \
        bool any = false;                                                                          \
                                                                                                   \
        for (int64_t x = begin; x < n; x++) {                                                      \
            TYPE sample;                                                                           \
                                                                                                   \
            open[x] = round_##NAME(from->value[x], rest_of(from, x), bound_of(from, x), &sample);  \
            any |= open[x];                                                                        \
            memcpy(dst + x * stride, &sample, sizeof sample);                                      \
        }                                                                                          \
        return any;                                                                                \
    }                                                                                              \
                                                                                                   \
    static bool store_##NAME(const struct estimates *from, int64_t n, char *dst, int64_t stride,   \
                             uint8_t *open)                                                        \
    {                                                                                              \
        const int64_t whole = n - n % WIDTH;                                                       \
        truths sure = (truths){0} == 0;                                                            \
                                                                                                   \
        if (stride != sizeof(TYPE))                                                                \
            return store_some_##NAME(from, 0, n, dst, stride, open);                               \
        for (int64_t x = 0; x < whole; x += WIDTH)                                                 \
            sure &= round_all_##NAME(from, x, dst);                                                \
        if (any_false(sure))                                                                       \
            return store_some_##NAME(from, 0, n, dst, stride, open);                               \
        for (int64_t x = 0; x < whole; x++)                                                        \
            open[x] = 0;                                                                           \
        return store_some_##NAME(from, whole, n, dst, stride, open);                               \
    }

DEFINE_STORE(bool, uint8_t)
DEFINE_STORE(i8, int8_t)
DEFINE_STORE(u8, uint8_t)
DEFINE_STORE(i16, int16_t)
DEFINE_STORE(u16, uint16_t)
DEFINE_STORE(i32, int32_t)
DEFINE_STORE(u32, uint32_t)
DEFINE_STORE(i64, int64_t)
DEFINE_STORE(u64, uint64_t)
DEFINE_STORE(f16, uint16_t)
DEFINE_STORE(f32, float)
DEFINE_STORE(f64, double)

static bool store(const struct reals *from, const struct array_bound *bound, enum sample_type type,
                  int64_t n, void *dst, int64_t stride, uint8_t *open)
{
    static bool (*const stores[SAMPLE_TYPES])(const struct estimates *, int64_t, char *, int64_t,
                                              uint8_t *) = {
        [SAMPLE_BOOL] = store_bool, [SAMPLE_I8] = store_i8,   [SAMPLE_U8] = store_u8,
        [SAMPLE_I16] = store_i16,   [SAMPLE_U16] = store_u16, [SAMPLE_I32] = store_i32,
        [SAMPLE_U32] = store_u32,   [SAMPLE_I64] = store_i64, [SAMPLE_U64] = store_u64,
        [SAMPLE_F16] = store_f16,   [SAMPLE_F32] = store_f32, [SAMPLE_F64] = store_f64};
    const struct estimates estimates = {from->value, from->rest, from->magnitude, bound->relative,
                                        bound->absolute};

    return stores[type](&estimates, n, dst, stride, open);
}

#endif
