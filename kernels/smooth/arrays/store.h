/* SPDX-License-Identifier: MIT */
/* Storers: real numbers, rounded into samples of any type (round.h). Part of loops.c. */
#ifndef SMOOTHIMG_ARRAYS_STORE_H
#define SMOOTHIMG_ARRAYS_STORE_H

#include "kernels/smooth/cpu/vectors/halves.h"

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

/* WIDTH numbers that lie within b of `value`, and whose lower or upper ends are rounded into
 * samples at dst. Each of these returns lanes below 0 where the other ends give others. */
typedef uint32_t few_bits __attribute__((vector_size(4 * WIDTH)));
typedef int32_t few_ints __attribute__((vector_size(4 * WIDTH)));

/* Bits are compared: of zeros the sign tells on which side of 0 an end lies. Of 0 itself both ends
 * are +0. */
INLINED truths round_floats(vector value, vector b, char *dst)
{
    const halves low = narrowed(value - b + 0.0), high = narrowed(value + b);

    memcpy(dst, &low, sizeof low);
    return -__builtin_convertvector((few_bits)low ^ (few_bits)high, truths);
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

/* a, but least..most. */
INLINED vector clamped(vector a, double least, double most)
{
#ifdef __AVX512F__
    return (vector)_mm512_max_pd(_mm512_min_pd((__m512d)a, _mm512_set1_pd(most)),
                                 _mm512_set1_pd(least));
#elif defined __AVX__
    return (vector)_mm256_max_pd(_mm256_min_pd((__m256d)a, _mm256_set1_pd(most)),
                                 _mm256_set1_pd(least));
#else
    const truths below = (truths)(a < all(most));
    const vector lower = (vector)(((truths)a & below) | ((truths)all(most) & ~below));
    const truths above = (truths)(lower > all(least));

    return (vector)(((truths)lower & above) | ((truths)all(least) & ~above));
#endif
}

INLINED few_ints ints_of(vector whole)
{
#ifdef __AVX512F__
    return (few_ints)_mm512_cvttpd_epi32((__m512d)whole);
#elif defined __AVX2__
    return (few_ints)_mm256_cvttpd_epi32((__m256d)whole);
#else
    return __builtin_convertvector(whole, few_ints);
#endif
}

/* Whole numbers least..most; `shift` of 32 bits brings them into the range of an int. The upper
 * end, with 1/2, is rounded down; b allows for what that loses. */
INLINED truths round_integers(vector value, vector b, double least, double most, double shift,
                              few_ints *samples)
{
    const vector upper = value + (b + 0.5), whole = floors(upper);

    *samples = ints_of(clamped(whole, least, most) - shift);
    return (truths)((upper - whole) - 2 * b);
}

/* Of a row: store_all_NAME. */
#define DEFINE_STORE_INTEGERS(SAMPLE, NAME, TYPE, LEAST, MOST)                                     \
    typedef TYPE few_##NAME __attribute__((vector_size(sizeof(TYPE) * WIDTH)));                    \
                                                                                                   \
    INLINED truths round_all_##NAME(vector value, vector b, char *dst)                             \
    {                                                                                              \
        const double shift = (MOST) < 0x1p31 ? 0 : 0x1p31;                                         \
        few_ints whole;                                                                            \
        const truths open = round_integers(value, b, LEAST, MOST, shift, &whole);                  \
        const few_##NAME samples = __builtin_convertvector(whole, few_##NAME) + (TYPE)(shift);     \
                                                                                                   \
        memcpy(dst, &samples, sizeof samples);                                                     \
        return open;                                                                               \
    }                                                                                              \
                                                                                                   \
    INLINED truths store_all_##NAME(const struct estimates *from, int64_t x, char *dst)            \
    {                                                                                              \
        const vector value = at(from->value + x);                                                  \
        const vector b =                                                                           \
            bounds_of(from, x) + 1.01 * sizes(rests_of(from, x)) + (sizes(value) + 1) * 0x1p-51;   \
                                                                                                   \
        return round_all_##NAME(value, b, dst) | ~(all_finite(b) & all_finite(value));             \
    }

SMALL_INTEGERS(DEFINE_STORE_INTEGERS)

INLINED truths store_all_f32(const struct estimates *from, int64_t x, char *dst)
{
    const vector value = at(from->value + x);
    const vector b = wider_all(bounds_of(from, x) + 1.01 * sizes(rests_of(from, x)), value);

    return round_floats(value, b, dst) | ~(all_finite(b) & all_finite(value));
}

INLINED truths store_all_f64(const struct estimates *from, int64_t x, char *dst)
{
    const vector value = at(from->value + x), rest = rests_of(from, x);
    const vector sum = value + rest, left = sum_rest(value, rest, sum);
    const vector b = wider_all(bounds_of(from, x), left);
    const vector low = sum + (left - b), high = sum + (left + b);

    memcpy(dst, &low, sizeof low);
    return ~((truths)(low == high) & all_finite(low) &
             ((truths)(low != all(0)) | (truths)(b == all(0))));
}

/* Those whose vectors are not written: none is sure. */
#define DEFINE_STORE_NONE(NAME)                                                                    \
    INLINED truths store_all_##NAME(const struct estimates *from, int64_t x, char *dst)            \
    {                                                                                              \
        (void)from, (void)x, (void)dst;                                                            \
        return ~(truths){0};                                                                       \
    }

DEFINE_STORE_NONE(i64)
DEFINE_STORE_NONE(u64)
DEFINE_STORE_NONE(f16)

/* store_NAME, of STEM _NAME. The first function rounds numbers of the row one by one. */
#define DEFINE_STORE(STEM, TYPE)                                                                   \
    static bool store_some##STEM(const struct estimates *from, int64_t begin, int64_t n,           \
                                 char *dst, int64_t stride, uint8_t *open)                         \
    {                                                                                              \
        bool any = false;                                                                          \
                                                                                                   \
        for (int64_t x = begin; x < n; x++) {                                                      \
            TYPE sample;                                                                           \
                                                                                                   \
            open[x] = round##STEM(from->value[x], rest_of(from, x), bound_of(from, x), &sample);   \
            any |= open[x];                                                                        \
            memcpy(dst + x * stride, &sample, sizeof sample);                                      \
        }                                                                                          \
        return any;                                                                                \
    }                                                                                              \
                                                                                                   \
    static bool store##STEM(const struct estimates *from, int64_t n, char *dst, int64_t stride,    \
                            uint8_t *open)                                                         \
    {                                                                                              \
        const int64_t whole = n - n % WIDTH;                                                       \
        truths any = {0};                                                                          \
                                                                                                   \
        if (stride != sizeof(TYPE))                                                                \
            return store_some##STEM(from, 0, n, dst, stride, open);                                \
        for (int64_t x = 0; x < whole; x += WIDTH)                                                 \
            any |= store_all##STEM(from, x, dst + x * (int64_t)sizeof(TYPE));                      \
        if (any_negative(any))                                                                     \
            return store_some##STEM(from, 0, n, dst, stride, open);                                \
        for (int64_t x = 0; x < whole; x++)                                                        \
            open[x] = 0;                                                                           \
        return store_some##STEM(from, whole, n, dst, stride, open);                                \
    }

