/* SPDX-License-Identifier: MIT */
/* Functions for weighted samples, which are held as groups of numbers: the last number of a group
 * is the weight of the others. Passes sum all numbers; then these functions divide the sums of
 * samples by the sums of weights, which gives means. Only loops.c includes this file. */
#ifndef SMOOTHIMG_ARRAYS_MEANS_H
#define SMOOTHIMG_ARRAYS_MEANS_H

/* These macros give PICKED (cpu/vectors/doubles.h) the index of the number that lane I gets from
 * two vectors, A and B. LAST_OF: the last number of each group of GROUP numbers, in all lanes of
 * the group. IN_TURN: the numbers of A and B, interleaved; HALF is 0 for the lower halves of A and
 * B, and 1 for the upper halves. EVERY_OTHER: the numbers in the even lanes (FIRST is 0) or odd
 * lanes (1) of A, then those of B. REPEATED: each number of A GROUP times; the result has GROUP
 * vectors, and V is the index of the wanted one. */
#define LAST_OF(I, GROUP) ((I) | ((GROUP)-1))
#define IN_TURN(I, HALF) ((HALF)*WIDTH / 2 + (I) / 2 + (I) % 2 * WIDTH)
#define EVERY_OTHER(I, FIRST) (2 * (I) + (FIRST))
#define REPEATED(I, GROUP, V) (((V)*WIDTH + (I)) / (GROUP))

/* BUT_LAST is A with the last number of each group of 2 or 4 replaced by the number of B in the
 * same lane. */
#if VECTOR_BYTES == 64
#define BUT_LAST(A, B, GROUP)                                                                      \
    ((vector)_mm512_mask_blend_pd((GROUP) == 2 ? 0xaa : 0x88, (__m512d)(A), (__m512d)(B)))
#elif VECTOR_BYTES == 32
#define BUT_LAST(A, B, GROUP)                                                                      \
    ((vector)_mm256_blend_pd((__m256d)(A), (__m256d)(B), (GROUP) == 2 ? 10 : 8))
#endif

/* True in lanes where the sum of weights is 0, or so small (below 2^-1000) that its inverse might
 * overflow. Where means->proves_zeros, weights are 0 or at least 2^-300, so such a sum is 0. */
INLINED truths has_none(vector weights)
{
    return (truths)(sizes(weights) < all(0x1p-1000));
}

static void drop_nan(int64_t n, double *value)
{
    for (int64_t x = 0; x < n; x++)
        value[x] = isnan(value[x]) ? 0 : value[x];
}

static void spread(int64_t n, double *rest)
{
    for (int64_t x = n - 1; x >= 0; x--) {
        rest[2 * x] = rest[x];
        rest[2 * x + 1] = 0;
    }
}

/* Runs from the last sample to the first, since each sample moves to a higher index of the same
 * array. */
static void weigh_numbers(double one, int64_t n, double *value, double *rest)
{
    int64_t x = n;

    for (; x % WIDTH != 0; x--) {
        const double number = value[x - 1];

        value[2 * x - 2] = isnan(number) ? 0 : number;
        value[2 * x - 1] = isnan(number) ? 0 : one;
    }
    for (; x > 0; x -= WIDTH) {
        const vector numbers = at(value + x - WIDTH);
        const truths is_number = (truths)(numbers == numbers);
        const vector some = (vector)((truths)numbers & is_number),
                     weights = (vector)((truths)all(one) & is_number);

        *(vector *)(value + 2 * x - WIDTH) = PICKED(some, weights, IN_TURN, 1);
        *(vector *)(value + 2 * x - 2 * WIDTH) = PICKED(some, weights, IN_TURN, 0);
    }
    if (rest)
        spread(n, rest);
}

#ifdef BUT_LAST
/* Multiplies samples by their alpha, as many of the n samples as fill whole vectors. Returns how
 * many samples these vectors hold. */
#define DEFINE_WEIGH(GROUP)                                                                        \
    static int64_t weigh_groups_##GROUP(int64_t n, double *value)                                  \
    {                                                                                              \
        for (int64_t x = 0; x + WIDTH <= n; x += WIDTH) {                                          \
            const vector some = at(value + x), alphas = PICKED(some, some, LAST_OF, GROUP);        \
                                                                                                   \
            *(vector *)(value + x) = some * BUT_LAST(alphas, all(1), GROUP);                       \
        }                                                                                          \
        return n - n % WIDTH;                                                                      \
    }
