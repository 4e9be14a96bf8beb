/* SPDX-License-Identifier: MIT */
#include "tests/random/oracle.h"

#include "src/lib/smoothimg.h"
#include "tests/random/weights.h"

#include <math.h>
#include <stdlib.h>

#define MOST_LIMBS 160                 /* greatest number of limbs of a sum */
#define ENTRY_LIMBS (WEIGHT_LIMBS + 1) /* limbs of a sum of an axis's weights */

/* Kinds of numbers that are not finite, as bits of a set: infinity, minus infinity, NaN. */
enum { ABOVE = 1, BELOW = 2, NO_NUMBER = 4 };

static void *need(size_t count, size_t bytes)
{
    void *made = calloc(count + 1, bytes);

    if (!made)
        abort();
    return made;
}

/* --- Samples. */

/* The number significand * factor * 2^exponent, or, if `kinds` is not 0, a number that is not
 * finite. Only products of a sample and alpha have a factor other than 1. */
struct parts {
    bool negative;
    uint64_t significand;
    int exponent, kinds;
    uint64_t factor;
};

static struct parts parts_of(uint64_t bits, const struct type *type)
{
    const int fraction = type->significant - 1;
    struct parts parts = {.negative = bits & type_sign(type), .factor = 1};
    int field;

    if (!type->is_float) {
        const uint64_t all = type_mask(type);

        parts.negative = parts.negative && type->low < 0;
        parts.significand = parts.negative ? (~bits + 1) & all : bits & all;
        return parts;
    }
    field = (int)(bits >> fraction & (uint64_t)(type->fields - 1));
    parts.significand = bits & (((uint64_t)1 << fraction) - 1);
    if (field == type->fields - 1) {
        parts.kinds = parts.significand > 0 ? NO_NUMBER : parts.negative ? BELOW : ABOVE;
        parts.significand = 0;
    } else if (field > 0)
        parts.significand |= (uint64_t)1 << fraction;
    parts.exponent = type->least + (field > 0 ? field - 1 : 0);
    return parts;
}

double oracle_number(uint64_t bits, const struct type *type)
{
    const struct parts parts = parts_of(bits, type);
    const double size = ldexp((double)parts.significand, parts.exponent);

    return parts.negative ? -size : size;
}

static struct parts parts_of_double(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return parts_of(bits, &types[SMOOTHIMG_F64]);
}

/* Returns the constant outside of the array. The source's type need not be able to hold it. */
static struct parts parts_outside(const struct test_request *request)
{
    if (request->adjoint)
        return (struct parts){.factor = 1};
    if (request->outside_i64 != 0) {
        const bool negative = request->outside_i64 < 0;
        const uint64_t bits = (uint64_t)request->outside_i64;

        return (struct parts){
            .negative = negative, .significand = negative ? ~bits + 1 : bits, .factor = 1};
    }
    if (request->outside_u64 != 0)
        return (struct parts){.significand = (uint64_t)request->outside_u64, .factor = 1};
    return parts_of_double(request->outside);
}

/* --- Rounding exact numbers to samples. */

/* A number to be rounded. Its magnitude ("size") is number * 2^exponent, or sqrt(number) *
 * 2^exponent if is_root. Unless `divisor` is NULL, the size is divided by it. Number and divisor
 * have `count` limbs. */
struct exact {
    const limb *number, *divisor;
    int count, exponent;
    bool is_root;
};

/* Returns the sign of size - (whole + half / 2) * 2^exponent, where size is the magnitude of
 * *exact. */
static int compare(const struct exact *exact, uint64_t whole, int half, int exponent)
{
    const limb candidate[] = {(limb)(whole << 1) | (limb)half, (limb)(whole >> 31),
                              (limb)(whole >> 63)};
    limb other[MOST_LIMBS + 3];
    const int count = exact->divisor ? exact->count + 3 : 6;

    memset(other, 0, (size_t)count * sizeof *other);
    if (exact->is_root)
        big_add_product(other, count, candidate, 3, candidate, 3);
    else if (exact->divisor)
        big_add_product(other, count, exact->divisor, exact->count, candidate, 3);
    else
        memcpy(other, candidate, sizeof candidate);
    return big_compare(exact->number, exact->count, exact->exponent * (exact->is_root ? 2 : 1),
                       other, count, (exponent - 1) * (exact->is_root ? 2 : 1));
}

/* Finds the type's greatest value that is not above the magnitude of *exact, and stores it as
 * *whole * 2^*exponent. For an integer type the value is at most `most`. */
