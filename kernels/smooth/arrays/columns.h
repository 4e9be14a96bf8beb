/* SPDX-License-Identifier: MIT */
/* Passes across rows, in one double, from real numbers or from samples. Part of loops.c.
 *
 * A tile of ARRAY_TILE_ROWS rows by VECTORS vectors of sums is in registers: each vector that is
 * read is converted once for all its rows. Rows are read from both ends inwards (bounds.h). */
#ifndef SMOOTHIMG_ARRAYS_COLUMNS_H
#define SMOOTHIMG_ARRAYS_COLUMNS_H

#define LONE_VECTORS (ARRAY_BLOCK / WIDTH < 8 ? ARRAY_BLOCK / WIDTH : 8) /* of one row alone */
#define MOST_VECTORS 8

/* Four or so integers, as 32 bits each. */
typedef int32_t small_ints __attribute__((vector_size(4 * WIDTH)));

INLINED vector of_ints(small_ints numbers)
{
#ifdef __AVX512F__
    return (vector)_mm512_cvtepi32_pd((__m256i)numbers);
#elif defined __AVX2__
    return (vector)_mm256_cvtepi32_pd((__m128i)numbers);
#else
    return __builtin_convertvector(numbers, vector);
#endif
}

INLINED vector reals_at(const double *from)
{
    return at(from);
}

INLINED vector floats_at(const float *from)
{
    float some __attribute__((vector_size(4 * WIDTH)));

    memcpy(&some, from, sizeof some);
#ifdef __AVX512F__
    return (vector)_mm512_cvtps_pd((__m256)some);
#elif defined __AVX2__
    return (vector)_mm256_cvtps_pd((__m128)some);
#else
    return __builtin_convertvector(some, vector);
#endif
}

INLINED vector i32_at(const int32_t *from)
{
    small_ints some;

    memcpy(&some, from, sizeof some);
    return of_ints(some);
}

#if defined __AVX2__ && !defined __AVX512F__
#define WIDENED(TYPE, WIDEN128, WIDEN256)                                                          \
    __m128i some = _mm_setzero_si128();                                                            \
                                                                                                   \
    memcpy(&some, from, WIDTH * sizeof(TYPE));                                                     \
    return of_ints((small_ints)WIDEN128(some));
#elif defined __AVX512F__
#define WIDENED(TYPE, WIDEN128, WIDEN256)                                                          \
    __m128i some = _mm_setzero_si128();                                                            \
                                                                                                   \
    memcpy(&some, from, WIDTH * sizeof(TYPE));                                                     \
    return of_ints((small_ints)WIDEN256(some));
#else
#define WIDENED(TYPE, WIDEN128, WIDEN256)                                                          \
    TYPE some __attribute__((vector_size(WIDTH * sizeof(TYPE))));                                  \
                                                                                                   \
    memcpy(&some, from, sizeof some);                                                              \
    return of_ints(__builtin_convertvector(some, small_ints));
#endif

#define DEFINE_SMALL_AT(NAME, TYPE, WIDEN128, WIDEN256)                                            \
    INLINED vector NAME##_at(const TYPE *from)                                                     \
    {                                                                                              \
        WIDENED(TYPE, WIDEN128, WIDEN256)                                                          \
    }
DEFINE_SMALL_AT(u8, uint8_t, _mm_cvtepu8_epi32, _mm256_cvtepu8_epi32)
DEFINE_SMALL_AT(i8, int8_t, _mm_cvtepi8_epi32, _mm256_cvtepi8_epi32)
DEFINE_SMALL_AT(u16, uint16_t, _mm_cvtepu16_epi32, _mm256_cvtepu16_epi32)
DEFINE_SMALL_AT(i16, int16_t, _mm_cvtepi16_epi32, _mm256_cvtepi16_epi32)

/* Those that vectors convert: X(sample type, NAME, TYPE). */
#define SAMPLE_COLUMNS(X)                                                                          \
    X(SAMPLE_U8, u8, uint8_t)                                                                      \
    X(SAMPLE_I8, i8, int8_t)                                                                       \
    X(SAMPLE_U16, u16, uint16_t)                                                                   \
    X(SAMPLE_I16, i16, int16_t)                                                                    \
    X(SAMPLE_I32, i32, int32_t)                                                                    \
    X(SAMPLE_F32, floats, float)

/* add_row_NAME: adds one row that is read to rows first..end - 1 of sums. taps: of row 0; one
 * further each. sum_some_NAME: rows first.. of the result, from number x on. Rows near the ends of
 * what is read are for some of them only. sum_NAME: all of a pass. Where n is no multiple of a
 * block, the last one overlaps: it adds to nothing then. */
