/* SPDX-License-Identifier: MIT */
/* These functions, the storers, round real numbers to samples of any type (round.h). Only loops.c
 * includes this file.
 *
 * A number in two doubles is value + rest. A sample is unresolved while its rounding is not proven.
 */
#ifndef SMOOTHIMG_ARRAYS_STORE_H
#define SMOOTHIMG_ARRAYS_STORE_H

INLINED double rest_of(const struct array_estimates *from, int64_t x)
{
    return from->rest ? from->rest[x] : 0;
}

INLINED double bound_of(const struct array_estimates *from, int64_t x)
{
    const double absolute = from->bounds[x / ARRAY_BLOCK];
    const double own = fabs(from->value[x]) * from->relative;

    if (from->proves_zeros && from->value[x] == 0 && rest_of(from, x) == 0)
        return 0;
    return own < absolute ? own : absolute;
}

INLINED vector rests_of(const struct array_estimates *from, int64_t x)
{
    return from->rest ? at(from->rest + x) : all(0);
}

/* Returns the error bounds of the WIDTH numbers from index x on, as bound_of() does for one number.
 */
INLINED vector bounds_of(const struct array_estimates *from, int64_t x)
{
    const vector value = at(from->value + x);
    const vector bounds = lesser(sizes(value) * from->relative, all(from->bounds[x / ARRAY_BLOCK]));

    if (!from->proves_zeros)
        return bounds;
    return (vector)((truths)bounds &
                    ((truths)(value != all(0)) | (truths)(rests_of(from, x) != all(0))));
}

/* Does what wider() of round.h does, for WIDTH numbers; but a bound of 0 stays 0. */
INLINED vector wider_all(vector bounds, vector estimates)
{
    const vector wide = bounds + sizes(estimates) * 0x1p-52;

    return (vector)((truths)wide & (truths)(bounds > all(0)));
}

INLINED truths all_finite(vector a)
{
    return (truths)(sizes(a) < all(INFINITY));
}

/* `careful`, an argument of the functions store_all_NAME, is true for estimates that have rests,
 * and for numbers or bounds that may be infinite or NaN. Without the test for these, the sign of a
 * NaN would decide, and processors differ in that sign.
 *
 * round_floats, round_all_NAME and store_all_NAME round WIDTH numbers, which are between value - b
 * and value + b, to samples at dst. They store the sample of one end of each interval, and return a
 * mask of the lanes where the other end may give a different sample: these lanes are negative, or,
 * if lanes have 32 bits, not 0. */
typedef uint32_t few_bits __attribute__((vector_size(4 * WIDTH), may_alias));

INLINED bool any_set(few_bits a)
{
    uint32_t any = 0;

    UNROLLED
    for (int i = 0; i < WIDTH; i++)
        any |= a[i];
    return any != 0;
}

#define ANY_OPEN(LANES) _Generic(LANES, few_bits : any_set, truths : any_negative)(LANES)

/* Compares the bits of the interval's two ends, since the sign of a zero says on which side of 0 an
 * end is. For an exact 0 both ends are +0. */
INLINED few_bits round_floats(vector least, vector most, char *dst)
{
    const halves low = narrowed(least), high = narrowed(most);

    memcpy(dst, &low, sizeof low);
    return (few_bits)low ^ (few_bits)high;
}

/* Returns the floors of numbers below 2^51 in magnitude. For greater numbers the result may be
 * wrong; the bounds leave all of these unresolved. */
INLINED vector floors(vector a)
{
#ifdef __AVX2__
    return (vector)X86(floor_pd)((doubles)a);
#elif defined LEVEL_NEON
    return (vector)vrndmq_f64((float64x2_t)a);
#else
    const vector near = (a + 0x1.8p52) - 0x1.8p52;

    return near - (vector)((truths)(near > a) & (truths)all(1));
#endif
}

