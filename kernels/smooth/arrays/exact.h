/* SPDX-License-Identifier: MIT */
/* Computes one sample of the result as the filter's definition says: by plain loops over the
 * sample's window, in exact sums that are rounded once. The window's rows, which lie along the last
 * filtered axis, can be divided among threads.
 *
 * A place is a position in the array, one coordinate for each axis. A term of the filter is a
 * product of one filter for each axis. The kind of a sample says whether it is finite, infinite or
 * NaN. The weight of a sample is its own, such as its pixel's alpha (enum array_weighing); a
 * filter's weights are called taps. */
#ifndef SMOOTHIMG_ARRAYS_EXACT_H
#define SMOOTHIMG_ARRAYS_EXACT_H

#include "kernels/common/arrays.h"
#include "kernels/common/wide.h"

#include <math.h>
#include <string.h>

/* The kind of a sample, or of its product with a tap: +infinity is EXACT_ABOVE, -infinity
 * EXACT_BELOW. The kinds of several products are combined by |. */
enum exact_kind { EXACT_FINITE = 0, EXACT_ABOVE = 1, EXACT_BELOW = 2, EXACT_NAN = 4 };

/* A sample, or the product of two: if its kind is EXACT_FINITE, its magnitude is (upper 2^64 +
 * significand) 2^exponent. */
struct exact_number {
    unsigned kind;
    bool negative;
    uint64_t significand;
    int exponent;
    uint64_t upper;
};

/* Says what is summed for each sample: the sample itself, or, if samples have weights, either the
 * sample times its weight or the weight. */
enum exact_part { EXACT_SAMPLES, EXACT_WEIGHED, EXACT_WEIGHTS };

/* A tap of one axis, and the sample that it multiplies. */
struct exact_tap {
    struct array_weight weight;
    int64_t from; /* coordinate of the sample; -1: the value outside of the array */
};

/* Along an axis that is much shorter than the window, the edge rule leads many taps to the same
 * sample. On the host the taps of one sign that lead to the same sample are then one tap, their
 * sum, which leaves the kinds of the products as they are. With several such axes a window may
 * otherwise have more samples than an int64_t can count. EXACT_SHORT is the greatest length of such
 * an axis: the folded taps are on the stack. */
#define EXACT_SHORT 15
struct exact_folded {
    int count; /* -1: the axis has its own taps */
    struct exact_tap tap[2 * (EXACT_SHORT + 1)];
};

/* The values that all windows of a job share. */
struct exact_common {
    struct sample_format from, to;
    struct exact_number outside;
    int words; /* 64-bit words of a sum of all terms, with its sign and space for wide_add() */
    int unit;  /* sums are in units of 2^(unit - bits n), where n axes are filtered */
    enum exact_part part;
    int64_t to_alpha; /* bytes from a sample to the alpha that is its weight */
    /* NULL, or, for each filtered axis, the taps of the term and window that are being summed. */
    const struct exact_folded *folded;
};

/* The greatest exact_common.words. The bits of a double have values from 2^-1074 on, and
 * exact_prepare() takes the value outside as an integer of 64 bits, times 2^971 at most. A product
 * of a sample and its alpha has twice this range. Each filtered axis adds the bits of a tap, and
 * the bits of the number of taps, 2 halo + 1. */
#define EXACT_MOST_WORDS                                                                           \
    ((2 * (1074 + 971 + 64) + ARRAY_FILTERED * (ARRAY_WEIGHT_BITS + 12) + 8) / 64 + 4)

/* The working memory of one thread: EXACT_ARRAYS arrays of exact_common.words 64-bit words. */
#define EXACT_ARRAYS 7
struct exact_memory {
    /* `row` sums a row's positive products, `below` the magnitudes of its negative ones; then `row`
     * is their difference. */
    uint64_t *row, *below;
    uint64_t *other;        /* space for a row's sum times taps of other axes */
    uint64_t *term, *total; /* the sum of a term; the sum of all terms, or of weights */
    uint64_t *squares;      /* a sum of squares, as long as two of the other arrays */
};

HOST_DEVICE struct exact_memory exact_memory_at(uint64_t *words, int64_t each)
{
    const struct exact_memory memory = {
        words,           words + each, words + 2 * each, words + 3 * each, words + 4 * each,
        words + 5 * each};

    return memory;
}

