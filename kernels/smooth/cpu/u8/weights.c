/* SPDX-License-Identifier: MIT */
/* The integer weights of the engine u8, and the bound on the error of its estimate. weights.h
 * defines the symbols. A weight along the rows has one or two digits of 15 bits. */
#include "kernels/smooth/cpu/u8/weights.h"

#include "kernels/common/axes.h"
#include "kernels/common/exact.h"
#include "kernels/common/numbers.h"
#include "kernels/smooth/floats/floats.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SCALES 2048 /* how many scales best_scale() tries for a large image */
/* For a smaller image, MIN_SCALES scales are tried, and one more for each SCALE_SAMPLES samples.
 * With a better scale fewer samples are computed again, but a small image has few of them
 * anyway. */
#define SCALE_SAMPLES 512
#define MIN_SCALES 16
#define DIGIT_MAX 32767.0 /* the greatest digit; digits are stored in 16 bits */

/* Returns the scale, from greatest_scale / 2 to greatest_scale, that brings the weights along the
 * rows nearest to integers: the one with the least loss, `above` minus `below` of struct cut. Any
 * scale would give correct results; with a smaller loss fewer samples are computed again. The
 * search reduces the loss to a half at halo 4, and to a quarter at halo 2. Used only for weights of
 * one digit. A cast rounds, since rint() needs a function call in code for old processors. */
static double best_scale(const struct request *request, double greatest_scale)
{
    const struct axis_weights along = weights_along(request);
    const int64_t halo = along.halo;
    const int64_t samples = request->src.width * request->src.height * request->src.channels;
    const int tries = (int)min(SCALES, MIN_SCALES + samples / SCALE_SAMPLES);
    double weights[U8_MAX_HALO + 1], best = greatest_scale, least = INFINITY;

    for (int64_t k = 0; k <= halo; k++)
        weights[k] = axis_weight(along, k);
    for (int i = 0; i < tries; i++) {
        const double scale = greatest_scale * (1 - 0.5 * i / tries), bearable = least * scale;
        double loss = 0; /* sum of |d(k)| for k > 0 and half of |d(0)|, times scale */

        for (int64_t k = 0; k <= halo && loss < bearable; k++) {
            const double integer = weights[k] * scale;

            loss += fabs((double)(int64_t)(integer + 0.5) - integer) * (k ? 1 : 0.5);
        }
        if (loss < bearable) {
            least = loss / scale;
            best = scale;
        }
    }
    return best;
}

/* How the weights along the rows change when they are multiplied by a scale and rounded to integers
 * W(k): sums over k. d(k) is W(k) / scale - wx(k) (weights.h). */
struct cut {
    double sum;          /* sum of W(k), divided by the scale */
    double below, above; /* sum of min(d(k), 0), sum of max(d(k), 0) */
};

/* Sets the integer weights W(k) along the rows, and splits them into digits. If there are two
 * digits, the lower one is from -2^14 to 2^14 - 1. */
static struct cut cut(struct axis_weights along, double scale, struct smooth_u8_weights *weights)
{
    struct cut cut = {0};

    for (int64_t k = -along.halo - 1; k <= along.halo + 1; k++) {
        const int64_t place = along.halo + 1 + k;
        const bool outside = k < -along.halo || k > along.halo;
        const double w = outside ? 0 : axis_weight(along, k);
        const int64_t integer = (int64_t)(w * scale + 0.5);
        const int64_t upper = (integer + (1 << (DIGIT_BITS - 1))) >> DIGIT_BITS;
        /* The weights are symmetric: d(k) counts twice for k > 0, and not for k < 0. */
        const double d = ((double)integer / scale - w) * (k > 0 ? 2 : k == 0);

        weights->row[0][place] = (int16_t)(weights->digits == 1 ? integer : upper);
        weights->row[1][place] =
            (int16_t)(weights->digits == 1 ? 0 : integer - (upper << DIGIT_BITS));
        cut.sum += (double)integer;
        cut.below += fmin(d, 0);
        cut.above += fmax(d, 0);
    }
    cut.sum /= scale;
    return cut;
}