static void locate(const struct exact *exact, const struct type *type, uint64_t most,
                   uint64_t *whole, int *exponent)
{
    uint64_t low = 0, high = type->is_float ? ((uint64_t)1 << type->significant) - 1 : most;
    int fewest = type->least, most_bits = type->least + type->fields;

    *exponent = 0;
    if (type->is_float) { /* the least exponent for which `whole` fits into the significand */
        while (fewest < most_bits) {
            const int middle = fewest + (most_bits - fewest) / 2;

            if (compare(exact, 1, 0, middle + type->significant) >= 0)
                fewest = middle + 1;
            else
                most_bits = middle;
        }
        *exponent = fewest;
    }
    while (low < high) {
        const uint64_t middle = high - (high - low) / 2;

        if (compare(exact, middle, 0, *exponent) >= 0)
            low = middle;
        else
            high = middle - 1;
    }
    *whole = low;
}

static uint64_t round_integer(const struct exact *exact, bool negative, const struct type *type,
                              uint64_t maxval)
{
    const uint64_t most = negative ? -(uint64_t)type->low : maxval > 0 ? maxval : type->high;
    uint64_t whole;
    int exponent;

    locate(exact, type, most, &whole, &exponent);
    if (whole < most && compare(exact, whole, 1, 0) >= (negative ? 1 : 0))
        whole++;
    return (negative ? ~whole + 1 : whole) & type_mask(type);
}

static uint64_t float_bits(const struct type *type, bool negative, uint64_t field_and_fraction)
{
    return field_and_fraction | (negative ? type_sign(type) : 0);
}

static uint64_t round_float(const struct exact *exact, bool negative, const struct type *type)
{
    const uint64_t normal = (uint64_t)1 << (type->significant - 1);
    uint64_t whole, bits;
    int exponent, half;

    locate(exact, type, 0, &whole, &exponent);
    half = compare(exact, whole, 1, exponent);
    if (half > 0 || (half == 0 && whole % 2 == 1))
        whole++;
    bits =
        whole < normal ? whole : (uint64_t)(exponent - type->least + 1) * normal + (whole - normal);
    return float_bits(type, negative, bits < type_infinity(type) ? bits : type_infinity(type));
}

static uint64_t round_exact(const struct exact *exact, bool negative, const struct type *type,
                            uint64_t maxval)
{
    if (big_length(exact->number, exact->count) == 0)
        return 0;
    return type->is_float ? round_float(exact, negative, type)
                          : round_integer(exact, negative, type, maxval);
}

uint64_t oracle_sample(double value, const struct type *type, uint64_t maxval)
{
    const struct parts parts = parts_of_double(value);
    const limb number[] = {(limb)parts.significand, (limb)(parts.significand >> 32)};
    const struct exact exact = {.number = number, .count = 2, .exponent = parts.exponent};

    return round_exact(&exact, parts.negative, type, maxval);
}

/* Returns the result of a window in which some samples are not finite. `kinds` is the set of the
 * kinds that occur: ABOVE (infinity), BELOW (minus infinity), NO_NUMBER (NaN). */
static uint64_t special(int kinds, const struct type *type, uint64_t maxval)
{
    if (!type->is_float)
        return kinds == ABOVE   ? (maxval > 0 ? maxval : type->high)
               : kinds == BELOW ? (uint64_t)type->low & type_mask(type)
                                : 0;
    if (kinds == ABOVE || kinds == BELOW)
        return float_bits(type, kinds == BELOW, type_infinity(type));
    return type_infinity(type) | (uint64_t)1 << (type->significant - 2);
}

/* --- Sums. */

/* A number for each sample of an array: at first, the sample itself. Each pass along an axis
 * replaces the numbers by sums. */
struct field {
    int64_t samples;
    int count; /* limbs of a number */
    /* outside: the constant outside of the array, which each pass filters too. */
    limb *numbers, *outside;
    uint8_t *kinds; /* for each number: 0 if it is finite, else ABOVE, ... */
};

static struct field field_make(int64_t samples, int count)
{
    return (struct field){.samples = samples,
                          .count = count,
                          .numbers = need((size_t)(samples * count), sizeof(limb)),
                          .outside = need((size_t)count, sizeof(limb)),
                          .kinds = need((size_t)samples, 1)};
}

static void field_free(struct field *field)
{
    free(field->numbers);
    free(field->outside);
    free(field->kinds);
}

/* Applies the edge rule to index i of a line. Returns the index of the sample that the rule takes,
 * or -1 for the constant outside. */