HOST_DEVICE struct exact_number exact_integer(uint64_t bits, const struct sample_format *format)
{
    const int spare = 64 - 8 * format->bytes;
    const bool negative = format->is_signed && (bits << spare) >> 63;
    const uint64_t extended = negative && spare > 0 ? bits | ~(UINT64_MAX >> spare) : bits;
    const struct exact_number number = {EXACT_FINITE, negative, negative ? ~extended + 1 : extended,
                                        0, 0};

    return number;
}

HOST_DEVICE struct exact_number exact_float(uint64_t bits, const struct sample_format *format)
{
    const int fraction_bits = format->significant_bits - 1;
    const uint64_t fraction = bits & (((uint64_t)1 << fraction_bits) - 1);
    const int fields = 1 << format->exponent_bits;
    const int field = (int)(bits >> fraction_bits) & (fields - 1);
    const bool negative = bits >> (8 * format->bytes - 1);
    struct exact_number number = {EXACT_FINITE, negative, fraction, format->least_exponent, 0};

    if (field == fields - 1) {
        number.kind = fraction ? EXACT_NAN : negative ? EXACT_BELOW : EXACT_ABOVE;
        number.significand = 0;
    } else if (field > 0) {
        number.significand |= (uint64_t)1 << fraction_bits;
        number.exponent += field - 1;
    }
    return number;
}

/* Integers through which samples of 2 to 8 bytes are read and written as bits. On the host samples
 * may be at any address. */
#ifdef __CUDACC__
#define EXACT_ADDRESS __attribute__((may_alias))
#else
#define EXACT_ADDRESS __attribute__((aligned(1), may_alias))
#endif
typedef uint16_t exact_bits_16 EXACT_ADDRESS;
typedef uint32_t exact_bits_32 EXACT_ADDRESS;
typedef uint64_t exact_bits_64 EXACT_ADDRESS;

HOST_DEVICE uint64_t exact_bits_at(const char *address, int bytes)
{
    return bytes == 1   ? *(const uint8_t *)address
           : bytes == 2 ? *(const exact_bits_16 *)address
           : bytes == 4 ? *(const exact_bits_32 *)address
                        : *(const exact_bits_64 *)address;
}

HOST_DEVICE void exact_put_bits(char *address, int bytes, uint64_t bits)
{
    if (bytes == 1)
        *(uint8_t *)address = (uint8_t)bits;
    else if (bytes == 2)
        *(exact_bits_16 *)address = (uint16_t)bits;
    else if (bytes == 4)
        *(exact_bits_32 *)address = (uint32_t)bits;
    else
        *(exact_bits_64 *)address = bits;
}

HOST_DEVICE struct exact_number exact_sample(const char *address, enum sample_type type,
                                             const struct sample_format *format)
{
    uint64_t bits = exact_bits_at(address, format->bytes);

    if (type == SAMPLE_BOOL)
        bits = bits != 0;
    return format->is_float ? exact_float(bits, format) : exact_integer(bits, format);
}

HOST_DEVICE bool exact_number_is_zero(const struct exact_number *number)
{
    return number->kind == EXACT_FINITE && number->significand == 0 && number->upper == 0;
}

/* Returns a sample times its weight: 0 if the weight is 0, a NaN if the weight is not finite. */
HOST_DEVICE struct exact_number exact_product(const struct exact_number *sample,
                                              const struct exact_number *weight)
{
    const uint128 product = u128_multiply(sample->significand, weight->significand);
    struct exact_number number = {sample->kind, sample->negative != weight->negative,
                                  u128_low(product), sample->exponent + weight->exponent,
                                  u128_high(product)};

    if (exact_number_is_zero(weight))
        number.kind = EXACT_FINITE;
    else if (weight->kind != EXACT_FINITE)
        number.kind = EXACT_NAN;
    else if (weight->negative && (number.kind == EXACT_ABOVE || number.kind == EXACT_BELOW))
        number.kind = number.kind == EXACT_ABOVE ? EXACT_BELOW : EXACT_ABOVE;
    return number;
}

/* Returns what is summed for a sample, as `part` says. alpha: the weight of the sample; NULL if the
 * weight is 0 for a NaN and 1 for every other sample. */
HOST_DEVICE struct exact_number exact_part_of(const struct exact_number *sample,
                                              const struct exact_number *alpha,
                                              enum exact_part part)
{
    const struct exact_number none = {EXACT_FINITE, false, 0, sample->exponent, 0},
                              one = {EXACT_FINITE, false, 1, 0, 0};

