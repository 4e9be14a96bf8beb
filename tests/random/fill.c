/* SPDX-License-Identifier: MIT */
#include "tests/random/fill.h"

#include "src/lib/smoothimg.h"
#include "tests/random/oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const fill_names[FILLS + 1] = {
    "noise",     "flat",   "flat-but-few", "steps",     "ends",     "few",         "cancels",
    "last-bits", "wide",   "patches",      "subnormal", "extremes", "special",     "special-last",
    "ramp",      "halves", "chequer",      "impulse",   "zeros",    "near-middle", "constant",
    "ties",      "beyond", "lonely",       NULL};

#define MOST_PERIOD 16

/* What paint() needs to make the samples of a request. */
struct brush {
    struct source source;
    const struct test_request *request;
    const struct type *type;
    uint64_t maxval;
    bool has_signs;
    /* exponent: the exponent field of the random floats `base` and `patch`. With FILL_PATCHES, the
     * floats of patches of kind k have the field exponent - (k - 1) * step. */
    int exponent, step;
    /* FILL_RAMP: from one index of an axis to the next, integers grow by slope + 1, floats by
     * 2^(slope - 4). */
    int slope;
    int64_t rare;         /* on average, one of this many samples differs from the others */
    uint64_t base, patch; /* random samples; FILL_PATCHES: `patch` is a kind, 0 (zeros) to 3 */
    /* FILL_SPECIAL_LAST: NaN and infinities are at one or both ends of `axis`. where: 0 at the
     * first index, 1 at the last one, 2 at both. */
    int64_t axis, where;
    /* FILL_TIES. middle: halfway between two values of the result's type. period: an even number;
     * a sample's phase is the sum of its indices modulo the period. odd[i]: what tie_of() adds to
     * the middle for a sample of phase i, where 0 < i < period / 2. */
    double middle, odd[MOST_PERIOD / 2];
    int64_t period;
    int64_t fill; /* the pattern of the current sample */
    /* FILL_BEYOND. border: an index along `axis`. fills: the pattern before the border, and the
     * pattern from the border on. */
    int64_t border, fills[2];
};

static uint64_t bits_of(const struct brush *brush, double value)
{
    return oracle_sample(value, brush->type, brush->maxval);
}

static int fraction_of(const struct type *type)
{
    return type->significant - 1;
}

/* Returns a finite float with a random fraction. `field` is its exponent field, clamped to the
 * valid ones. */
static uint64_t float_of(struct brush *brush, int64_t field)
{
    const struct type *type = brush->type;
    const uint64_t fraction =
        source_next(&brush->source) & (((uint64_t)1 << fraction_of(type)) - 1);
    const uint64_t sign = brush->has_signs && source_below(&brush->source, 2);
    const int64_t most = type->fields - 2;

    field = field < 0 ? 0 : field > most ? most : field;
    return sign * type_sign(type) | (uint64_t)field << fraction_of(type) | fraction;
}

static uint64_t integer_of(struct brush *brush)
{
    const struct type *type = brush->type;
    const uint64_t drawn = source_next(&brush->source);

    if (brush->maxval < UINT64_MAX && type->low == 0)
        return drawn % (brush->maxval + 1);
    return drawn & type_mask(type);
}

static uint64_t noise(struct brush *brush)
{
    const int64_t middle = brush->type->fields / 2 - 1;

    return brush->type->is_float ? float_of(brush, middle + source_below(&brush->source, 3) - 1)
                                 : integer_of(brush);
}

/* Returns NaN or an infinity. */
static uint64_t special_of(struct brush *brush)
{
    const struct type *type = brush->type;
    const uint64_t sign = (uint64_t)source_below(&brush->source, 2) * type_sign(type);

    return sign | type_infinity(type) | (source_below(&brush->source, 3) == 0 ? 1 : 0);
}