DEFINE_WEIGH(2)
DEFINE_WEIGH(4)
#else
#define weigh_groups_2(N, VALUE) 0
#define weigh_groups_4(N, VALUE) 0
#endif

/* Multiplies samples by their alpha. All samples are finite: if a tile reads an infinity or a NaN,
 * array_exact() computes the tile's results. */
static void multiply_pixels(int64_t samples, int64_t pixels, double *value)
{
    const int64_t n = samples * pixels, done = samples == 2   ? weigh_groups_2(n, value)
                                               : samples == 4 ? weigh_groups_4(n, value)
                                                              : 0;

    for (int64_t x = done; x < n; x += samples) {
        const double alpha = value[x + samples - 1];

        for (int64_t i = 0; i < samples - 1; i++)
            value[x + i] *= alpha;
    }
}

/* Multiplies samples by their alpha. Samples and alpha are each held in two doubles, value +
 * rest. */
static void multiply_wide(int64_t samples, int64_t pixels, double *value, double *rest)
{
    for (int64_t x = 0; x < pixels * samples; x++) {
        const int64_t last = x - x % samples + samples - 1;
        const vector a = all(value[x]), b = all(value[last]), product = a * b;

        if (x == last)
            continue;
        rest[x] = value[x] * rest[last] + rest[x] * value[last] + product_rest(a, b, product)[0];
        value[x] = product[0];
    }
}

static void weigh_by_alpha(int64_t samples, int64_t pixels, double *value, double *rest)
{
    if (rest)
        multiply_wide(samples, pixels, value, rest);
    else
        multiply_pixels(samples, pixels, value);
}

/* A row of sums holds numbers and their weights. number_of() returns the index in such a row of the
 * number from which result x is made, weight_of() the index of this number's weight. If the result
 * is alpha itself, the two indices are equal. */
INLINED int64_t number_of(const struct array_means *means, int64_t x)
{
    return means->drops ? 2 * x : x;
}

INLINED int64_t weight_of(const struct array_means *means, int64_t x)
{
    const int64_t number = number_of(means, x);

    return number - number % means->group + means->group - 1;
}

/* Returns the number that is stored as the mean if the computed sum of the weights is 0: 0 if the
 * exact sum is certainly 0 too, otherwise INFINITY. */
INLINED double no_mean(const struct array_means *means)
{
    return means->proves_zeros ? 0 : INFINITY;
}

/* Returns the least |sum of weights| of results begin..end - 1. Sums that are proven to be 0 are
 * left out. */
static double least_weight(const struct array_means *means, const double *value, int64_t begin,
                           int64_t end)
{
    double least = INFINITY;

    for (int64_t x = begin; x < end; x++) {
        const int64_t w = weight_of(means, x);
        const double weight =
            fabs(means->to_rest > 0 ? value[w] + value[w + means->to_rest] : value[w]);

        if (!(weight >= least) && !(weight == 0 && means->proves_zeros))
            least = weight;
    }
    return least;
}

/* Returns the error bound of a block's means, including the roundings of the division. sums: error
 * bound of the sums of weighted samples; least: the least |sum of weights|; most: the greatest
 * |mean|. */
static double bound_of_means(const struct array_means *means, double sums, double least,
                             double most)
{
    const double own = least > 0 ? 2 * means->weights_bound / least : INFINITY;
    const double relative = own < means->weights_relative ? own : means->weights_relative;

    if (!(relative <= 0.25))
        return INFINITY;
    if (least == INFINITY)
        return means->weights_bound;
    return combine_mean_error(sums / least * means->one, relative, most) + most * means->rounds +
           (means->drops ? 0 : means->weights_bound);
}

/* On entry means->bounds holds the least |sum of weights| of each block of ARRAY_BLOCK results.
 * Replaces it by the error bound of the block's means. */