    if (alpha)
        return part == EXACT_WEIGHED ? exact_product(sample, alpha) : *alpha;
    return sample->kind == EXACT_NAN ? none : part == EXACT_WEIGHED ? *sample : one;
}

/* Returns what is summed for the sample at `address`, as common->part says. If `outside`, takes the
 * value outside of the array instead of the sample. */
HOST_DEVICE struct exact_number exact_read(const struct array_job *job,
                                           const struct exact_common *common, const char *address,
                                           bool outside)
{
    const bool has_alpha = job->weighing == ARRAY_BY_ALPHA;
    struct exact_number sample = common->outside, alpha = sample;

    if (!outside)
        sample = exact_sample(address, job->src.type, &common->from);
    if (common->part == EXACT_SAMPLES)
        return sample;
    if (!outside && has_alpha)
        alpha = exact_sample(address + common->to_alpha, job->src.type, &common->from);
    return exact_part_of(&sample, has_alpha ? &alpha : NULL, common->part);
}

/* Adds the product of a number and a tap to memory->row, or, if the product is negative, its
 * magnitude to memory->below. The tap's magnitude is `weight`, its sign `negative`. Does not add
 * infinities and NaN. Returns the product's kind. */
HOST_DEVICE unsigned exact_add_number(const struct exact_common *common,
                                      const struct exact_memory *memory, uint128 weight,
                                      bool negative, const struct exact_number *number)
{
    const int64_t shift = number->exponent - common->unit;
    const bool below = number->negative != negative;
    uint64_t *const sum = below ? memory->below : memory->row;

    if (number->kind != EXACT_FINITE)
        return number->kind == EXACT_NAN ? EXACT_NAN : below ? EXACT_BELOW : EXACT_ABOVE;
    wide_add(sum, u128_multiply(u128_low(weight), number->significand), shift);
    if (u128_high(weight) != 0)
        wide_add(sum, u128_multiply(u128_high(weight), number->significand), shift + 64);
    if (number->upper != 0) /* the number is a sample times alpha; then taps fit one word */
        wide_add(sum, u128_multiply(u128_low(weight), number->upper), shift + 64);
    return EXACT_FINITE;
}

/* Returns how many taps exact_find_tap() numbers along filtered axis i. */
HOST_DEVICE int64_t exact_taps(const struct array_job *job, const struct exact_common *common,
                               int i)
{
    return common->folded && common->folded[i].count >= 0 ? common->folded[i].count
                                                          : 2 * job->halo[i] + 1;
}

/* Finds tap `number` of the window at `place` along filtered axis i. Returns false if the tap is
 * 0. */
HOST_DEVICE bool exact_find_tap(const struct array_job *job, const struct exact_common *common,
                                const struct array_taps *taps, int i, const int64_t *place,
                                int64_t number, struct exact_tap *tap)
{
    const int axis = job->axis[i];
    const int64_t k = number - job->halo[i];

    if (common->folded && common->folded[i].count >= 0) {
        *tap = common->folded[i].tap[number];
        return true;
    }
    tap->weight = array_tap_at(taps[i].weights, taps[i].odd, k);
    if (array_weight_is_zero(&tap->weight))
        return false;
    tap->from = edge_index(taps[i].edge, place[axis] + k, job->shape[axis]);
    return true;
}

/* Sums the products of one row of the window with the taps of the last filtered axis into
 * memory->row. address: the address of the row's sample that has coordinate 0 along that axis.
 * outside: true if the whole row is outside of the array. Returns the kinds of the products (enum
 * exact_kind). */
HOST_DEVICE unsigned exact_sum_row(const struct array_job *job, const struct exact_common *common,
                                   const struct array_taps *taps, const int64_t *place,
                                   const char *address, bool outside,
                                   const struct exact_memory *memory)
{
    const int i = job->filtered - 1;
    const int64_t stride = job->src.strides[job->axis[i]];
    unsigned kinds = EXACT_FINITE;
    struct exact_tap tap;

    wide_clear(memory->row, common->words);
    wide_clear(memory->below, common->words);
    for (int64_t n = 0; n < exact_taps(job, common, i); n++)
        if (exact_find_tap(job, common, taps, i, place, n, &tap)) {
            const bool beyond = outside || tap.from < 0;
            const struct exact_number number =
                exact_read(job, common, beyond ? address : address + tap.from * stride, beyond);

            kinds |= exact_add_number(common, memory, tap.weight.magnitude, tap.weight.negative,
                                      &number);
        }
    wide_add_multiple(memory->row, common->words, memory->below, common->words, 1, 0, true);
    return kinds;
}