static uint64_t extreme_of(struct brush *brush)
{
    const struct type *type = brush->type;
    const uint64_t infinity = type_infinity(type);
    const uint64_t sizes[] = {0, 1, infinity - 1, (uint64_t)1 << fraction_of(type),
                              infinity - ((uint64_t)1 << fraction_of(type))};

    return sizes[source_below(&brush->source, 5)] |
           (uint64_t)source_below(&brush->source, 2) * type_sign(type);
}

/* Returns the type's least integer or maxval, chosen at random; for floats, an extreme float. */
static uint64_t end_of(struct brush *brush)
{
    const bool is_low = source_below(&brush->source, 2);

    if (brush->type->is_float)
        return extreme_of(brush);
    return is_low ? (uint64_t)brush->type->low & type_mask(brush->type) : brush->maxval;
}

/* Returns the index of sample i along an axis. */
static int64_t place_of(const struct test_request *request, int64_t i, int64_t axis)
{
    for (int a = (int)request->axes - 1; a > axis; a--)
        i /= request->shape[a];
    return axis < request->axes ? i % request->shape[axis] : 0;
}

static bool is_at_end(const struct brush *brush, int64_t i)
{
    const int64_t place = place_of(brush->request, i, brush->axis);
    const int64_t last =
        brush->axis < brush->request->axes ? brush->request->shape[brush->axis] - 1 : 0;

    return (brush->where != 1 && place == 0) || (brush->where != 0 && place == last);
}

static bool is_in_first_half(const struct brush *brush, int64_t i)
{
    return 2 * place_of(brush->request, i, brush->axis) < brush->request->shape[brush->axis];
}

static int64_t sum_of_places(const struct test_request *request, int64_t i)
{
    int64_t sum = 0;

    for (int a = 0; a < request->axes; a++)
        sum += place_of(request, i, a);
    return sum;
}

static double outside_of(const struct test_request *request)
{
    return request->outside != 0       ? request->outside
           : request->outside_i64 != 0 ? (double)request->outside_i64
                                       : (double)(uint64_t)request->outside_u64;
}

static uint64_t paint_float(struct brush *brush, int64_t i)
{
    const struct test_request *request = brush->request;
    const int64_t sum = sum_of_places(request, i);

    switch (brush->fill) {
    case FILL_CANCELS:
        return brush->base ^ (uint64_t)(sum % 2) * type_sign(brush->type) ^
               (source_below(&brush->source, 8) == 0);
    case FILL_LAST_BITS:
        return (brush->base & ~(uint64_t)3) + (uint64_t)source_below(&brush->source, 4);
    case FILL_WIDE:
        return float_of(brush, source_below(&brush->source, brush->type->fields - 1));
    case FILL_PATCHES:
        return brush->patch == 0
                   ? 0
                   : float_of(brush, brush->exponent - brush->step * ((int64_t)brush->patch - 1));
    case FILL_SUBNORMAL:
        return float_of(brush, 0) >> source_below(&brush->source, 3);
    case FILL_EXTREMES:
        return extreme_of(brush);
    case FILL_SPECIAL:
        return source_below(&brush->source, brush->rare) == 0 ? special_of(brush) : noise(brush);
    case FILL_SPECIAL_LAST:
        return is_at_end(brush, i) && source_below(&brush->source, 3) == 0 ? special_of(brush)
                                                                           : noise(brush);
    case FILL_HALVES:
        return bits_of(brush, (double)source_below(&brush->source, 300) + 0.5 - 150);
    case FILL_RAMP:
        return bits_of(brush, ldexp((double)sum, brush->slope - 4) + 0.5);
    case FILL_ZEROS:
        return (uint64_t)source_below(&brush->source, 2) * type_sign(brush->type);
    case FILL_LONELY:
        return source_below(&brush->source, brush->rare) == 0
                   ? float_of(brush, brush->step == 511 ? 0 : brush->exponent)
                   : type_infinity(brush->type) | 1;
    default:
        return noise(brush);
    }
}

