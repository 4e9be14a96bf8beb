/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/cpu/u8/weights.h"

#include "kernels/common/exact.h"
#include "kernels/smooth/cpu/doubles.h"

#include <math.h>
#include <string.h>

#define SCALES 1024       /* that are tried for weights of one digit */
#define ONE_DIGIT_HALO 5  /* up to here one digit and more repairs are faster than two digits */
#define DIGIT_MAX 32767.0 /* of a digit that is never negative */

/* The weight of a tap, in units of 1; exact, for weights have fewer than 53 bits. */
static double weight(const struct job *job, int64_t k)
{
    return (double)job->weights[job->halo + k] / (double)((uint64_t)1 << WEIGHT_BITS);
}

static double sum_of_weights(const struct job *job)
{
    double sum = weight(job, 0);

    for (int64_t k = 1; k <= job->halo; k++)
        sum += 2 * weight(job, k);
    return sum;
}

static double greatest_weight(const struct job *job)
{
    double greatest = 0;

    for (int64_t k = 0; k <= job->halo; k++)
        greatest = fmax(greatest, weight(job, k));
    return greatest;
}

/* What the weights lose when they are rounded to integers at a scale. */
struct loss {
    double below, above; /* sums of min(d(k), 0) and of max(d(k), 0) */
};

static struct loss loss_of(const struct job *job, double scale)
{
    struct loss loss = {0, 0};

    for (int64_t k = 0; k <= job->halo; k++) {
        const double d = (rint(weight(job, k) * scale) / scale - weight(job, k)) * (k ? 2 : 1);

        loss.below += fmin(d, 0);
        loss.above += fmax(d, 0);
    }
    return loss;
}

/* Any scale will do at which the greatest weight still fits: take one at which all of the few
 * weights happen to be near integers. For halo 4 that halves the loss, for halo 2 it is a quarter.
 */
static double best_scale(const struct job *job, double greatest_scale)
{
    double best = greatest_scale, least = INFINITY;

    for (int i = 0; i < SCALES; i++) {
        const double scale = greatest_scale * (1 - 0.5 * i / SCALES);
        const struct loss loss = loss_of(job, scale);

        if (loss.above - loss.below < least) {
            least = loss.above - loss.below;
            best = scale;
        }
    }
    return best;
}

/* Cuts the row's weights to digits, the lower one from -2^14 to 2^14. Returns sum of W(k). */
static double cut(const struct job *job, double scale, struct smooth_u8_weights *weights)
{
    double sum = 0;

    for (int64_t k = -job->halo - 1; k <= job->halo + 1; k++) {
        const int64_t place = job->halo + 1 + k;
        const bool outside = k < -job->halo || k > job->halo;
        const int64_t integer = outside ? 0 : (int64_t)rint(weight(job, k) * scale);
        const int64_t upper = (integer + (1 << (DIGIT_BITS - 1))) >> DIGIT_BITS;

        weights->row[0][place] = (int16_t)(weights->digits == 1 ? integer : upper);
        weights->row[1][place] =
            (int16_t)(weights->digits == 1 ? 0 : integer - (upper << DIGIT_BITS));
        sum += (double)integer;
    }
    return sum;
}

/* The bound e, by the lines of the header. */
static double error_bound(const struct job *job, const struct loss *loss, double row_sum)
{
    const double u = 0x1p-24, all = sum_of_weights(job), maxval = job->maxval;
    const double row = maxval * row_sum;
    double error = all * maxval / 2 * (loss->above - loss->below); /* 1 */
    double acc = 1;                                                /* start: 1/2 + e - bias */

    error += u * row * all * (3 + 1 + 2); /* 2, 3, and 4's folding and products */
    for (int64_t k = job->halo; k >= 0; k--) {
        acc += row * weight(job, k) * (k ? 2 : 1);
        error += u * acc;
    }
    return 1.01 * error;
}

bool smooth_u8_serves(const struct job *job)
{
    const double all = sum_of_weights(job);

    return job->src.sample_bytes == 1 && job->halo <= U8_MAX_HALO && all > 0 &&
           job->maxval * all * all < 500;
}

static void spread(const struct job *job, struct smooth_u8_weights *weights)
{
    const int64_t step = job->src.channels;

    memset(weights->spread, 0, sizeof weights->spread);
    for (int64_t k = 0; k <= job->halo; k++) {
        weights->taps[k] = weight(job, k);
        if (weights->reach <= U8_MAX_REACH)
            weights->spread[weights->reach - k * step] =
                weights->spread[weights->reach + k * step] = weight(job, k);
    }
}

void smooth_u8_prepare(const struct job *job, struct smooth_u8_weights *weights)
{
    const double all = sum_of_weights(job);
    double scale = DIGIT_MAX / greatest_weight(job);
    struct loss loss;

    weights->halo = job->halo;
    weights->reach = job->halo * job->src.channels;
    /* What filter_sample promises, and the 1/2 that is added. */
    weights->repair_bound = smooth_doubles_bound(job, job->halo + weights->reach / 4 + 8);
    spread(job, weights);
    weights->digits = job->halo <= ONE_DIGIT_HALO ? 1 : 2;
    scale = weights->digits == 1 ? best_scale(job, scale) : scale * (1 << DIGIT_BITS);
    loss = loss_of(job, scale);
    const double row_sum = cut(job, scale, weights) / scale;
    const double bias = all * job->maxval / 2 * (loss.above + loss.below);

    weights->bound = error_bound(job, &loss, row_sum);
    const double one = 1 << FRACTION_BITS;

    weights->start = (float)((0.5 + weights->bound - bias) * one);
    for (int64_t k = 0; k <= job->halo; k++)
        weights->column[k] = (float)(weight(job, k) * one / scale);
    weights->unresolved_mask = (int32_t)one - 1;
    for (double t = 1; t < one && t < 2 * weights->bound * one + 1; t *= 2)
        weights->unresolved_mask &= ~(int32_t)t;
}