HOST_DEVICE unsigned exact_negated(unsigned kinds)
{
    return (kinds & EXACT_NAN) | (kinds & EXACT_ABOVE ? EXACT_BELOW : 0) |
           (kinds & EXACT_BELOW ? EXACT_ABOVE : 0);
}

/* Adds the samples of row `number` of the window, times their taps, to memory->term. address: that
 * of the sample that has coordinate 0 on all filtered axes, and the coordinates of `place` on the
 * others. Returns the kinds of these products (enum exact_kind). */
HOST_DEVICE unsigned exact_add_row(const struct array_job *job, const struct exact_common *common,
                                   const struct array_taps *taps, const int64_t *place,
                                   int64_t number, const char *address, struct exact_memory *memory)
{
    uint128 weights[ARRAY_FILTERED]; /* the magnitudes of the row's taps along the other axes */
    bool outside = false, negative = false;
    unsigned kinds;
    struct exact_tap tap;

    weights[0] = u128_of(0, 1);
    for (int i = job->filtered - 2; i >= 0; i--) {
        const int64_t length = exact_taps(job, common, i), before = number / length;

        if (!exact_find_tap(job, common, taps, i, place, number - before * length, &tap))
            return EXACT_FINITE;
        number = before;
        weights[i] = tap.weight.magnitude;
        outside = outside || tap.from < 0;
        negative = negative != tap.weight.negative;
        address += (tap.from < 0 ? 0 : tap.from) * job->src.strides[job->axis[i]];
    }
    kinds = exact_sum_row(job, common, taps, place, address, outside, memory);
    for (int i = job->filtered - 2; i > 0; i--) {
        uint64_t *const before = memory->row;

        wide_clear(memory->other, common->words);
        wide_add_product(memory->other, before, common->words, weights[i], false);
        memory->row = memory->other;
        memory->other = before;
    }
    wide_add_product(memory->term, memory->row, common->words, weights[0], negative);
    return negative ? exact_negated(kinds) : kinds;
}

/* Returns the address of the sample at `place`. */
HOST_DEVICE const char *exact_own(const struct array_job *job, const int64_t *place)
{
    const char *address = (const char *)job->src.origin;

    for (int i = 0; i < job->axes; i++)
        address += place[i] * job->src.strides[i];
    return address;
}

/* Returns the address of the sample that has coordinate 0 on all filtered axes, and the coordinates
 * of `place` on the others. */
HOST_DEVICE const char *exact_origin(const struct array_job *job, const int64_t *place)
{
    const char *address = exact_own(job, place);

    for (int i = 0; i < job->filtered; i++)
        address -= place[job->axis[i]] * job->src.strides[job->axis[i]];
    return address;
}

/* Returns coordinate `there` of filtered axis i if it is inside of the array. If it is not, returns
 * the coordinate that the edge rule takes for it, or -1 if the rule takes the value outside of the
 * array instead or if terms have different rules. */
HOST_DEVICE int64_t exact_place_of_all(const struct array_job *job, int i, int64_t there)
{
    const int64_t length = job->shape[job->axis[i]];
    bool same = true;

    if (there >= 0 && there < length)
        return there;
    for (int t = 1; t < job->terms; t++)
        same = same && job->taps[t * job->filtered + i].edge == job->taps[i].edge;
    return same ? edge_index(job->taps[i].edge, there, length) : -1;
}

#define EXACT_LOOKS 1000000 /* exact_is_flat() returns false for a window of more samples */

/* True if the samples with the numbers first, first + step, ... in the window at `place` all have
 * the bits `bits`, whichever term's edge rule is used. Samples are counted with the last filtered
 * axis varying fastest. False if an edge rule takes the value outside of the array for one of these
 * samples, or if terms have different edge rules for it. False, too, if the window has more than
 * EXACT_LOOKS samples. */