/* Returns a, clamped to least..most. */
INLINED vector clamped(vector a, double least, double most)
{
#ifdef X86
    return (vector)X86(max_pd)(X86(min_pd)((doubles)a, X86(set1_pd)(most)), X86(set1_pd)(least));
#else
    const vector lower = lesser(a, all(most));

    return chosen((truths)(lower > all(least)), lower, all(least));
#endif
}

INLINED small_ints ints_of(vector whole)
{
#ifdef __AVX2__
    return (small_ints)X86(cvttpd_epi32)((doubles)whole);
#else
    return __builtin_convertvector(whole, small_ints);
#endif
}

typedef uint8_t few_bytes __attribute__((vector_size(WIDTH)));
typedef uint16_t few_words __attribute__((vector_size(2 * WIDTH)));

/* Stores the lowest `bytes` bytes of each lane. gcc's own conversion would extract the lanes one by
 * one. */
INLINED void narrow(few_bits whole, int bytes, char *dst)
{
#if defined __AVX2__ && !defined __AVX512F__
    const __m128i order = bytes == 1
                              ? _mm_setr_epi8(0, 4, 8, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
                              : _mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 0, 0, 0, 0, 0, 0, 0, 0);
    const __m128i picked = bytes < 4 ? _mm_shuffle_epi8((__m128i)whole, order) : (__m128i)whole;

    memcpy(dst, &picked, (size_t)(WIDTH * bytes));
#else
    const few_bytes lowest = __builtin_convertvector(whole, few_bytes);
    const few_words lower = __builtin_convertvector(whole, few_words);

    memcpy(dst,
           bytes == 1   ? (const void *)&lowest
           : bytes == 2 ? (const void *)&lower
                        : &whole,
           (size_t)(WIDTH * bytes));
#endif
}

/* Rounds to whole numbers from `least` to `most`, and subtracts `shift`: 2^31 for unsigned numbers
 * of 32 bits, so that they fit an int, otherwise 0. The sum value + b + 1/2 is itself rounded,
 * which b allows for. */
INLINED truths round_integers(vector value, vector b, double least, double most, double shift,
                              small_ints *samples)
{
    const vector upper = value + (b + 0.5), whole = floors(upper);

    *samples = ints_of(clamped(whole, least, most) - shift);
    return (truths)((upper - whole) - 2 * b);
}

/* Defines round_all_NAME and store_all_NAME, which round WIDTH numbers to integers of TYPE. */
#define DEFINE_STORE_INTEGERS(SAMPLE, NAME, TYPE, LEAST, MOST)                                     \
    INLINED truths round_all_##NAME(vector value, vector b, char *dst)                             \
    {                                                                                              \
        const double shift = (MOST) < 0x1p31 ? 0 : 0x1p31;                                         \
        small_ints whole;                                                                          \
        const truths open = round_integers(value, b, LEAST, MOST, shift, &whole);                  \
                                                                                                   \
        narrow((few_bits)whole + (uint32_t)shift, sizeof(TYPE), dst);                              \
        return open;                                                                               \
    }                                                                                              \
                                                                                                   \
    INLINED truths store_all_##NAME(const struct array_estimates *from, int64_t x, bool careful,   \
                                    char *dst)                                                     \
    {                                                                                              \
        const vector value = at(from->value + x);                                                  \
        vector b = (sizes(value) + 1) * 0x1p-51 + bounds_of(from, x);                              \
                                                                                                   \
        if (!careful)                                                                              \
            return round_all_##NAME(value, b, dst);                                                \
        b += 1.01 * sizes(rests_of(from, x));                                                      \
        return round_all_##NAME(value, b, dst) | ~(all_finite(b) & all_finite(value));             \
    }

SMALL_INTEGERS(DEFINE_STORE_INTEGERS)

INLINED few_bits store_all_f32(const struct array_estimates *from, int64_t x, bool careful,
                               char *dst)
{
    const vector value = at(from->value + x);
    vector b = bounds_of(from, x);
    few_bits open;

    if (careful)
        b += 1.01 * sizes(rests_of(from, x));
    b = wider_all(b, value);
    open = round_floats(value - b + 0.0, value + b, dst); /* -0 becomes +0 */
    if (!careful)
        return open;
    return open | __builtin_convertvector(~(all_finite(b) & all_finite(value)), few_bits);
}

