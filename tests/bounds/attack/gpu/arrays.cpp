// SPDX-License-Identifier: MIT
// The path (way to estimate a result, attack.h) of arrays/device/: sums in doubles, by the kernels'
// own loops. The first pass sums lines that are columns of the window. A thread computes GROUP
// results; result r is in lane r. With alpha a result has two lanes, one for a colour and one for
// its alpha.
#include "tests/bounds/attack/gpu/gpu.h"

#include "kernels/common/launch.cuh"
#include "kernels/smooth/arrays/device/means.cuh"
#include "kernels/smooth/arrays/images.h"
#include "kernels/smooth/arrays/scheme.h"

#include <stdlib.h>

namespace
{

// A thread reads at most this many values, and as many taps, for its GROUP neighbouring results.
constexpr int MOST = 2 * ATTACK_MAX_HALO + 1 + 3 * GROUP;

// The taps of an axis as the kernels store them: from the centre outwards, and then zeros. `known`
// has the same taps; the kernels use it if `reach`, the halo with which they sum, is MOST_SHORT.
struct axis {
    int64_t halo, reach;
    double taps[MOST];
    short_taps known;
};

uint32_t maxval;
image_weights weights;
array_scheme scheme;
axis down, along;
// [result][0: samples, 1: weights][column]
double sums[GROUP][2][MOST];

void set_axis(int64_t halo, const array_weight *from, axis *to)
{
    *to = {};
    to->halo = halo;
    to->reach = halo <= MOST_SHORT ? MOST_SHORT : whole_steps(halo);
    for (int64_t k = 0; k <= halo; k++) {
        double rest;

        array_tap(ARRAY_COARSE_BITS, &from[k], &to->taps[k], &rest);
    }
    for (int k = 0; k <= 2 * MOST_SHORT; k++)
        to->known.of_set[0][k] = to->taps[abs(k - MOST_SHORT)];
}

// Returns the sum of one of the GROUP results. The centre tap of result 0 multiplies
// numbers[axis.reach].
double sum_of_result(const axis &axis, const double *numbers, int result)
{
    const device_taps taps = {axis.taps, axis.taps, (int)axis.halo, false};
    const auto load = [&](int k) { return numbers[axis.reach + k]; };
    const auto itself = [](double number) { return real_of(number); };
    device_sums<false, GROUP> all;

    if (axis.reach == MOST_SHORT)
        sum_short_of<MOST_SHORT>(0, all, axis.known, load, itself);
    else
        sum_inwards<true>(
            all, 0, taps, [&](int first, int i) { return load(first + i); }, itself);
    return all.value[result];
}

// Returns the index in `numbers` of the value that the tap multiplies, for one of the GROUP results
// (sum_of_result).
int64_t place_of(const axis &axis, int result, int64_t tap)
{
    return axis.reach - axis.halo + result + tap;
}

template <bool MEANS> void sum_line(int64_t line, const uint16_t *samples)
{
    constexpr int numbers = MEANS ? 2 : 1, lanes = numbers * GROUP;

    for (int result = 0; result < GROUP; result++)
        for (int number = 0; number < numbers; number++) {
            double column[MOST] = {};

            for (int64_t tap = 0; tap <= 2 * down.halo; tap++) {
                const uint16_t *const pixel = samples + tap * lanes + numbers * result;
                const uint32_t alpha = MEANS ? pixel[1] : 1;

                column[place_of(down, result, tap)] = number == 0 ? pixel[0] * alpha : alpha;
            }
            sums[result][number][place_of(along, result, line)] =
                sum_of_result(down, column, result);
        }
}

// Makes the scheme (the plan of the passes) and its bounds. Returns false if the engine computes
// the request without estimates, or if maxval is neither 255 nor 65535: the bound is proportional
// to maxval, so other values show nothing new.
bool serves(const request *asked)
{
    request image = *asked;
    uintptr_t bytes = 0;

    if (asked->maxval != 255 && asked->maxval != 65535)
        return false;
    image.src.width = image.src.height = 1;
    image.dst = image.src;
    image_weights_make(&image, &weights);

    const array_job job = image_job_largest(&image, 1, &weights);

    array_make_scheme(&job, true, &bytes, &scheme);

    void *const tables = aligned_alloc(64, max((size_t)bytes, (size_t)64));
    uintptr_t at = (uintptr_t)tables;

    array_make_scheme(&job, true, &at, &scheme);
    free(tables);
    set_axis(image.halo_y, weights.weights[0], &down);
    set_axis(image.halo_x, weights.weights[1], &along);
    memset(sums, 0, sizeof sums);
    maxval = image.maxval;
    return !scheme.bounds.is_special;
}

attack_service limits_of(double bound, attack_limits *limits)
{
    if (bound < 1e-14)
        return DECLINES;
    *limits = {-0.5 - bound, -0.5 + bound, -INFINITY, INFINITY};
    return SERVES;
}

attack_service open_sums(const request *request, attack_limits *limits)
{
    return serves(request)
               ? limits_of(scheme.bounds.per_peak[0] * maxval + scheme.bounds.tiny, limits)
               : DECLINES;
}

attack_service open_means(const request *request, attack_limits *limits)
{
    const double relative = serves(request) ? scheme.bounds.mean_relative : INFINITY;

    return relative < INFINITY ? limits_of(relative * maxval + scheme.bounds.tiny, limits)
                               : DECLINES;
}

void estimate_sums(double *t)
{
    for (int result = 0; result < GROUP; result++)
        t[result] = sum_of_result(along, sums[result][0], result);
}

void estimate_means(double *t)
{
    for (int result = 0; result < GROUP; result++) {
        const double number = sum_of_result(along, sums[result][0], result);
        const real divisor =
            divisor_of<false>(real_of(sum_of_result(along, sums[result][1], result)));

        t[2 * result] =
            is_none<false>(divisor) ? NAN : mean_of<false>(real_of(number), divisor).value;
    }
}

const attack_path paths[] = {
    {"arrays", GROUP, false, 0.1, 0.39, 1e-7, open_sums, sum_line<false>, estimate_sums, true},
    {"arrays, means", 2 * GROUP, true, 0.1, 0.39, 1e-7, open_means, sum_line<true>, estimate_means,
     true}};

} // namespace

const attack_path *const attack_arrays[] = {paths, paths + 1, nullptr};