static void set_bounds_of_means(const struct array_means *means, const double *value)
{
    for (int64_t begin = 0, b = 0; begin < means->n; begin += ARRAY_BLOCK, b++) {
        const int64_t end = begin + ARRAY_BLOCK < means->n ? begin + ARRAY_BLOCK : means->n;
        double most = 0;

        for (int64_t x = begin; x < end; x++)
            most = fabs(value[x]) > most && fabs(value[x]) < INFINITY ? fabs(value[x]) : most;
        means->bounds[b] = bound_of_means(means, means->sums[b], means->bounds[b], most);
    }
}

/* Replaces weights by their inverses, or by `none` where a weight is 0 or nearly 0 (has_none()).
 * Returns whether there is such a weight. n is a multiple of WIDTH. */
static bool invert(double none, int64_t n, double *weights)
{
    truths any = {0};

    for (int64_t x = 0; x < n; x += WIDTH) {
        const vector weight = at(weights + x);
        const truths is_none = has_none(weight);

        any |= is_none;
        *(vector *)(weights + x) = chosen(is_none, all(none), all(1) / weight);
    }
    return any_negative(any);
}

static bool divide_pixels(const struct array_means *means, double *value, double *inverses)
{
    const int64_t group = means->group, pixels = means->n / group;
    bool any;

    for (int64_t p = 0; p < pixels; p++)
        inverses[p] = value[p * group + group - 1];
    for (int64_t p = pixels; p % WIDTH != 0; p++)
        inverses[p] = 1;
    any = invert(no_mean(means), (pixels + WIDTH - 1) / WIDTH * WIDTH, inverses);
    for (int64_t p = 0; p < pixels; p++)
        for (int64_t i = 0; i < group - 1; i++)
            value[p * group + i] *= inverses[p];
    for (int64_t x = 0; x < means->n && any; x++)
        means->none[x] = inverses[x / group] == no_mean(means);
    return any;
}

/* Sets none[] of every number of WIDTH groups to 1 if the number's group has no mean, otherwise to
 * 0. */
static __attribute__((noinline)) void note_some(truths is_none, int64_t group, uint8_t *none)
{
    for (int i = 0; i < WIDTH; i++)
        memset(none + i * group, is_none[i] != 0, (size_t)group);
}

INLINED void note_none(truths is_none, int64_t group, uint8_t *none)
{
    memset(none, 0, (size_t)(group * WIDTH));
    if (__builtin_expect(any_negative(is_none), 0))
        note_some(is_none, group, none);
}

/* factors_2 reads 2 vectors of groups of 2 numbers, factors_4 reads 4 vectors of groups of 4. With
 * one division they compute the factors that turn sums into means: 1 / weight, and 1 for the weight
 * itself. They return which groups have no mean. */
#ifdef BUT_LAST
#define ODD(A, B) PICKED(A, B, EVERY_OTHER, 1)
#define FACTOR(V, GROUP) BUT_LAST(PICKED(inverse, inverse, REPEATED, GROUP, V), all(1), GROUP)
#define DEFINE_FACTORS(GROUP, WEIGHTS, ...)                                                        \
    INLINED truths factors_##GROUP(double no_mean, const vector *some, vector *factors)            \
    {                                                                                              \
        const vector weights = WEIGHTS;                                                            \
        const truths is_none = has_none(weights);                                                  \
        const vector inverse = chosen(is_none, all(no_mean), all(1) / weights);                    \
        const vector made[] = {__VA_ARGS__};                                                       \
                                                                                                   \
        memcpy(factors, made, sizeof made);                                                        \
        return is_none;                                                                            \
    }
DEFINE_FACTORS(2, ODD(some[0], some[1]), FACTOR(0, 2), FACTOR(1, 2))
DEFINE_FACTORS(4, ODD(ODD(some[0], some[1]), ODD(some[2], some[3])), FACTOR(0, 4), FACTOR(1, 4),
               FACTOR(2, 4), FACTOR(3, 4))
#endif

/* Computes one vector of means, some[0], from two vectors in which each number is followed by its
 * weight. Returns which lanes have no mean, and marks them in none[]. */