static int64_t source_of(enum smoothimg_edge edge, int64_t i, int64_t extent)
{
    while (i < 0 || i >= extent)
        switch (edge) {
        case SMOOTHIMG_REFLECT:
            i = i < 0 ? -1 - i : 2 * extent - 1 - i;
            break;
        case SMOOTHIMG_NEAREST:
            i = i < 0 ? 0 : extent - 1;
            break;
        case SMOOTHIMG_MIRROR:
            i = extent == 1 ? 0 : i < 0 ? -i : 2 * extent - 2 - i;
            break;
        case SMOOTHIMG_WRAP:
            i += i < 0 ? extent : -extent;
            break;
        default:
            return -1;
        }
    return i;
}

/* Returns the kinds of the product of a number of these kinds and a weight other than 0. */
static int kinds_of_product(int kinds, bool negative)
{
    return !negative
               ? kinds
               : (kinds & NO_NUMBER) | (kinds & ABOVE ? BELOW : 0) | (kinds & BELOW ? ABOVE : 0);
}

/* `line` holds the numbers of all samples along an axis. Sets *number to the sum of the weights
 * times the numbers around `place`. Returns the kinds (ABOVE, BELOW, NO_NUMBER) of the products
 * that are not finite. */
static int sum_window(const struct field *field, const limb *line, const uint8_t *kinds,
                      int64_t place, int64_t extent, const struct weights *weights,
                      enum smoothimg_edge edge, limb *number)
{
    const int count = field->count;
    limb sums[2][MOST_LIMBS]; /* sums over the positive weights, and over the negative ones */
    int found = 0;

    memset(sums[0], 0, (size_t)count * sizeof(limb));
    memset(sums[1], 0, (size_t)count * sizeof(limb));
    for (int64_t k = -weights->halo; k <= weights->halo; k++) {
        const struct weight *weight = &weights->at[MOST_HALO + k];
        const int64_t from = source_of(edge, place + k, extent);

        if (big_length(weight->size, WEIGHT_LIMBS) == 0)
            continue;
        big_add_product(sums[weight->negative], count,
                        from < 0 ? field->outside : line + from * count, count, weight->size,
                        WEIGHT_LIMBS);
        if (from >= 0)
            found |= kinds_of_product(kinds[from], weight->negative);
    }
    memcpy(number, sums[0], (size_t)count * sizeof(limb));
    big_add(number, sums[1], count, true);
    return found;
}

/* Sets entries[j], for each index j of the line, to the weight of sample j in the filter's result
 * at index i. If the edge rule uses a sample several times, its weights are added. Expects
 * entries[] to be zeros. */
static void add_entries(const struct weights *weights, enum smoothimg_edge edge, int64_t i,
                        int64_t extent, limb (*entries)[ENTRY_LIMBS])
{
    for (int64_t k = -weights->halo; k <= weights->halo; k++) {
        const struct weight *weight = &weights->at[MOST_HALO + k];
        const int64_t from = source_of(edge, i + k, extent);
        limb size[ENTRY_LIMBS] = {0};

        memcpy(size, weight->size, sizeof weight->size);
        if (from >= 0)
            big_add(entries[from], size, ENTRY_LIMBS, weight->negative);
    }
}

/* Applies the adjoint of a filter along one axis to `line`. The filter's result at index i is a
 * weighted sum of samples; the adjoint adds line[i], times the same weights, to the numbers[] of
 * these samples. Sets found[] to the kinds (ABOVE, BELOW, NO_NUMBER) of the products that are not
 * finite. */
static void spread(const struct field *field, const limb *line, const uint8_t *kinds,
                   int64_t extent, const struct weights *weights, enum smoothimg_edge edge,
                   limb *numbers, uint8_t *found)
{
    const int count = field->count;
    const size_t limbs = (size_t)(extent * count);
    limb *minus = need(limbs, sizeof *minus);
    limb(*entries)[ENTRY_LIMBS] = need((size_t)extent, sizeof *entries);

    memset(numbers, 0, limbs * sizeof *numbers);
    memset(found, 0, (size_t)extent);
    for (int64_t i = 0; i < extent; i++) {
        add_entries(weights, edge, i, extent, entries);
        for (int64_t k = -weights->halo; k <= weights->halo; k++) {
            const int64_t to = source_of(edge, i + k, extent);
            limb *entry = to < 0 ? NULL : entries[to];
            const bool negative = entry && big_is_negative(entry, ENTRY_LIMBS);

            if (negative)
                big_negate(entry, ENTRY_LIMBS);
            if (!entry || big_length(entry, ENTRY_LIMBS) == 0)
                continue; /* the constant, a weight of 0, or a place that an earlier k has led to */
            big_add_product((negative ? minus : numbers) + to * count, count, line + i * count,
                            count, entry, ENTRY_LIMBS);
            found[to] |= (uint8_t)kinds_of_product(kinds[i], negative);
            memset(entry, 0, sizeof *entries);
        }
    }
    for (int64_t i = 0; i < extent; i++)
        big_add(numbers + i * count, minus + i * count, count, true);
    free(minus);
    free(entries);
}