#define DEFINE_STORE_OF(SAMPLE, NAME, TYPE, LEAST, MOST) DEFINE_STORE(_##NAME, TYPE)
SMALL_INTEGERS(DEFINE_STORE_OF)
DEFINE_STORE(_i64, int64_t)
DEFINE_STORE(_u64, uint64_t)
DEFINE_STORE(_f16, uint16_t)
DEFINE_STORE(_f32, float)
DEFINE_STORE(_f64, double)

static bool store(const struct reals *from, const struct array_bound *bound, enum sample_type type,
                  int64_t n, void *dst, int64_t stride, uint8_t *open)
{
    static bool (*const stores[SAMPLE_TYPES])(const struct estimates *, int64_t, char *, int64_t,
                                              uint8_t *) = {
#define ROW(SAMPLE, NAME, TYPE, LEAST, MOST) [SAMPLE] = store_##NAME,
        SMALL_INTEGERS(ROW)
#undef ROW
            [SAMPLE_I64] = store_i64,
        [SAMPLE_U64] = store_u64, [SAMPLE_F16] = store_f16, [SAMPLE_F32] = store_f32,
        [SAMPLE_F64] = store_f64};
    const struct estimates estimates = {from->value, from->rest, from->magnitude, bound->relative,
                                        bound->absolute};

    return stores[type](&estimates, n, dst, stride, open);
}

#endif
