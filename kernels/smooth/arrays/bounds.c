/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/arrays/bounds.h"

#include "kernels/common/numbers.h"

#include <math.h>
#include <string.h>

/* Of finite samples, sums in one double do not overflow: along an axis the weights sum to less than
 * 2^74, being fewer than 2^12 and below 2^62 each (ARRAY_WEIGHT_BITS). */
#define MOST_OUTSIDE 0x1p256

bool array_is_wide(const struct array_job *job)
{
    return sample_is_wide(job->src.type) || sample_is_wide(job->dst.type) ||
           job->outside_rest != 0 || fabs(job->outside) > MOST_OUTSIDE ||
           job->filtered > ARRAY_MOST_AXES;
}

bool array_has_magnitudes(const struct array_job *job)
{
    return array_is_wide(job) || sample_format(job->src.type).is_float ||
           sample_format(job->dst.type).is_float;
}

/* In units of 2^-bits. */
static double magnitude_of(const struct array_weight *weight)
{
    return (double)u128_high(weight->magnitude) * 0x1p64 + (double)u128_low(weight->magnitude);
}

void array_tap(int bits, const struct array_weight *weight, double *tap, double *rest)
{
    const uint64_t high = u128_high(weight->magnitude), low = u128_low(weight->magnitude);
    const double unit = ldexp(weight->negative ? -1 : 1, -bits);
    /* Four parts of 32 bits, each exact; sums from the greatest on lose less than 2^-106. */
    const double parts[4] = {(double)(high >> 32) * 0x1p96, (double)(uint32_t)high * 0x1p64,
                             (double)(low >> 32) * 0x1p32, (double)(uint32_t)low};
    double sum = 0, lost = 0;

    for (int i = 0; i < 4; i++) {
        const double next = sum + parts[i];

        lost += parts[i] - (next - sum);
        sum = next;
    }
    *tap = (sum + lost) * unit;
    *rest = (lost - ((sum + lost) - sum)) * unit;
}

/* The greatest sum of |weight| that an axis has in any term, in units of 1; at least 1. */
static double greatest_sum(const struct array_job *job, int axis)
{
    double greatest = 1;

    for (int t = 0; t < job->terms; t++) {
        const struct array_weight *weights = job->taps[t * job->filtered + axis].weights;
        double sum = magnitude_of(&weights[0]);

        for (int64_t k = 1; k <= job->halo[axis]; k++)
            sum += 2 * magnitude_of(&weights[k]);
        greatest = fmax(greatest, ldexp(sum, -job->bits));
    }
    return greatest;
}

#define LEAST_SCALE 0x1p-960

double array_scale(double most)
{
    uint64_t bits;
    double power;

    memcpy(&bits, &most, sizeof bits);
    bits &= (uint64_t)0x7ff << 52; /* of a subnormal number: 0 */
    memcpy(&power, &bits, sizeof power);
    power *= 8;
    return power > LEAST_SCALE ? power : most > 0 ? LEAST_SCALE : 0;
}

struct array_bound array_bound(const struct array_job *job, int sides)
{
    const double u = 0x1p-53;
    const struct sample_format from = sample_format(job->src.type);
    double roundings = 8 + job->terms, lengths = 8 + job->terms, gain = 1, relative;

    for (int i = 0; i < job->filtered; i++) {
        roundings += (double)(sides * job->halo[i]) + 4;
        lengths += (double)(sides * job->halo[i]) + 9;
        gain *= greatest_sum(job, i);
    }
    relative = array_is_wide(job) ? 4 * lengths * lengths * u * u : 1.1 * roundings * u;
    if (array_has_magnitudes(job))
        return (struct array_bound){job->bits * job->filtered <= ARRAY_MOST_BITS ? relative
                                                                                 : INFINITY,
                                    0x1p-1054 * gain * job->terms};
    return (struct array_bound){0, relative * gain * job->terms *
                                       fmax(ldexp(1, from.significant_bits), fabs(job->outside))};
}

/* The sum of the partial sums of |taps| for row `row` of `rows` that share what they read. */
static double partial_sums(const struct axis_taps *taps, int rows, int row)
{
    const int64_t span = 2 * taps->halo + rows;
    double sum = 0, all = 0;

    for (int64_t i = 0; i < span; i++) {
        const int64_t source = i % 2 == 0 ? i / 2 : span - 1 - i / 2;

        sum += fabs(taps->taps[source - row - taps->halo]);
        all += sum;
    }
    return all;
}

void axis_taps_fill(struct axis_taps *taps)
{
    taps->negative = taps->odd;
    taps->dense = true;
    taps->sum = 0;
    for (int64_t k = 0; k <= taps->halo; k++) {
        const double sign = taps->odd ? -1 : 1;
        double tap, rest;

        array_tap(taps->bits, &taps->weights[k], &tap, &rest);
        if (taps->odd && k == 0)
            tap = rest = 0;
        taps->taps[-k] = sign * tap;
        taps->rests[-k] = sign * rest;
        taps->taps[k] = tap; /* the centre: +0, if odd */
        taps->rests[k] = rest;
        taps->negative = taps->negative || taps->weights[k].negative;
        taps->dense = taps->dense && tap != 0;
        taps->sum += k > 0 ? 2 * fabs(tap) : fabs(tap);
    }
    taps->partial = partial_sums(taps, 1, 0);
    for (int row = 0; row < ARRAY_TILE_ROWS; row++)
        taps->partial = fmax(taps->partial, partial_sums(taps, ARRAY_TILE_ROWS, row));
}

struct node_bound node_bound_pass(const struct axis_taps *taps, struct node_bound from,
                                  bool along_row)
{
    const double partial =
        along_row ? ((double)taps->halo + 2) * taps->sum : taps->partial + taps->sum;

    return (struct node_bound){taps->sum * from.size,
                               taps->sum * from.error + (partial + 2 * taps->sum) * from.size};
}