/* Replaces the constant outside of the array by its result in this pass: the result of a window in
 * which every sample is the constant. */
static void sum_outside(struct field *field, const struct weights *weights)
{
    limb number[MOST_LIMBS];

    sum_window(field, NULL, NULL, -4 * MOST_HALO, 1, weights, SMOOTHIMG_CONSTANT, number);
    memcpy(field->outside, number, (size_t)field->count * sizeof(limb));
}

static void filter_axis(struct field *field, const int64_t *shape, int axes, int axis,
                        const struct weights *weights, enum smoothimg_edge edge, bool adjoint)
{
    const int64_t extent = shape[axis];
    const size_t limb_count = (size_t)(extent * field->count), number = (size_t)field->count;
    limb *line = need(limb_count, sizeof *line), *results = need(limb_count, sizeof *results);
    uint8_t *kinds = need((size_t)extent, 1), *found = need((size_t)extent, 1);
    int64_t step = 1;

    for (int a = axis + 1; a < axes; a++)
        step *= shape[a];
    for (int64_t l = 0; l < (extent > 0 ? field->samples / extent : 0); l++) {
        const int64_t begin = l / step * step * extent + l % step;

        for (int64_t i = 0; i < extent; i++) {
            memcpy(line + i * field->count, field->numbers + (begin + i * step) * field->count,
                   (size_t)field->count * sizeof *line);
            kinds[i] = field->kinds[begin + i * step];
        }
        if (adjoint)
            spread(field, line, kinds, extent, weights, edge, results, found);
        for (int64_t i = 0; i < extent; i++) {
            if (!adjoint)
                found[i] = (uint8_t)sum_window(field, line, kinds, i, extent, weights, edge,
                                               results + i * field->count);
            memcpy(field->numbers + (begin + i * step) * field->count, results + i * field->count,
                   number * sizeof *line);
            field->kinds[begin + i * step] = found[i];
        }
    }
    sum_outside(field, weights);
    free(line);
    free(results);
    free(kinds);
    free(found);
}

/* --- Filters. */

struct work {
    const struct test_request *request;
    const struct type *src, *dst;
    struct weights *weights; /* weights[t * axes + a]: term t along axis a */
    int filtered, bits;      /* number of filtered axes; weights are in units of 2^-bits */
    int exponent, count;     /* samples are in units of 2^exponent; sums have `count` limbs */
    uint64_t maxval;         /* maxval of dst; 0: the greatest value of its type */
};

/* Returns how many bits the weights have after the binary point: 62 if src has a long type, or if
 * dst has a long type and at least one of the two types is a float; else 46. Long types are those
 * of 64 bits, and integers of 32 bits. */
static int weight_bits(const struct test_request *request)
{
    const struct type *src = &types[request->src_type], *dst = &types[request->dst_type];
    const bool long_src = src->bytes == 8 || (src->bytes == 4 && !src->is_float);
    const bool long_dst = dst->bytes == 8 || (dst->bytes == 4 && !dst->is_float);

    return long_src || (long_dst && (src->is_float || dst->is_float)) ? 62 : 46;
}

static int length_of(uint64_t number)
{
    return number == 0 ? 0 : 64 - __builtin_clzll(number);
}

/* Sets the unit of samples, 2^work->exponent, and the number of limbs of a sum, work->count, so
 * that all sums are exact. All `samples` and the constant outside are multiples of the unit; if
 * `fine`, so is every value of the source's type. */
