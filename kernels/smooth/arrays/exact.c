/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/arrays/exact.h"

#include "kernels/smooth/arrays/wide.h"

#include <string.h>

/* What a window has beside finite samples; joined by |. */
enum kind { FINITE = 0, ABOVE = 1, BELOW = 2, NOT_A_NUMBER = 4 };

/* A sample: significand 2^exponent if its kind is FINITE. */
struct number {
    enum kind kind;
    bool negative;
    uint64_t significand;
    int exponent;
};

static struct number of_integer(uint64_t bits, const struct sample_format *format)
{
    const int spare = 64 - 8 * format->bytes;
    const bool negative = format->is_signed && (bits << spare) >> 63;
    const uint64_t extended = negative && spare > 0 ? bits | ~(UINT64_MAX >> spare) : bits;

    return (struct number){FINITE, negative, negative ? ~extended + 1 : extended, 0};
}

static struct number of_float(uint64_t bits, const struct sample_format *format)
{
    const int fraction_bits = format->significant_bits - 1;
    const uint64_t fraction = bits & (((uint64_t)1 << fraction_bits) - 1);
    const int fields = 1 << format->exponent_bits;
    const int field = (int)(bits >> fraction_bits) & (fields - 1);
    const bool negative = bits >> (8 * format->bytes - 1);

    if (field == fields - 1)
        return (struct number){fraction ? NOT_A_NUMBER : negative ? BELOW : ABOVE, negative, 0, 0};
    return (struct number){FINITE, negative,
                           field > 0 ? fraction | (uint64_t)1 << fraction_bits : fraction,
                           format->least_exponent + (field > 0 ? field - 1 : 0)};
}

static struct number sample_at(const char *address, enum sample_type type)
{
    const struct sample_format format = sample_format(type);
    uint64_t bits = 0;
    uint32_t four;
    uint16_t two;

    switch (format.bytes) {
    case 1:
        bits = *(const uint8_t *)address;
        break;
    case 2:
        memcpy(&two, address, sizeof two);
        bits = two;
        break;
    case 4:
        memcpy(&four, address, sizeof four);
        bits = four;
        break;
    default:
        memcpy(&bits, address, sizeof bits);
    }
    if (type == SAMPLE_BOOL)
        bits = bits != 0;
    return format.is_float ? of_float(bits, &format) : of_integer(bits, &format);
}

static struct number of_double(double value)
{
    const struct sample_format format = sample_format(SAMPLE_F64);
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return of_float(bits, &format);
}

/* Of all windows of a job. */
struct sums {
    const struct array_job *job;
    const struct array_taps *taps; /* of the term */
    int words;
    int unit; /* sums count 2^unit, and the weights' units */
};

/* A window's sum so far, or that of a part of it. */
struct sum {
    unsigned kinds;
    uint64_t words[WIDE_WORDS];
};

/* Of samples: those that are added and those that are subtracted, apart, so that nothing is
 * negative. */
struct two_sums {
    unsigned kinds;
    uint64_t words[2][WIDE_WORDS];
};

static void add_number(struct two_sums *sum, const struct sums *sums,
                       const struct array_weight *weight, bool negative,
                       const struct number *number)
{
    const int64_t shift = number->exponent - sums->unit;
    const bool below = number->negative != negative;
    const uint64_t high = u128_high(weight->magnitude);

    if (number->kind == NOT_A_NUMBER)
        sum->kinds |= NOT_A_NUMBER;
    else if (number->kind != FINITE)
        sum->kinds |= below ? BELOW : ABOVE;
    wide_add(sum->words[below], u128_multiply(u128_low(weight->magnitude), number->significand),
             shift);
    if (high != 0)
        wide_add(sum->words[below], u128_multiply(high, number->significand), shift + 64);
}

static void join(const struct sums *sums, const struct two_sums *both, struct sum *sum)
{
    sum->kinds = both->kinds;
    memcpy(sum->words, both->words[0], (size_t)sums->words * sizeof *sum->words);
    wide_subtract(sum->words, both->words[1], sums->words);
}