INLINED truths store_all_f64(const struct array_estimates *from, int64_t x, bool careful, char *dst)
{
    const vector value = at(from->value + x), rest = rests_of(from, x);
    const vector sum = value + rest, left = sum_rest(value, rest, sum);
    const vector b = wider_all(bounds_of(from, x), left);
    const vector low = sum + (left - b), high = sum + (left + b);

    (void)careful;
    memcpy(dst, &low, sizeof low);
    return ~((truths)(low == high) & all_finite(low) &
             ((truths)(low != all(0)) | (truths)(b == all(0))));
}

/* Defines store_some_NAME, where STEM is _NAME. It rounds numbers one by one. */
#define DEFINE_STORE_SOME(STEM, TYPE)                                                              \
    static bool store_some##STEM(const struct array_estimates *from, int64_t begin, int64_t n,     \
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
    }

/* Defines store_NAME, where STEM is _NAME. It rounds a row by vectors. If a vector leaves a sample
 * of a block unresolved, store_some_NAME rounds all numbers of that block again, one by one. */
#define DEFINE_STORE(STEM, TYPE)                                                                   \
    DEFINE_STORE_SOME(STEM, TYPE)                                                                  \
                                                                                                   \
    static bool store##STEM(const struct array_estimates *from, int64_t begin, int64_t n,          \
                            char *dst, int64_t stride, uint8_t *open)                              \
    {                                                                                              \
        const struct array_estimates local = *from; /* a copy, which no store to dst changes */    \
        const int64_t bytes = sizeof(TYPE);                                                        \
        const int64_t whole = stride == bytes ? n - (n - begin) % WIDTH : begin;                   \
        const bool careful = local.rest || local.special;                                          \
        bool any = false;                                                                          \
                                                                                                   \
        for (int64_t x = begin, end; x < whole; x = end) {                                         \
            __typeof__(store_all##STEM(&local, x, true, dst)) some = {0};                          \
                                                                                                   \
            end = x + ARRAY_BLOCK < whole ? x + ARRAY_BLOCK : whole;                               \
            for (int64_t i = x; i < end; i += WIDTH)                                               \
                some |= store_all##STEM(&local, i, careful, dst + i * bytes);                      \
            for (int64_t i = x; i < end; i++)                                                      \
                open[i] = 0;                                                                       \
            if (ANY_OPEN(some))                                                                    \
                any |= store_some##STEM(&local, x, end, dst, bytes, open);                         \
        }                                                                                          \
        return store_some##STEM(&local, whole, n, dst, stride, open) || any;                       \
    }

#define DEFINE_STORE_OF(SAMPLE, NAME, TYPE, LEAST, MOST) DEFINE_STORE(_##NAME, TYPE)
SMALL_INTEGERS(DEFINE_STORE_OF)
DEFINE_STORE(_f32, float)
DEFINE_STORE(_f64, double)
DEFINE_STORE_SOME(_i64, int64_t)
DEFINE_STORE_SOME(_u64, uint64_t)
DEFINE_STORE_SOME(_f16, uint16_t)

static bool store(const struct array_estimates *from, enum sample_type type, int64_t n, void *dst,
                  int64_t stride, uint8_t *open)
{
    static bool (*const stores[SAMPLE_TYPES])(const struct array_estimates *, int64_t, int64_t,
                                              char *, int64_t, uint8_t *) = {
#define ROW(SAMPLE, NAME, TYPE, LEAST, MOST) [SAMPLE] = store_##NAME,
        SMALL_INTEGERS(ROW)
#undef ROW
            [SAMPLE_I64] = store_some_i64,
        [SAMPLE_U64] = store_some_u64, [SAMPLE_F16] = store_some_f16, [SAMPLE_F32] = store_f32,
        [SAMPLE_F64] = store_f64};

    return stores[type](from, 0, n, dst, stride, open);
}

#endif