static void set_units(struct work *work, const uint64_t *samples, bool fine)
{
    const int64_t count = request_samples(work->request);
    const struct parts outside = parts_outside(work->request);
    int least = 0, most = 1, growth = 0;

    for (int64_t i = 0; i <= count; i++) {
        const struct parts parts = i < count ? parts_of(samples[i], work->src) : outside;

        if (parts.significand == 0)
            continue;
        if (parts.exponent < least)
            least = parts.exponent;
        if (parts.exponent + length_of(parts.significand) > most)
            most = parts.exponent + length_of(parts.significand);
    }
    if (fine && work->src->is_float)
        least = work->src->least < least ? work->src->least : least;
    if (work->request->missing == SMOOTHIMG_ALPHA) { /* sums of samples times alpha */
        least *= 2;
        most *= 2;
    }
    for (int i = 0; i < request_terms(work->request) * work->request->axes; i++)
        if (work->weights[i].growth > growth)
            growth = work->weights[i].growth;
    /* An adjoint may add 2 * 2048 + 2 numbers to the sample at an end of an axis, each multiplied
     * by the sum of all weights on one side. 4098 is less than 2^13, so such a sum takes at most 13
     * more bits. */
    growth += work->request->adjoint ? 13 : 0;
    work->exponent = least;
    work->count = (most - least + growth * work->filtered + 24) / 32 + 1;
}

static struct work work_make(const struct test_request *request)
{
    const int axes = (int)request->axes;
    struct work work = {.request = request,
                        .src = &types[request->src_type],
                        .dst = &types[request->dst_type],
                        .bits = weight_bits(request),
                        .maxval = (uint64_t)request->dst_maxval,
                        .weights = need(TERMS * AXES, sizeof *work.weights)};

    for (int a = 0; a < axes; a++) {
        work.filtered += request_axis_reach(request, a) >= 0;
        for (int t = 0; t < request_terms(request) && request_axis_reach(request, a) >= 0; t++)
            weights_make(request, t, a, work.bits, &work.weights[t * axes + a]);
    }
    return work;
}

static void set_number(const struct work *work, struct parts parts, limb *number)
{
    if (parts.significand == 0) /* 0 may have an exponent below the unit's */
        return;
    if (parts.factor == 1)
        big_add_shifted(number, work->count, parts.significand, parts.exponent - work->exponent);
    else
        for (int bit = 0; bit < 64; bit++)
            if (parts.factor >> bit & 1)
                big_add_shifted(number, work->count, parts.significand,
                                parts.exponent + bit - work->exponent);
    if (parts.negative)
        big_negate(number, work->count);
}

/* The numbers that a filter sums. VALUES: samples. COUNTED: samples times alpha; without alpha,
 * samples with NaN replaced by 0. WEIGHTS: alpha; without alpha, 1 for a number and 0 for NaN. */
enum { VALUES, COUNTED, WEIGHTS };

static bool is_alpha(const struct test_request *request, int64_t place)
{
    const int64_t channels = request->shape[request->axes - 1];

    return place % channels == channels - 1;
}

/* Returns a sample times alpha: 0 if alpha is 0, NaN if alpha is not finite. */
static struct parts product_of(struct parts sample, struct parts alpha)
{
    if (alpha.significand == 0 && !alpha.kinds)
        return (struct parts){0};
    if (alpha.kinds)
        return (struct parts){.kinds = NO_NUMBER};
    if (alpha.negative && sample.kinds && sample.kinds != NO_NUMBER)
        sample.kinds = ABOVE + BELOW - sample.kinds;
    sample.negative ^= alpha.negative;
    sample.exponent += alpha.exponent;
    sample.factor = alpha.significand;
    return sample;
}

/* Returns the number that a sum takes for a sample `parts`, before it is multiplied by the filter's
 * weight. `what` is VALUES, COUNTED or WEIGHTS. */
static struct parts counted(const struct test_request *request, struct parts parts,
                            struct parts alpha, int what)
{
    if (what == VALUES)
        return parts;
    if (request->missing == SMOOTHIMG_ALPHA)
        return what == COUNTED ? product_of(parts, alpha) : alpha;
    if (parts.kinds & NO_NUMBER)
        return (struct parts){0};
    return what == COUNTED ? parts : (struct parts){.significand = 1, .factor = 1};
}

static struct parts parts_at(const struct work *work, const uint64_t *samples, int64_t place,
                             int what)
{
    const struct test_request *request = work->request;
    const int64_t channels = request->axes > 0 ? request->shape[request->axes - 1] : 1;
    const int64_t alpha = place / channels * channels + channels - 1;

    return counted(request, parts_of(samples[place], work->src),
                   parts_of(samples[alpha], work->src),
                   request->missing == SMOOTHIMG_ALPHA && place == alpha ? VALUES : what);
}