static void clear_both(const struct sums *sums, struct two_sums *both)
{
    both->kinds = FINITE;
    for (int i = 0; i < 2; i++)
        memset(both->words[i], 0, (size_t)sums->words * sizeof *both->words[i]);
}

static unsigned negated(unsigned kinds)
{
    return (kinds & NOT_A_NUMBER) | (kinds & ABOVE ? BELOW : 0) | (kinds & BELOW ? ABOVE : 0);
}

static void add_sum(struct sum *sum, const struct sums *sums, const struct array_weight *weight,
                    bool negative, const struct sum *part)
{
    sum->kinds |= negative ? negated(part->kinds) : part->kinds;
    wide_add_product(sum->words, part->words, sums->words, weight->magnitude, negative);
}

static void clear(struct sum *sum, const struct sums *sums)
{
    sum->kinds = FINITE;
    memset(sum->words, 0, (size_t)sums->words * sizeof *sum->words);
}

/* The tap at distance k of an axis, and the place that it reads, -1 for what is outside. */
struct tap {
    const struct array_weight *weight; /* NULL: it is 0 */
    bool negative;
    int64_t from;
};

static struct tap tap_of(const struct sums *sums, int i, const int64_t *place, int64_t k)
{
    const struct array_job *job = sums->job;
    const struct array_taps *taps = &sums->taps[i];
    const struct array_weight *weight = &taps->weights[k < 0 ? -k : k];
    const int axis = job->axis[i];

    if (u128_low(weight->magnitude) == 0 && u128_high(weight->magnitude) == 0)
        return (struct tap){NULL, false, 0};
    return (struct tap){weight, weight->negative != (taps->odd && k < 0),
                        edge_index(taps->edge, place[axis] + k, job->shape[axis])};
}

/* As sum_window(), along the last axis. */
static void sum_samples(const struct sums *sums, int i, const int64_t *place, const char *address,
                        bool outside, struct sum *sum)
{
    const struct array_job *job = sums->job;
    const int64_t stride = job->src.strides[job->axis[i]];
    struct two_sums both;

    clear_both(sums, &both);
    for (int64_t k = -job->halo[i]; k <= job->halo[i]; k++) {
        const struct tap tap = tap_of(sums, i, place, k);

        if (tap.weight) {
            const struct number number =
                outside || tap.from < 0 ? of_double(job->outside)
                                        : sample_at(address + tap.from * stride, job->src.type);

            add_number(&both, sums, tap.weight, tap.negative, &number);
        }
    }
    join(sums, &both, sum);
}

/* *sum: over the window along filtered axes i.. of the samples whose other coordinates led to
 * `address`; outside: one of these was outside of the array, and so all samples are. */
static void sum_window(const struct sums *sums, int i, const int64_t *place, const char *address,
                       bool outside, struct sum *sum)
{
    const struct array_job *job = sums->job;
    const int64_t stride = job->src.strides[job->axis[i]];
    struct sum part;

    if (i == job->filtered - 1) {
        sum_samples(sums, i, place, address, outside, sum);
        return;
    }
    clear(sum, sums);
    for (int64_t k = -job->halo[i]; k <= job->halo[i]; k++) {
        const struct tap tap = tap_of(sums, i, place, k);

        if (!tap.weight)
            continue;
        sum_window(sums, i + 1, place, tap.from < 0 ? address : address + tap.from * stride,
                   outside || tap.from < 0, &part);
        add_sum(sum, sums, tap.weight, tap.negative, &part);
    }
}

/* The exponent of the unit in which all samples and `outside` are integers. */
static int unit_of(const struct array_job *job)
{
    const struct sample_format format = sample_format(job->src.type);
    const struct number outside = of_double(job->outside);
    const int least = format.is_float ? format.least_exponent : 0;

    return outside.significand != 0 && outside.exponent < least ? -1074 : least;
}