HOST_DEVICE bool exact_is_flat(const struct array_job *job, int bytes, const int64_t *place,
                               uint64_t bits, uint32_t first, uint32_t step)
{
    const char *const origin = exact_origin(job, place);
    uint64_t count = 1;

    for (int i = 0; i < job->filtered && count <= EXACT_LOOKS; i++)
        count *= 2 * (uint64_t)job->halo[i] + 1;
    if (count > EXACT_LOOKS)
        return false;
    for (uint32_t n = first; n < count; n += step) {
        const char *address = origin;
        uint32_t rest = n;

        for (int i = job->filtered - 1; i >= 0; i--) {
            const uint32_t length = 2 * (uint32_t)job->halo[i] + 1, next = rest / length;
            const int axis = job->axis[i];
            const int64_t at = exact_place_of_all(
                job, i, place[axis] + (int64_t)(rest - next * length) - job->halo[i]);

            if (at < 0)
                return false;
            rest = next;
            address += at * job->src.strides[axis];
        }
        if (exact_bits_at(address, bytes) != bits)
            return false;
    }
    return true;
}

/* Adds the rows with the numbers first, first + step, ... of the window at `place`, for one term
 * (addend) of the filter, to memory->term. Returns the kinds of their products (enum exact_kind).
 * Without filtered axes the window is the sample itself. */
HOST_DEVICE unsigned exact_add_rows(const struct array_job *job, const struct exact_common *common,
                                    int term, const int64_t *place, int64_t first, int64_t step,
                                    struct exact_memory *memory)
{
    const struct array_taps *taps = job->taps + term * job->filtered;
    const char *address = exact_origin(job, place);
    int64_t rows = 1;
    unsigned kinds = EXACT_FINITE;

    if (job->filtered == 0 && first == 0) {
        const struct exact_number number = exact_read(job, common, address, false);

        wide_clear(memory->row, common->words);
        wide_clear(memory->below, common->words);
        kinds = exact_add_number(common, memory, u128_of(0, 1), false, &number);
        wide_add_multiple(memory->term, common->words, memory->row, common->words, 1, 0, false);
        wide_add_multiple(memory->term, common->words, memory->below, common->words, 1, 0, true);
    }
    for (int i = 0; i < job->filtered - 1; i++)
        rows *= exact_taps(job, common, i);
    for (int64_t i = first; i < rows && job->filtered > 0; i += step)
        kinds |= exact_add_row(job, common, taps, place, i, address, memory);
    return kinds;
}

/* Returns the kinds of what a term adds to the result, given the kinds of the term's products. In a
 * magnitude, terms add their squares, which are never negative. */
HOST_DEVICE unsigned exact_kinds_of(const struct array_job *job, unsigned kinds)
{
    if (job->combination != ARRAY_MAGNITUDE)
        return kinds;
    return kinds & EXACT_NAN || kinds == (EXACT_ABOVE | EXACT_BELOW) ? EXACT_NAN
           : kinds                                                   ? EXACT_ABOVE
                                                                     : EXACT_FINITE;
}

/* Adds memory->term to memory->total, or, for a magnitude, its square to memory->squares. */
HOST_DEVICE void exact_add_term(const struct array_job *job, const struct exact_common *common,
                                const struct exact_memory *memory)
{
    if (job->combination == ARRAY_MAGNITUDE) {
        wide_take_sign(memory->term, common->words);
        wide_add_square(memory->squares, memory->term, common->words);
    } else
        wide_add_multiple(memory->total, common->words, memory->term, common->words, 1, 0, false);
}

/* Returns the kind of an infinity or of a NaN. */
HOST_DEVICE enum exact_kind exact_kind_of(double special)
{
    return isnan(special) ? EXACT_NAN : special > 0 ? EXACT_ABOVE : EXACT_BELOW;
}

/* Returns the bits of a result, given the kinds of the products that it adds, which are not all
 * finite. */
HOST_DEVICE uint64_t exact_special(unsigned kinds, const struct sample_format *format)
{
    const uint64_t fraction = (uint64_t)1 << (format->significant_bits - 1);
    const uint64_t infinity =
        format->is_float ? (((uint64_t)1 << format->exponent_bits) - 1) * fraction : 0;
    const uint64_t most = format->significant_bits == 64 ? UINT64_MAX : 2 * fraction - 1;

    if (!format->is_float)
        return kinds == EXACT_ABOVE ? most : kinds == EXACT_BELOW && format->is_signed ? ~most : 0;
    if (kinds == EXACT_ABOVE)
        return infinity;
    if (kinds == EXACT_BELOW)
        return infinity | (uint64_t)1 << (8 * format->bytes - 1);
    return infinity | fraction / 2;
}