static struct field filter_term(const struct work *work, const uint64_t *samples, int term,
                                int what)
{
    const struct test_request *request = work->request;
    const int axes = (int)request->axes;
    struct field field = field_make(request_samples(request), work->count);

    for (int64_t i = 0; i < field.samples; i++) {
        const struct parts parts = parts_at(work, samples, i, what);

        set_number(work, parts, field.numbers + i * work->count);
        field.kinds[i] = (uint8_t)parts.kinds;
    }
    set_number(work, counted(request, parts_outside(request), parts_outside(request), what),
               field.outside);
    for (int a = 0; a < axes; a++)
        if (request_axis_reach(request, a) >= 0)
            filter_axis(&field, request->shape, axes, a, &work->weights[term * axes + a],
                        (enum smoothimg_edge)request->edge[term * axes + a], request->adjoint);
    return field;
}

/* Returns the exponent of the unit of sums. Each filtered axis lowers it by work->bits, since its
 * weights are multiples of 2^-bits. */
static int sum_exponent(const struct work *work)
{
    return work->exponent - work->bits * work->filtered;
}

static uint64_t round_number(const struct work *work, limb *number, int kinds)
{
    const bool negative = big_is_negative(number, work->count);
    const struct exact exact = {
        .number = number, .count = work->count, .exponent = sum_exponent(work)};

    if (kinds)
        return special(kinds, work->dst, work->maxval);
    if (negative)
        big_negate(number, work->count);
    return round_exact(&exact, negative, work->dst, work->maxval);
}

/* Computes the result at each sample of src as the sum of the filter's terms first..last - 1. */
static void add_terms(const struct work *work, const uint64_t *samples, int first, int last,
                      uint64_t *results)
{
    struct field sum = filter_term(work, samples, first, VALUES);

    for (int t = first + 1; t < last; t++) {
        struct field term = filter_term(work, samples, t, VALUES);

        for (int64_t i = 0; i < sum.samples; i++) {
            big_add(sum.numbers + i * work->count, term.numbers + i * work->count, work->count,
                    false);
            sum.kinds[i] |= term.kinds[i];
        }
        field_free(&term);
    }
    for (int64_t i = 0; i < sum.samples; i++)
        results[i] = round_number(work, sum.numbers + i * work->count, sum.kinds[i]);
    field_free(&sum);
}

/* Computes the result at each sample of src as the root of the sum of the terms' squares. */
static void take_magnitudes(const struct work *work, const uint64_t *samples, uint64_t *results)
{
    const int count = work->count, twice = 2 * count;
    const int64_t all = request_samples(work->request);
    limb *squares = need((size_t)(all * twice), sizeof *squares);
    int *kinds = need((size_t)all, sizeof *kinds);

    for (int t = 0; t < request_terms(work->request); t++) {
        struct field term = filter_term(work, samples, t, VALUES);

        for (int64_t i = 0; i < all; i++) {
            limb *number = term.numbers + i * count;

            if (big_is_negative(number, count))
                big_negate(number, count);
            big_add_product(squares + i * twice, twice, number, count, number, count);
            if (term.kinds[i])
                kinds[i] |= term.kinds[i] == ABOVE || term.kinds[i] == BELOW ? ABOVE : NO_NUMBER;
        }
        field_free(&term);
    }
    for (int64_t i = 0; i < all; i++) {
        const struct exact exact = {.number = squares + i * twice,
                                    .count = twice,
                                    .exponent = sum_exponent(work),
                                    .is_root = true};

        results[i] = kinds[i] ? special(kinds[i], work->dst, work->maxval)
                              : round_exact(&exact, false, work->dst, work->maxval);
    }
    free(squares);
    free(kinds);
}

static uint64_t convert(const struct work *work, uint64_t sample)
{
    const struct parts parts = parts_of(sample, work->src);
    const limb number[] = {(limb)parts.significand, (limb)(parts.significand >> 32)};
    const struct exact exact = {.number = number, .count = 2, .exponent = parts.exponent};

    return parts.kinds ? special(parts.kinds, work->dst, work->maxval)
                       : round_exact(&exact, parts.negative, work->dst, work->maxval);
}

/* Computes means: divides the weighted sums (COUNTED) by the sums of weights (WEIGHTS). In the
 * alpha channel, the result is the sum of weights. */
