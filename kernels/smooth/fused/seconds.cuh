/* SPDX-License-Identifier: MIT */
/* The predicted time of each engine. It is a fit to measurements on an H100, of noise of 256^2 to
 * 8192^2 pixels at halos 1 to 96, by `smoothimg-bench --op smooth --place gpu --variant fused:NAME
 * --size N --halo LIST`. For 98 % of these sizes and halos, the engine with the least predicted
 * time took at most 1.1 times as long as the fastest engine.
 *
 * The fit was made when the engines listed unresolved samples for another kernel. int8 and window
 * now repair them themselves, and have not been measured since. The first entry of int8_costs was
 * measured with a form that also did so, its other entries with the form that made a list. */
#ifndef SMOOTHIMG_FUSED_SECONDS_CUH
#define SMOOTHIMG_FUSED_SECONDS_CUH

#include "kernels/common/launch.cuh"
#include "kernels/common/numbers.h"

/* The cost as two polynomials in the halo h, the mean of both axes: c0 + c1 h + c2 h^2. */
struct cost {
    double start[3];  /* microseconds for launches */
    double sample[3]; /* picoseconds for each sample */
};

/* The costs of an engine: for one channel of 8 bits, for 16 bits, and for several channels of 8
 * bits. */
struct costs {
    struct cost bytes, words, colours;
};

/* On GPUs with slow doubles, engines that compute in doubles take about this many times as long. */
#define SLOW_DOUBLES 16

static const struct costs small_costs = {{{3.11, .0701, .000566}, {8.13, .769, .0086}},
                                         {{3.18, .0402, .00154}, {9.57, .859, .00727}},
                                         {{2.94, .0949, .000119}, {7.62, 1.42, .0349}}};
static const struct costs fp16_costs = {
    {{18.6, .0112, 0}, {.646, .0306, .00188}}, {}, {{17, 0, .0156}, {.672, .0304, .00347}}};
static const struct costs window_costs = {{{11.2, 0, .0275}, {.446, .304, .0554}},
                                          {{10.4, 0, 0}, {1.31, 0, .0562}},
                                          {{0, 9.44, 0}, {.815, 0, 0}}};
static const struct costs int8_costs = {{{4.85, .29, .00229}, {1.11, .0377, .00242}},
                                        {{6.24, 0, .0279}, {1.72, .0777, .00214}},
                                        {{5.43, .0363, .0157}, {.943, .0826, .00215}}};
/* The costs of the engine of arrays: for any samples, and for samples that alpha weights or among
 * which NaN are skipped. */
static const struct cost arrays_cost = {{20, 0, 0}, {8.5, .75, 0}};
static const struct cost arrays_weighed_cost = {{20, 0, 0}, {14, .8, 0}};

static inline const struct cost &arrays_cost_of(const struct request *request)
{
    return request->weighted || request->skip_nan ? arrays_weighed_cost : arrays_cost;
}

static inline double polynomial(const double (&c)[3], double h)
{
    return c[0] + (c[1] + c[2] * h) * h;
}

/* Returns the predicted seconds for all images of the request. at_once: one launch computes the
 * whole stack of images. doubles: the engine computes in doubles. */
static inline double seconds_of(const struct request *request, const struct cost &cost,
                                bool at_once, bool doubles)
{
    const double h = (double)(request->halo_x + request->halo_y) / 2;
    const double images = (double)max(request->images, (int64_t)1);
    const double samples =
        images * (double)request->dst.width * (double)request->dst.height * request->dst.channels;
    const double seconds = 1e-6 * polynomial(cost.start, h) * (at_once ? 1 : images) +
                           1e-12 * polynomial(cost.sample, h) * samples;

    return doubles && !has_quick_doubles() ? SLOW_DOUBLES * seconds : seconds;
}

static inline const struct cost &cost_of(const struct request *request, const struct costs &costs)
{
    return request->src.sample_bytes == 2 ? costs.words
           : request->src.channels > 1    ? costs.colours
                                          : costs.bytes;
}

/* For the member `seconds` of an engine; the arguments are those of seconds_of(). */
template <const struct costs &COSTS, bool AT_ONCE, bool DOUBLES>
static double seconds_by(const struct request *request)
{
    return seconds_of(request, cost_of(request, COSTS), AT_ONCE, DOUBLES);
}

#endif