/* Sets the bound e and the members that depend on it. weights.h lists the causes of errors by
 * number.
 *
 * Sets repair_bound, too: the bound on the error of a sample's value in doubles. Weights, and sums
 * of two samples, are exact in a double. Each rounding multiplies a term by a factor (1 + d), |d|
 * <= 2^-53. No term is negative, so the relative error of the sum is at most (1 + 2^-53)^roundings
 * - 1 < 1.05 roundings 2^-53. A term is rounded halo_y + 1 times as a part of its column's sum,
 * once when the column is weighted, and at most once for each of the other columns when the columns
 * are added, in whatever order. The addition of 1/2 is one more rounding, and two are a margin. */
static void set_bounds(const struct request *request, const struct cut *cut,
                       struct smooth_u8_weights *weights)
{
    const struct axis_weights down = weights_down(request);
    const double all = axis_sum(down); /* B */
    const double u = 0x1p-24, maxval = request->maxval, one = 1 << FRACTION_BITS;
    const double row = maxval * cut->sum;
    const double bias = all * maxval / 2 * (cut->above + cut->below);
    const double roundings = (double)(request->halo_y + 2 * weights->reach + 5);
    double error = all * maxval / 2 * (cut->above - cut->below); /* cause 1 */
    double acc = 1; /* an upper limit of 1/2 + e - bias */

    error += u * row * all *
             (weights->digits == 1 ? 1 : 2.01); /* cause 2: sums along rows are rounded */
    /* This is cause 3, and that part of cause 4 that comes from rounding r(-k) + r(k) and the
     * products. */
    error += u * row * all * (1 + 2);
    for (int64_t k = down.halo; k >= 0; k--) {
        acc += row * axis_weight(down, k) * (k ? 2 : 1);
        error += u * acc;
    }
    weights->bound = 1.01 * error;
    weights->start = (float)((0.5 + weights->bound - bias) * one);
    /* If the bound reached 1/2, every sample would be unresolved, and be computed again. */
    weights->unresolved_limit = (uint16_t)fmin(2 * weights->bound * one, one - 1);
    weights->repair_bound = 1.05 * roundings *
                            (maxval * axis_sum(weights_along(request)) * all + 1) *
                            (DBL_EPSILON / 2);
}

const char *smooth_u8_refuses(const struct request *request)
{
    const double all = axis_sum(weights_along(request)) * axis_sum(weights_down(request));
    const char *refusal = refuses_all_but_integers(request);

    if (refusal)
        return refusal;
    if (request->src.sample_bytes != 1 || request->halo > U8_MAX_HALO ||
        request->halo_x * request->src.channels > U8_MAX_REACH)
        return "its integers are for 8 bits, halos to 96, and 384 samples of a row";
    return all > 0 && request->maxval * all < 500 ? NULL : "the weights' sums are 0 or too great";
}

const char *smooth_u8_make(const struct request *request, void *state)
{
    struct smooth_u8_weights *weights = state;
    const struct axis_weights along = weights_along(request), down = weights_down(request);
    const int64_t step = request->src.channels;
    double scale = DIGIT_MAX / axis_greatest(along);
    struct cut row;

    weights->halo_x = request->halo_x;
    weights->halo_y = request->halo_y;
    weights->maxval = (int32_t)request->maxval;
    weights->reach = request->halo_x * step;
    memset(weights->spread, 0, sizeof weights->spread);
    for (int64_t k = 0; k <= request->halo_x; k++)
        weights->spread[weights->reach - k * step] = weights->spread[weights->reach + k * step] =
            axis_weight(along, k);
    weights->digits = request->halo_x <= U8_ONE_DIGIT_HALO ? 1 : 2;
    weights->grey = step == 1 && weights->digits == 1;
    scale = weights->digits == 1 ? best_scale(request, scale) : scale * (1 << DIGIT_BITS);
    row = cut(along, scale, weights);
    set_bounds(request, &row, weights);
    for (int64_t k = 0; k <= request->halo_y; k++) {
        weights->taps[k] = axis_weight(down, k);
        weights->column[k] = (float)(weights->taps[k] * (1 << FRACTION_BITS) / scale);
    }
    return NULL;
}