static void take_means(const struct work *work, const uint64_t *samples, uint64_t *results)
{
    const struct test_request *request = work->request;
    const int count = work->count;
    struct field sums = filter_term(work, samples, 0, COUNTED);
    struct field weights = filter_term(work, samples, 0, WEIGHTS);

    for (int64_t i = 0; i < sums.samples; i++) {
        limb *number = sums.numbers + i * count;
        const bool is_plain = request->missing == SMOOTHIMG_ALPHA && is_alpha(request, i);
        limb *divisor = weights.numbers + i * count;
        const bool divides_down = big_is_negative(divisor, count);
        const bool negative = big_is_negative(number, count) != divides_down;
        /* Number and divisor have the same unit, so the exponent of the quotient is 0. */
        const struct exact exact = {.number = number, .divisor = divisor, .count = count};

        if (is_plain) {
            results[i] = round_number(work, divisor, weights.kinds[i]);
            continue;
        }
        if (weights.kinds[i]) {
            results[i] = special(NO_NUMBER, work->dst, work->maxval);
            continue;
        }
        if (big_length(exact.divisor, count) == 0) {
            results[i] = request->missing == SMOOTHIMG_ALPHA
                             ? convert(work, samples[i])
                             : special(NO_NUMBER, work->dst, work->maxval);
            continue;
        }
        if (sums.kinds[i]) {
            const int kinds = sums.kinds[i];

            results[i] = special(
                divides_down && (kinds == ABOVE || kinds == BELOW) ? ABOVE + BELOW - kinds : kinds,
                work->dst, work->maxval);
            continue;
        }
        if (big_is_negative(number, count))
            big_negate(number, count);
        if (divides_down)
            big_negate(divisor, count);
        results[i] = round_exact(&exact, negative, work->dst, work->maxval);
    }
    field_free(&sums);
    field_free(&weights);
}

uint64_t *oracle_filter(const struct test_request *request, const uint64_t *samples)
{
    struct work work = work_make(request);
    const int terms = request_terms(request);
    const int64_t count = request_samples(request);
    uint64_t *results = need((size_t)(count * terms), sizeof *results);

    set_units(&work, samples, false);
    if (request->missing == SMOOTHIMG_ALPHA ||
        (request->missing == SMOOTHIMG_NAN && work.src->is_float))
        take_means(&work, samples, results);
    else if (request->combination == SMOOTHIMG_MAGNITUDE)
        take_magnitudes(&work, samples, results);
    else if (request->combination == SMOOTHIMG_ADD)
        add_terms(&work, samples, 0, terms, results);
    else
        for (int t = 0; t < terms; t++)
            add_terms(&work, samples, t, t + 1, results + t * count);
    free(work.weights);
    return results;
}

uint64_t *oracle_move(const struct test_request *request, const uint64_t *samples)
{
    const int64_t count = request_samples(request);
    uint64_t *results = need((size_t)count, sizeof *results);

    for (int64_t i = 0; i < count; i++) {
        int64_t place[AXES] = {0}, left = i, from = 0;

        for (int a = (int)request->axes - 1; a >= 0; a--) {
            const int64_t extent = request->shape[request->turn[a]], at = left % extent;

            left /= extent;
            place[request->turn[a]] = request->flip[a] ? extent - 1 - at : at;
        }
        for (int a = 0; a < request->axes; a++)
            from = from * request->shape[a] + place[a];
        results[i] = samples[from];
    }
    return results;
}

/* --- Results close to the middle between two values. */

/* The weight of one sample in one result. */
struct share {
    int64_t place;
    double size;  /* the weight, rounded to a double */
    limb *weight; /* in two's complement */
};

static int by_size(const void *a, const void *b)
{
    const double one = fabs(((const struct share *)a)->size);
    const double other = fabs(((const struct share *)b)->size);

    return (one < other) - (one > other);
}

static double double_of(const limb *number, int count, int exponent)
{
    limb size[MOST_LIMBS];
    const bool negative = big_is_negative(number, count);
    int length;
    double value;

    memcpy(size, number, (size_t)count * sizeof(limb));
    if (negative)
        big_negate(size, count);
    length = big_length(size, count);
    value = ldexp(big_bits(size, count, length - 32), 32) + big_bits(size, count, length - 64);
    return ldexp(negative ? -value : value, length - 64 + exponent);
}

/* Computes the weights of all samples in the result at `place`. A sample's weight is the product of
 * the axes' weights. An edge rule may use a sample at several places, also outside of the array:
 * the weights of these places are added. */
