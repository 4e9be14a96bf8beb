/* SPDX-License-Identifier: MIT */
/* The predicted time of each engine. It is a fit to measurements on an H200: calls of the library,
 * one after the other, for noise of 256^2 to 8192^2 pixels (one channel also 16384^2), one, three
 * and four channels, at halos 1 to 64. The times of int8 are from later runs of its kernel alone
 * (256^2 to 2048^2 and 8192^2 pixels, halos 1 to 64), after changes that made it faster. */
#ifndef SMOOTHIMG_FUSED_SECONDS_CUH
#define SMOOTHIMG_FUSED_SECONDS_CUH

#include "kernels/common/launch.cuh"
#include "kernels/common/numbers.h"

/* The cost as two polynomials c0 + c1 h + c2 h^2, where h is the mean of the halos of both axes. */
struct cost {
    double start[3];  /* microseconds for launches */
    double sample[3]; /* picoseconds for each sample */
};

/* The costs of an engine: for one channel of 8 bits, for 16 bits, and for several channels of 8
 * bits. */
struct costs {
    struct cost bytes, words, colours;
};

/* On GPUs with slow doubles, engines that compute in doubles take about this many times as long as
 * the costs below say. */
#define SLOW_DOUBLES 16

static const struct costs window_costs = {{{6.27, 0, .152}, {.569, 0, .339}},
                                          {{5.16, 0, .175}, {1.18, 0, .0892}},
                                          {{0, 6.03, 0}, {.897, 0, 0}}};
static const struct costs int8_costs = {{{5.4, .2, .017}, {1.5, .055, .0018}},
                                        {{7, .2, .0551}, {2.1, .01, .0142}},
                                        {{6, .1, .04}, {1.45, .045, .0037}}};
/* The costs of the engine of arrays: arrays_weighed_cost is for samples that alpha weights or among
 * which NaN are skipped, arrays_cost for all others. */
static const struct cost arrays_cost = {{24, .1, .003}, {4.6, .66, 0}};
static const struct cost arrays_weighed_cost = {{24, 0, 0}, {14, .8, 0}};

static inline double polynomial(const double (&c)[3], double h)
{
    return c[0] + (c[1] + c[2] * h) * h;
}

/* Returns the predicted seconds for all images of the request, which one launch computes. doubles:
 * the engine computes in doubles. */
static inline double seconds_of(const struct request *request, const struct cost &cost,
                                bool doubles)
{
    const double h = (double)(request->halo_x + request->halo_y) / 2;
    const double images = (double)max(request->images, (int64_t)1);
    const double samples =
        images * (double)request->dst.width * (double)request->dst.height * request->dst.channels;
    const double seconds =
        1e-6 * polynomial(cost.start, h) + 1e-12 * polynomial(cost.sample, h) * samples;

    return doubles && !has_quick_doubles() ? SLOW_DOUBLES * seconds : seconds;
}

/* The function for the member `seconds` of struct engine. DOUBLES: the last argument of
 * seconds_of(). */
template <const struct costs &COSTS, bool DOUBLES>
static double seconds_by(const struct request *request)
{
    const struct cost &cost = request->src.sample_bytes == 2 ? COSTS.words
                              : request->src.channels > 1    ? COSTS.colours
                                                             : COSTS.bytes;

    return seconds_of(request, cost, DOUBLES);
}

#endif