INLINED truths divide_pairs(double no_mean, vector *some, uint8_t *none)
{
    const vector numbers = PICKED(some[0], some[1], EVERY_OTHER, 0);
    const vector weights = PICKED(some[0], some[1], EVERY_OTHER, 1);
    const truths is_none = has_none(weights);

    some[0] = chosen(is_none, all(no_mean), numbers / weights);
    note_none(is_none, 1, none);
    return is_none;
}

static bool divide_numbers(const struct array_means *means, double *value)
{
    truths any = {0};

    for (int64_t x = 0; x < means->n; x += WIDTH) {
        vector some[2];

        memcpy(some, value + 2 * x, sizeof some);
        any |= divide_pairs(no_mean(means), some, means->none + x);
        memcpy(value + x, some, sizeof *some);
    }
    return any_negative(any);
}

/* Divides ARRAY_BLOCK numbers by their weights and multiplies the quotients by `one`. Numbers,
 * weights and results are each held in two doubles: array [0] has the upper ones, [1] the rests. */
INLINED void divide_wide(const double *const number[2], const double *const weight[2], double one,
                         double *const to[2])
{
    for (int64_t x = 0; x < ARRAY_BLOCK; x += WIDTH) {
        const vector n = at(number[0] + x) + at(number[1] + x);
        const vector n_rest = sum_rest(at(number[0] + x), at(number[1] + x), n);
        const vector a = at(weight[0] + x) + at(weight[1] + x);
        const vector a_rest = sum_rest(at(weight[0] + x), at(weight[1] + x), a);
        const vector quotient = n / a, product = quotient * a;
        const vector left = (n - product) - product_rest(quotient, a, product);
        const vector rest = (left + (n_rest - quotient * a_rest)) / a;
        /* The error of a quotient below 2^-900 is not bounded, so the quotient becomes INFINITY. */
        const truths is_tiny = (truths)(sizes(quotient) < all(0x1p-900)) & (truths)(n != all(0));

        *(vector *)(to[0] + x) = chosen(is_tiny, all(INFINITY), quotient * one);
        *(vector *)(to[1] + x) = (vector)((truths)(rest * one) & (truths)(n != all(0)));
    }
}

static bool take_wide_means(const struct array_means *means, double *value)
{
    double *const rest = value + means->to_rest;
    bool any = false;

    for (int64_t begin = 0; begin < means->n; begin += ARRAY_BLOCK) {
        double number[2][ARRAY_BLOCK] = {0}, weight[2][ARRAY_BLOCK] = {0};

        for (int64_t i = 0; i < ARRAY_BLOCK && begin + i < means->n; i++) {
            const int64_t x = number_of(means, begin + i), w = weight_of(means, begin + i);

            number[0][i] = value[x];
            number[1][i] = rest[x];
            weight[0][i] = w == x ? 1 : value[w];
            weight[1][i] = w == x ? 0 : rest[w];
        }
        divide_wide((const double *const[]){number[0], number[1]},
                    (const double *const[]){weight[0], weight[1]}, means->one,
                    (double *const[]){number[0], number[1]});
        for (int64_t i = 0; i < ARRAY_BLOCK && begin + i < means->n; i++) {
            const bool none = weight[0][i] == 0 && weight[1][i] == 0;

            any |= none;
            means->none[begin + i] = none;
            value[begin + i] = none ? no_mean(means) : number[0][i];
            rest[begin + i] = none ? 0 : number[1][i];
        }
    }
    return any;
}

static bool take_means(const struct array_means *means, double *value)
{
    const bool bounds = !means->is_plain;
    bool any;

    for (int64_t begin = 0, b = 0; begin < means->n; begin += ARRAY_BLOCK, b++)
        means->bounds[b] =
            bounds ? least_weight(means, value, begin,
                                  begin + ARRAY_BLOCK < means->n ? begin + ARRAY_BLOCK : means->n)
                   : INFINITY;
    if (means->to_rest > 0)
        any = take_wide_means(means, value);
    else if (means->drops)
        any = divide_numbers(means, value);
    else
        any = divide_pixels(means, value,
                            value + (means->n + ARRAY_BLOCK) / ARRAY_BLOCK * ARRAY_BLOCK);
    if (bounds)
        set_bounds_of_means(means, value);
    return any;
}

#endif