/* Enough for the sum of all terms and its sign, and for wide_add(). */
static int words_of(const struct array_job *job, int unit)
{
    const struct sample_format format = sample_format(job->src.type);
    const struct number outside = of_double(job->outside);
    int64_t most = format.is_float ? format.least_exponent + (1 << format.exponent_bits) +
                                         format.significant_bits
                                   : format.significant_bits;

    if (outside.significand != 0 && outside.exponent + 53 > most)
        most = outside.exponent + 53;
    return (int)((most - unit + job->filtered * (ARRAY_WEIGHT_BITS + 12) + 8) / 64) + 4;
}

/* The sum of the squares of the terms replaces them. */
static uint64_t magnitude(const struct sums *sums, const uint64_t *squares, int64_t point,
                          enum sample_type type)
{
    const struct wide_number square = {squares, 2 * sums->words, 2 * point, false};
    uint64_t root[2];
    const struct wide_number rooted = wide_root(&square, root);

    return wide_is_zero(squares, 2 * sums->words) ? 0 : wide_round(&rooted, false, type);
}

/* The result of a window that has these kinds, not all of them finite. */
static uint64_t special(unsigned kinds, enum sample_type type)
{
    const struct sample_format format = sample_format(type);
    const uint64_t fraction = (uint64_t)1 << (format.significant_bits - 1);
    const uint64_t infinity =
        format.is_float ? (((uint64_t)1 << format.exponent_bits) - 1) * fraction : 0;
    const uint64_t most = format.significant_bits == 64 ? UINT64_MAX : 2 * fraction - 1;

    if (!format.is_float)
        return kinds == ABOVE ? most : kinds == BELOW && format.is_signed ? ~most : 0;
    if (kinds == ABOVE)
        return infinity;
    if (kinds == BELOW)
        return infinity | (uint64_t)1 << (8 * format.bytes - 1);
    return infinity | fraction / 2;
}

static unsigned squared_kinds(unsigned kinds)
{
    return kinds & NOT_A_NUMBER || kinds == (ABOVE | BELOW) ? NOT_A_NUMBER : kinds ? ABOVE : FINITE;
}

/* A sample of the array itself, and no window, is a window with the weight 1. */
static void sum_term(const struct sums *sums, const int64_t *place, const char *address,
                     struct sum *sum)
{
    const struct array_weight one = {u128_of(0, 1), false};

    if (sums->job->filtered > 0)
        sum_window(sums, 0, place, address, false, sum);
    else {
        const struct number number = sample_at(address, sums->job->src.type);
        struct two_sums both;

        clear_both(sums, &both);
        add_number(&both, sums, &one, false, &number);
        join(sums, &both, sum);
    }
}

uint64_t array_exact(const struct array_job *job, const int64_t *place)
{
    const struct array_weight one = {u128_of(0, 1), false};
    const bool squared = job->combination == ARRAY_MAGNITUDE;
    const int unit = unit_of(job), words = words_of(job, unit);
    const int64_t point = (int64_t)job->bits * job->filtered - unit;
    struct sums sums = {job, job->taps, words, unit};
    struct sum total, term;
    uint64_t squares[2 * WIDE_WORDS] = {0};
    const char *address = job->src.origin;

    for (int i = 0, next = 0; i < job->axes; i++) {
        if (next < job->filtered && job->axis[next] == i)
            next++;
        else
            address += place[i] * job->src.strides[i];
    }
    clear(&total, &sums);
    for (int t = 0; t < job->terms; t++, sums.taps += job->filtered) {
        sum_term(&sums, place, address, &term);
        total.kinds |= squared ? squared_kinds(term.kinds) : term.kinds;
        if (squared) {
            wide_take_sign(term.words, words);
            wide_add_square(squares, term.words, words);
        } else
            add_sum(&total, &sums, &one, false, &term);
    }
    if (total.kinds != FINITE)
        return special(total.kinds, job->dst.type);
    if (squared)
        return magnitude(&sums, squares, point, job->dst.type);
    else {
        const bool negative = wide_take_sign(total.words, words);
        const struct wide_number number = {total.words, words, point, false};

        return wide_round(&number, negative, job->dst.type);
    }
}