static uint64_t paint_integer(struct brush *brush, int64_t i)
{
    switch (brush->fill) {
    case FILL_CANCELS:
    case FILL_LAST_BITS:
    case FILL_HALVES:
        return brush->base ^ (uint64_t)source_below(&brush->source, 2);
    case FILL_RAMP:
        return bits_of(brush, (double)(sum_of_places(brush->request, i) * (brush->slope + 1)));
    case FILL_PATCHES:
        return brush->patch == 0 ? 0 : noise(brush) >> (2 * brush->patch);
    /* All samples have the same random byte as their lowest byte. In the first half of the axis
     * their other bytes are this byte, too; in the second half, the other bytes are 0. */
    case FILL_WIDE:
        return (brush->base & 0xff) * (is_in_first_half(brush, i) ? UINT64_MAX / 0xff : 1) &
               type_mask(brush->type);
    case FILL_ZEROS:
        return 0;
    default:
        return noise(brush);
    }
}

/* Returns middle + p(phase), where p is periodic, and antisymmetric about 0 and about half a
 * period. Symmetric weights cancel p at these two phases, so that the result there is exactly the
 * middle. */
static uint64_t tie_of(struct brush *brush, int64_t phase)
{
    const int64_t half = brush->period / 2;
    const double beside = phase % half == 0 ? 0
                          : phase < half    ? brush->odd[phase]
                                            : -brush->odd[brush->period - phase];

    return bits_of(brush, brush->middle + beside);
}

static uint64_t paint(struct brush *brush, int64_t i)
{
    const struct test_request *request = brush->request;
    const bool is_rare = source_below(&brush->source, brush->rare) == 0;

    if (request->fill == FILL_BEYOND)
        brush->fill = brush->fills[place_of(request, i, brush->axis) >= brush->border];
    switch (brush->fill) {
    case FILL_FLAT:
        return brush->base;
    case FILL_FLAT_BUT_FEW:
        return is_rare ? brush->base ^ 1 : brush->base;
    case FILL_STEPS:
        brush->base = source_below(&brush->source, 30) == 0 ? noise(brush) : brush->base;
        return brush->base;
    case FILL_ENDS:
        return end_of(brush);
    case FILL_FEW:
        return bits_of(brush, (double)source_below(&brush->source, 7) - 2);
    case FILL_CHEQUER:
        return sum_of_places(request, i) % 2 ? brush->base : brush->patch;
    case FILL_IMPULSE:
        return i == (int64_t)(brush->patch % (uint64_t)request_samples(request)) ? brush->base : 0;
    case FILL_TIES:
        return tie_of(brush, sum_of_places(request, i) % brush->period);
    case FILL_CONSTANT:
        return is_rare ? noise(brush) : bits_of(brush, outside_of(request));
    default:
        return brush->type->is_float ? paint_float(brush, i) : paint_integer(brush, i);
    }
}

/* Chooses at random an index along an axis (the border) and two patterns: one for the samples
 * before the border, and one from the border on. One pattern is constant: in a window across the
 * border, only the samples of the other pattern vary. */
static void draw_border(struct brush *brush)
{
    static const int64_t quiet[] = {FILL_ZEROS, FILL_FLAT},
                         loud[] = {FILL_NOISE,   FILL_FLAT,     FILL_ENDS,      FILL_WIDE,
                                   FILL_SPECIAL, FILL_EXTREMES, FILL_SUBNORMAL, FILL_LAST_BITS};
    const struct test_request *request = brush->request;
    const int64_t side = source_below(&brush->source, 2);

    brush->border =
        request->axes == 0 ? 0 : source_below(&brush->source, request->shape[brush->axis]);
    brush->fills[side] = quiet[source_below(&brush->source, 2)];
    brush->fills[1 - side] = loud[source_below(&brush->source, 8)];
}

/* Draws the middle between two neighbouring values of the result's type. If the source's type
 * cannot hold this middle, the samples are rounded, and there may be no tie. Draws the deviations
 * from the middle (tie_of), which are multiples of half the distance between the two values. */