/* Rounds the sum of all terms, or the square root of the sum of their squares, to a result, and
 * returns its bits. kinds: the kinds that exact_kinds_of() returns for the terms. */
HOST_DEVICE uint64_t exact_round_result(const struct array_job *job,
                                        const struct exact_common *common, unsigned kinds,
                                        const struct exact_memory *memory)
{
    const int64_t point = (int64_t)job->bits * job->filtered - common->unit;
    struct wide_number number = {memory->total, common->words, point, false};
    uint64_t root[2];
    bool negative = false;

    if (kinds != EXACT_FINITE)
        return exact_special(kinds, &common->to);
    if (job->combination == ARRAY_MAGNITUDE) {
        number.integer = memory->squares;
        number.words = 2 * common->words;
        number.point = 2 * point;
        if (wide_is_zero(number.integer, number.words))
            return 0;
        number = wide_root(&number, root);
    } else
        negative = wide_take_sign(memory->total, common->words);
    return wide_round(&number, negative, &common->to);
}

/* True if the result at this place is a mean. Alpha itself is not a mean. */
HOST_DEVICE bool exact_is_mean(const struct array_job *job, const int64_t *place)
{
    const int last = job->axes - 1;

    return job->weighing == ARRAY_WITHOUT_NAN ||
           (job->weighing == ARRAY_BY_ALPHA && place[last] < job->shape[last] - 1);
}

/* Returns the bytes from the sample at `place` to its alpha. */
HOST_DEVICE int64_t exact_to_alpha(const struct array_job *job, const int64_t *place)
{
    const int last = job->axes - 1;

    return (job->shape[last] - 1 - place[last]) * job->src.strides[last];
}

/* Returns the bits of the sample at `address` in the format of the result, without filtering it. */
HOST_DEVICE uint64_t exact_kept(const char *address, enum sample_type type,
                                const struct sample_format *from, const struct sample_format *to)
{
    const struct exact_number own = exact_sample(address, type, from);
    const struct wide_number number = {&own.significand, 1, -own.exponent, false};

    return own.kind != EXACT_FINITE ? exact_special(own.kind, to)
                                    : wide_round(&number, own.negative, to);
}

/* Returns the bits of the result where the weights sum to 0: a NaN, or, if the weights are alpha,
 * the sample itself. */
HOST_DEVICE uint64_t exact_without_mean(const struct array_job *job,
                                        const struct exact_common *common, const int64_t *place)
{
    return job->weighing == ARRAY_WITHOUT_NAN
               ? exact_special(EXACT_NAN, &common->to)
               : exact_kept(exact_own(job, place), job->src.type, &common->from, &common->to);
}

/* Returns the bits of the result at `place`, which is a mean. memory->total: the sum of its
 * window's weights; `of_weights`: the kinds of these weights (enum exact_kind). memory->term: the
 * sum of the samples times their weights; `kinds`: the kinds of these products. Both sums may be
 * overwritten. */
HOST_DEVICE uint64_t exact_round_parts(const struct array_job *job,
                                       const struct exact_common *common, const int64_t *place,
                                       unsigned of_weights, unsigned kinds,
                                       const struct exact_memory *memory)
{
    const int words = common->words;
    bool negative;
    uint64_t quotient[2];
    struct wide_number mean;

    if (of_weights != EXACT_FINITE)
        return exact_special(EXACT_NAN, &common->to);
    if (wide_is_zero(memory->total, words))
        return exact_without_mean(job, common, place);
    negative = wide_take_sign(memory->total, words);
    if (kinds != EXACT_FINITE)
        return exact_special(negative ? exact_negated(kinds) : kinds, &common->to);
    negative = wide_take_sign(memory->term, words) != negative;
    mean = wide_quotient(memory->term, memory->total, words, quotient);
    return wide_round(&mean, negative, &common->to);
}

/* --- Functions for the host only (exact.c). */

#ifdef __cplusplus
extern "C" {
#endif

struct exact_common exact_prepare(const struct array_job *job);

/* Returns the bits of a result at `place`, which has one coordinate for each axis. result: with
 * ARRAY_APART the index of the result's term, else 0. */
uint64_t array_exact(const struct array_job *job, int result, const int64_t *place);

#ifdef __cplusplus
}
#endif
#endif