static void add_shares(const struct work *work, int64_t place, struct share *shares)
{
    const struct test_request *request = work->request;
    const int axes = (int)request->axes, most = (int)(WEIGHT_LIMBS * AXES);
    int64_t centre[AXES] = {0}, k[AXES] = {0};
    int a;

    for (a = axes - 1; a >= 0; a--) {
        centre[a] = place % request->shape[a];
        place /= request->shape[a];
        k[a] = -work->weights[a].halo;
    }
    do {
        limb product[WEIGHT_LIMBS * AXES] = {1};
        bool negative = false;
        int64_t from = 0;

        for (a = 0; a < axes && from >= 0; a++) {
            const int64_t at = source_of((enum smoothimg_edge)request->edge[a], centre[a] + k[a],
                                         request->shape[a]);
            const struct weight *weight = &work->weights[a].at[MOST_HALO + k[a]];
            limb next[WEIGHT_LIMBS * AXES] = {0};

            from = at < 0 ? -1 : from * request->shape[a] + at;
            if (request_axis_reach(request, a) < 0)
                continue;
            big_add_product(next, most, product, most, weight->size, WEIGHT_LIMBS);
            memcpy(product, next, sizeof next);
            negative ^= weight->negative;
        }
        if (from >= 0) {
            limb wide[MOST_LIMBS + WEIGHT_LIMBS * AXES] = {0};

            memcpy(wide, product, sizeof product);
            shares[from].place = from;
            big_add(shares[from].weight, wide, work->count, negative);
        }
        for (a = axes - 1; a >= 0 && ++k[a] > work->weights[a].halo; a--)
            k[a] = -work->weights[a].halo;
    } while (a >= 0);
}

/* Sets *rest to m - *sum. m is the middle between the two values of the result's type that enclose
 * *sum. Returns false if *rest cannot hold the difference. */
static bool rest_to_middle(const struct work *work, const limb *sum, limb *rest)
{
    const int count = work->count;
    const bool negative = big_is_negative(sum, count);
    limb size[MOST_LIMBS];
    const struct exact exact = {.number = size, .count = count, .exponent = sum_exponent(work)};
    uint64_t whole;
    int exponent, shift;

    memcpy(size, sum, (size_t)count * sizeof(limb));
    if (negative)
        big_negate(size, count);
    locate(&exact, work->dst, negative ? -(uint64_t)work->dst->low : work->dst->high, &whole,
           &exponent);
    shift = exponent - 1 - sum_exponent(work);
    memset(rest, 0, (size_t)count * sizeof(limb));
    if (shift < 0 || shift / 32 + 3 > count || whole >> 62)
        return false;
    big_add_shifted(rest, count, 2 * whole + 1, shift);
    if (negative)
        big_negate(rest, count);
    big_add(rest, sum, count, true);
    return true;
}

/* Changes a sample so that *sum grows by about *rest, and updates *sum. */
static void correct(const struct work *work, const struct share *share, const limb *rest,
                    uint64_t *sample, limb *sum)
{
    const int count = work->count;
    const uint64_t maxval = (uint64_t)work->request->src_maxval;
    const double change = double_of(rest, count, sum_exponent(work)) / share->size;
    const double wanted = oracle_number(*sample, work->src) + change;
    const uint64_t made = oracle_sample(isfinite(wanted) ? wanted : 0, work->src, maxval);
    limb difference[MOST_LIMBS] = {0}, before[MOST_LIMBS] = {0};

    if (parts_of(made, work->src).kinds)
        return;
    set_number(work, parts_of(made, work->src), difference);
    set_number(work, parts_of(*sample, work->src), before);
    big_add(difference, before, count, true);
    big_add_product(sum, count, difference, count, share->weight, count);
    *sample = made;
}

void oracle_near_middle(const struct test_request *request, uint64_t *samples, int64_t place,
                        int changes)
{
    const int64_t count = request_samples(request);
    struct work work = work_make(request);
    struct share *shares = need((size_t)count, sizeof *shares);
    struct field field;
    limb *weights, *sum;
    int64_t used = 0;

    set_units(&work, samples, true);
    work.count += 4; /* the changed samples may be larger */
    weights = need((size_t)(count * work.count), sizeof *weights);
    for (int64_t i = 0; i < count; i++)
        shares[i].weight = weights + i * work.count;
    add_shares(&work, place, shares);
    field = filter_term(&work, samples, 0, VALUES);
    sum = field.numbers + place * work.count;
    for (int64_t i = 0; i < count; i++) {
        shares[i].size = double_of(shares[i].weight, work.count, -work.bits * work.filtered);
        if (shares[i].size != 0)
            shares[used++] = shares[i];
    }
    qsort(shares, (size_t)used, sizeof *shares, by_size);
    for (int i = 0; i < changes && i < used; i++) {
        const struct share *share = &shares[used <= changes ? i : i * (used - 1) / (changes - 1)];
        limb rest[MOST_LIMBS];

        if (rest_to_middle(&work, sum, rest))
            correct(&work, share, rest, &samples[share->place], sum);
    }
    field_free(&field);
    free(weights);
    free(shares);
    free(work.weights);
}