static void draw_ties(struct brush *brush)
{
    const struct type *to = &types[brush->request->dst_type];
    struct source *source = &brush->source;
    const int spread = 1 + (int)source_below(source, to->is_float ? to->significant : 8);
    int exponent = 0;

    brush->period = 4 + 2 * source_below(source, MOST_PERIOD / 2 - 1);
    if (!to->is_float)
        brush->middle = (double)source_below(source, 127) + 0.5;
    else
        brush->middle = (double)((uint64_t)1 << to->significant) +
                        (double)(2 * source_below(source, (int64_t)1 << (to->significant - 2)) + 1);
    if (to->is_float && brush->type->is_float)
        exponent = -(int)source_below(source, 8 + to->significant);
    brush->middle = ldexp(brush->middle, exponent);
    for (int i = 0; i < MOST_PERIOD / 2; i++)
        brush->odd[i] = ldexp((double)(source_below(source, (int64_t)1 << spread) -
                                       source_below(source, (int64_t)1 << spread)),
                              exponent - (to->is_float ? 0 : 1));
}

static struct brush brush_of(const struct test_request *request)
{
    const struct type *type = &types[request->src_type];
    struct brush brush = {.source = {.state = (uint64_t)request->seed},
                          .request = request,
                          .type = type,
                          .fill = request->fill,
                          .maxval =
                              request->src_maxval > 0 ? (uint64_t)request->src_maxval : type->high};
    struct source *source = &brush.source;

    brush.has_signs = source_below(source, 2);
    brush.step = source_below(source, 3) == 0 ? 511 : 30;
    brush.rare = source_below(source, 2) ? 10 : 300;
    brush.axis = source_below(source, request->axes > 0 ? request->axes : 1);
    brush.where = source_below(source, 3);
    if (type->is_float)
        brush.exponent =
            (int)(source_below(source, 2) ? type->fields / 2 - 1
                                          : type->fields - 2 - source_below(source, 5));
    brush.base = type->is_float ? float_of(&brush, brush.exponent) : noise(&brush);
    brush.patch = type->is_float ? float_of(&brush, brush.exponent) : noise(&brush);
    draw_border(&brush);
    draw_ties(&brush);
    if (request->fill == FILL_RAMP)
        brush.slope = (int)source_below(source, 5);
    return brush;
}

/* Changes samples so that three results come close to the middle between two values of their type.
 * Leaves them as they are if there are several terms, or where oracle_near_middle() cannot be used
 * or would take long. */
static void move_near_middle(struct brush *brush, uint64_t *samples)
{
    const struct test_request *request = brush->request;
    const int64_t count = request_samples(request);

    if (request->missing != SMOOTHIMG_ALL || request->terms > 0 || count == 0 || count > 3000 ||
        request->combination == SMOOTHIMG_MAGNITUDE ||
        (brush->type->bytes == 8 && !brush->type->is_float))
        return;
    for (int i = 0; i < 3; i++)
        oracle_near_middle(request, samples, source_below(&brush->source, count),
                           2 + (int)source_below(&brush->source, 22));
}

uint64_t *fill_make(const struct test_request *request)
{
    const int64_t count = request_samples(request);
    uint64_t *samples = calloc((size_t)count + 1, sizeof *samples);
    struct brush brush = brush_of(request);

    if (!samples)
        abort();
    if (request->fill == FILL_PATCHES)
        brush.patch %= 4; /* the kind of the first patch */
    for (int64_t i = 0; i < count; i++) {
        if (request->fill == FILL_PATCHES && source_below(&brush.source, 40) == 0)
            brush.patch = (uint64_t)source_below(&brush.source, 4);
        samples[i] = paint(&brush, i);
        if (brush.maxval < UINT64_MAX && !brush.type->is_float && brush.type->low == 0)
            samples[i] %= brush.maxval + 1;
    }
    if (request->fill == FILL_NEAR_MIDDLE)
        move_near_middle(&brush, samples);
    return samples;
}
