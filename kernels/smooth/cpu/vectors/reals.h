/* SPDX-License-Identifier: MIT */
/* Vectors of one kind of REAL, and the pass along a line with them. Included after
 * vectors.h, once for each kind, by a file that has defined
 *
 *     REAL, REAL_BYTES   float or double, and its size
 *     WHOLE              the integer type as long
 *     OF_REALS(STEM)     what this kind's types and functions are called
 *     VECTORS            how many vectors of sums are in registers at a time
 *     CHUNK              how many taps are added up before they are added to others
 */
#define WIDTH (VECTOR_BYTES / REAL_BYTES)
#define vector OF_REALS(vector)
#define truths OF_REALS(truths)
#define integers OF_REALS(integers)
#define at OF_REALS(at)

/* As wide as the machine's registers (a wider one would live in memory). Need not be aligned. */
typedef REAL vector __attribute__((vector_size(VECTOR_BYTES), ANYWHERE(REAL_BYTES)));
typedef WHOLE truths __attribute__((vector_size(VECTOR_BYTES)));
typedef int32_t integers __attribute__((vector_size(WIDTH * 4), ANYWHERE(4)));

INLINED vector at(const REAL *line)
{
    return *(const vector *)line;
}

/* gcc 12 would convert to doubles in halves. */
INLINED vector OF_REALS(to_vector)(integers value)
{
#if defined __AVX512F__ && REAL_BYTES == 8
    return (vector)_mm512_cvtepi32_pd((__m256i)value);
#else
    return __builtin_convertvector(value, vector);
#endif
}

/* Adds the tap at distance k to the sums around `centre`. */
INLINED void OF_REALS(add_pairs)(const REAL *centre, REAL tap, int64_t distance, vector *sums)
{
    UNROLLED
    for (int i = 0; i < VECTORS; i++)
        sums[i] += tap * (at(centre + WIDTH * i - distance) + at(centre + WIDTH * i + distance));
}

/* The first chunk may be less than the others. */
static void OF_REALS(filter_line)(const REAL *restrict line, const REAL *restrict taps,
                                  int64_t halo, int64_t step, REAL *restrict out, int64_t n)
{
    for (int64_t x = 0; x < n; x += VECTORS * WIDTH) {
        const REAL *centre = line + x;
        vector sums[VECTORS];
        int64_t k = 1;

        UNROLLED
        for (int i = 0; i < VECTORS; i++)
            sums[i] = taps[0] * at(centre + WIDTH * i);
        for (; k <= halo - (halo - 1) / CHUNK * CHUNK; k++)
            OF_REALS(add_pairs)(centre, taps[k], k * step, sums);
        for (; k <= halo; k += CHUNK) {
            vector some[VECTORS] = {0};

            for (int64_t j = k; j < k + CHUNK; j++)
                OF_REALS(add_pairs)(centre, taps[j], j * step, some);
            UNROLLED
            for (int i = 0; i < VECTORS; i++)
                sums[i] += some[i];
        }
        UNROLLED
        for (int i = 0; i < VECTORS; i++)
            *(vector *)(out + x + WIDTH * i) = sums[i];
    }
}
