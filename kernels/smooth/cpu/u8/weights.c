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
/* MIN_SCALES scales are tried, and one more for each SCALE_SAMPLES samples of the image. With a
 * better scale fewer samples are computed again, but a small image has few of them anyway. */
#define SCALE_SAMPLES 512
#define MIN_SCALES 16
#define DIGIT_MAX 32767.0 /* the greatest 16-bit digit */

/* Returns the nearest integer to a number that is not negative. Unlike rint() this needs no
 * function call in code for old processors; best_scale() rounds thousands of times. */
static double nearest(double x)
{
    return (double)(int64_t)(x + 0.5);
}

/* How much the row's weights change when they are multiplied by a scale and rounded to integers.
 * d(k) is the change of weight k (weights.h). */
struct loss {
    double below, above; /* sums of min(d(k), 0) and of max(d(k), 0) */
};

static struct loss loss_of(struct axis_weights along, double scale)
{
    struct loss loss = {0, 0};

    for (int64_t k = 0; k <= along.halo; k++) {
        const double w = axis_weight(along, k), d = (nearest(w * scale) / scale - w) * (k ? 2 : 1);

        loss.below += fmin(d, 0);
        loss.above += fmax(d, 0);
    }
    return loss;
}

/* Returns the scale, from greatest_scale / 2 to greatest_scale, that brings the row's weights
 * nearest to integers: the scale with the least loss, which is `above` minus `below` of loss_of().
 * Any scale would give correct results; with a smaller loss fewer samples are computed again. The
 * search halves the loss at halo 4, and quarters it at halo 2. Used only for weights of one
 * digit. */
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

            loss += fabs(nearest(integer) - integer) * (k ? 1 : 0.5);
        }
        if (loss < bearable) {
            least = loss / scale;
            best = scale;
        }
    }
    return best;
}

/* Sets the row's integer weights W(k), and splits them into digits. If there are two digits, the
 * lower one is from -2^14 to 2^14. Returns the sum of W(k). */
static double cut(struct axis_weights along, double scale, struct smooth_u8_weights *weights)
{
    double sum = 0;

    for (int64_t k = -along.halo - 1; k <= along.halo + 1; k++) {
        const int64_t place = along.halo + 1 + k;
        const bool outside = k < -along.halo || k > along.halo;
        const int64_t integer = outside ? 0 : (int64_t)nearest(axis_weight(along, k) * scale);
        const int64_t upper = (integer + (1 << (DIGIT_BITS - 1))) >> DIGIT_BITS;

        weights->row[0][place] = (int16_t)(weights->digits == 1 ? integer : upper);
        weights->row[1][place] =
            (int16_t)(weights->digits == 1 ? 0 : integer - (upper << DIGIT_BITS));
        sum += (double)integer;
    }
    return sum;
}

/* Returns the bound e. weights.h lists the causes by number. */
static double error_bound(const struct request *request, const struct loss *loss, double sum,
                          int digits)
{
    const struct axis_weights down = weights_down(request);
    const double all = axis_sum(down); /* B */
    const double u = 0x1p-24, maxval = request->maxval;
    const double row = maxval * sum;
    double error = all * maxval / 2 * (loss->above - loss->below); /* cause 1 */
    double acc = 1; /* an upper limit of 1/2 + e - bias */

    error += u * row * all * (digits == 1 ? 1 : 2.01); /* cause 2 */
    /* This is cause 3, and that part of cause 4 that comes from rounding p(-k) + p(k) and the
     * products. */
    error += u * row * all * (1 + 2);
    for (int64_t k = down.halo; k >= 0; k--) {
        acc += row * axis_weight(down, k) * (k ? 2 : 1);
        error += u * acc;
    }
    return 1.01 * error;
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

/* Returns the bound on the error of a sample's value in doubles. u is 2^-53. Weights, and sums of
 * two samples, are exact in a double. Each rounding multiplies a term by a factor (1 + d), |d| <=
 * u. No term is negative, so the relative error of the sum is at most (1 + u)^roundings - 1 < 1.05
 * roundings u. A term is rounded halo_y + 1 times as a part of its column's sum, once when the
 * column is weighted, and at most once for each of the other columns when the columns are added, in
 * whatever order. The addition of 1/2 is one more rounding, and two are a margin. */
static double repair_bound(const struct request *request)
{
    const int64_t reach = request->halo_x * request->src.channels;
    const double roundings = (double)(request->halo_y + 2 * reach + 5);
    const double greatest =
        request->maxval * axis_sum(weights_along(request)) * axis_sum(weights_down(request)) + 1;

    return 1.05 * roundings * greatest * (DBL_EPSILON / 2);
}

const char *smooth_u8_make(const struct request *request, void *state)
{
    struct smooth_u8_weights *weights = state;
    const struct axis_weights along = weights_along(request), down = weights_down(request);
    const int64_t step = request->src.channels;
    double scale = DIGIT_MAX / axis_greatest(along);
    struct loss loss;

    weights->halo_x = request->halo_x;
    weights->halo_y = request->halo_y;
    weights->maxval = (int32_t)request->maxval;
    weights->reach = request->halo_x * step;
    weights->repair_bound = repair_bound(request);
    memset(weights->spread, 0, sizeof weights->spread);
    for (int64_t k = 0; k <= request->halo_x; k++)
        weights->spread[weights->reach - k * step] = weights->spread[weights->reach + k * step] =
            axis_weight(along, k);
    weights->digits = request->halo_x <= U8_ONE_DIGIT_HALO ? 1 : 2;
    weights->grey = step == 1 && weights->digits == 1;
    scale = weights->digits == 1 ? best_scale(request, scale) : scale * (1 << DIGIT_BITS);
    loss = loss_of(along, scale);
    const double sum = cut(along, scale, weights) / scale;
    const double bias = axis_sum(down) * request->maxval / 2 * (loss.above + loss.below);

    weights->bound = error_bound(request, &loss, sum, weights->digits);
    const double one = 1 << FRACTION_BITS;

    weights->start = (float)((0.5 + weights->bound - bias) * one);
    for (int64_t k = 0; k <= request->halo_y; k++) {
        weights->taps[k] = axis_weight(down, k);
        weights->column[k] = (float)(weights->taps[k] * one / scale);
    }
    /* If the bound reached 1/2, every sample would be unresolved, and be computed again. */
    weights->unresolved_limit = (uint16_t)fmin(2 * weights->bound * one, one - 1);
    return NULL;
}