#define DEFINE_COLUMNS(NAME, TYPE)                                                                 \
    INLINED void add_row_##NAME(const TYPE *from, const double *taps, int first, int end,          \
                                int vectors, bool skips, vector sums[][MOST_VECTORS])              \
    {                                                                                              \
        vector numbers[MOST_VECTORS];                                                              \
                                                                                                   \
        if (skips && taps[0] == 0)                                                                 \
            return;                                                                                \
        UNROLLED                                                                                   \
        for (int i = 0; i < vectors; i++)                                                          \
            numbers[i] = NAME##_at(from + WIDTH * i);                                              \
        UNROLLED                                                                                   \
        for (int r = first; r < end; r++) {                                                        \
            const vector tap = all(taps[-r]);                                                      \
                                                                                                   \
            UNROLLED                                                                               \
            for (int i = 0; i < vectors; i++)                                                      \
                sums[r][i] = fused(tap, numbers[i], sums[r][i]);                                   \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    INLINED void sum_some_##NAME(const struct array_pass *pass, int first, int rows, int vectors,  \
                                 bool skips, int64_t x)                                            \
    {                                                                                              \
        const TYPE *const *from = (const TYPE *const *)pass->rows + first;                         \
        const double *const taps = pass->taps - pass->halo;                                        \
        vector sums[ARRAY_TILE_ROWS][MOST_VECTORS];                                                \
        int64_t low = rows - 1, high = 2 * pass->halo;                                             \
                                                                                                   \
        UNROLLED                                                                                   \
        for (int r = 0; r < rows; r++) {                                                           \
            UNROLLED                                                                               \
            for (int i = 0; i < vectors; i++)                                                      \
                sums[r][i] = all(0);                                                               \
        }                                                                                          \
        UNROLLED                                                                                   \
        for (int d = 0; d < rows - 1; d++) {                                                       \
            const int64_t last = 2 * pass->halo + rows - 1 - d;                                    \
                                                                                                   \
            add_row_##NAME(from[d] + x, taps + d, 0, d + 1, vectors, skips, sums);                 \
            add_row_##NAME(from[last] + x, taps + last, rows - 1 - d, rows, vectors, skips, sums); \
        }                                                                                          \
        for (; low < high; low++, high--) {                                                        \
            add_row_##NAME(from[low] + x, taps + low, 0, rows, vectors, skips, sums);              \
            add_row_##NAME(from[high] + x, taps + high, 0, rows, vectors, skips, sums);            \
        }                                                                                          \
        if (low == high)                                                                           \
            add_row_##NAME(from[low] + x, taps + low, 0, rows, vectors, skips, sums);              \
        UNROLLED                                                                                   \
        for (int r = 0; r < rows; r++) {                                                           \
            double *const out = (double *)pass->outs[first + r] + x;                               \
                                                                                                   \
            UNROLLED                                                                               \
            for (int i = 0; i < vectors; i++) {                                                    \
                if (pass->adds)                                                                    \
                    sums[r][i] += at(out + WIDTH * i);                                             \
                *(vector *)(out + WIDTH * i) = sums[r][i];                                         \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void sum_##NAME(const struct array_pass *pass, int64_t n)                               \
    {                                                                                              \
        const bool shares = !pass->skips && 2 * pass->halo >= ARRAY_TILE_ROWS - 2;                 \
                                                                                                   \
        for (int64_t begin = 0; begin < n; begin += ARRAY_BLOCK) {                                 \
            const int64_t first = begin < n - ARRAY_BLOCK ? begin : n - ARRAY_BLOCK;               \
            const int64_t end = first + ARRAY_BLOCK;                                               \
            int row = 0;                                                                           \
                                                                                                   \
            for (; row + ARRAY_TILE_ROWS <= pass->count && shares; row += ARRAY_TILE_ROWS)         \
                for (int64_t x = first; x < end; x += VECTORS * WIDTH)                             \
                    sum_some_##NAME(pass, row, ARRAY_TILE_ROWS, VECTORS, false, x);                \
            for (; row < pass->count; row++)                                                       \
                for (int64_t x = first; x < end; x += LONE_VECTORS * WIDTH)                        \
                    if (pass->skips)                                                               \
                        sum_some_##NAME(pass, row, 1, LONE_VECTORS, true, x);                      \
                    else                                                                           \
                        sum_some_##NAME(pass, row, 1, LONE_VECTORS, false, x);                     \
        }                                                                                          \
    }

#define DEFINE_COLUMNS_OF(SAMPLE, NAME, TYPE) DEFINE_COLUMNS(NAME, TYPE)
SAMPLE_COLUMNS(DEFINE_COLUMNS_OF)
DEFINE_COLUMNS(reals, double)
#define ROW_OF_SAMPLES(SAMPLE, NAME, TYPE) [SAMPLE] = sum_##NAME,

#endif
