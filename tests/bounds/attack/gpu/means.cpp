// SPDX-License-Identifier: MIT
// The doubles of fused/weighted/, by the kernel's own loops. A line is a column of the window, two
// samples of which are a pixel: a colour and its alpha. Window i is output i of a run.
#include "tests/bounds/attack/gpu/gpu.h"

#include "kernels/smooth/fused/weighted/kernel.cuh"

#include <utility>

namespace
{

constexpr int RUN = WEIGHTED_RUN, LANES = 2 * RUN, MOST = 2 * WEIGHTED_MAX_HALO + 2 * RUN;

typedef std::make_integer_sequence<int, RUN> outputs;

weighted_filter filter;
int instance;
uint32_t maxval;
double2 sums[RUN][MOST]; // window, column
double totals[RUN][2];   // window; colour, alpha

// Output I of the source's run. As I is a constant, the compiler leaves the others out.
template <int I, class Source> double2 sum_taps(const weighted_axis &axis, const Source &source)
{
    double run[RUN][2] = {};

    if (instance == 1)
        sum_windows<1>(run, axis, source);
    else if (instance == 2)
        sum_windows<2>(run, axis, source);
    else
        sum_windows<0>(run, axis, source);
    return make_double2(run[I][0], run[I][1]);
}

// The window's column. Beside it are the brightest pixels, which are to count nothing. samples: of
// tap 0; pitch: to the next tap's; alone: they are alphas, and there are no colours.
template <int I, typename Sample> double2 sum_column(const uint16_t *samples, int pitch, bool alone)
{
    const int taps = 2 * filter.down.halo + 1;
    alignas(8) Sample pixels[MOST][2];
    const source rows = {{pixels, 1, MOST, sizeof pixels[0], 2, sizeof(Sample)}, {}, EDGE_ZERO};
    const weighted_column<Sample, 2> column = {rows, reinterpret_cast<const char *>(pixels), 0,
                                               MOST - 1, false};

    for (Sample(&pixel)[2] : pixels)
        pixel[0] = pixel[1] = (Sample)maxval;
    for (int tap = 0; tap < taps; tap++, samples += pitch) {
        pixels[I + tap][0] = (Sample)samples[0];
        pixels[I + tap][1] = (Sample)samples[alone ? 0 : 1];
    }
    return sum_taps<I>(filter.down, column);
}

template <bool ALONE, int... I>
void sum_columns(int64_t line, const uint16_t *samples, std::integer_sequence<int, I...>)
{
    constexpr int step = ALONE ? 1 : 2, pitch = step * RUN;

    if (maxval < 256)
        ((sums[I][I + line] = sum_column<I, uint8_t>(samples + I * step, pitch, ALONE)), ...);
    else
        ((sums[I][I + line] = sum_column<I, uint16_t>(samples + I * step, pitch, ALONE)), ...);
}

template <bool ALONE> void sum_line(int64_t line, const uint16_t *samples)
{
    sum_columns<ALONE>(line, samples, outputs());
}

template <int... I> void sum_rows(std::integer_sequence<int, I...>)
{
    const double2 pairs[] = {sum_taps<I>(filter.along, weighted_line<2>{sums[I], 0})...};

    for (int i = 0; i < RUN; i++) {
        totals[i][0] = pairs[i].x;
        totals[i][1] = pairs[i].y;
    }
}

bool serves(const request *request)
{
    if (request->halo > WEIGHTED_MAX_HALO)
        return false;
    filter = make_weighted_filter(request);
    instance = weighted_instance(request);
    maxval = request->maxval;
    for (double2(&line)[MOST] : sums)
        for (double2 &pair : line)
            pair = make_double2(maxval, maxval);
    return true;
}

// All of it. The offset has the bound rounded up; `unresolved` twice that.
attack_service open(const request *request, attack_limits *limits)
{
    if (!serves(request))
        return DECLINES;
    const double offset = filter.offset - 1048576.5, bound = weighted_bound(request);

    *limits = {offset - bound, offset + bound, 0, ldexp(filter.unresolved, -32)};
    return SERVES;
}

// The bound before the offset is added, which rounds more than the rest; d is -1/2 and the error.
attack_service open_sums(const request *request, attack_limits *limits, double bound)
{
    if (!serves(request) || bound < 1e-14)
        return DECLINES;
    *limits = {-0.5 - bound, -0.5 + bound, -INFINITY, INFINITY};
    filter.offset = 0;
    return SERVES;
}

attack_service open_quotients(const request *request, attack_limits *limits)
{
    return open_sums(request, limits, bounds_of_sums(request).colours + half_ulp(request->maxval));
}

attack_service open_alphas(const request *request, attack_limits *limits)
{
    return open_sums(request, limits, bounds_of_sums(request).alpha);
}

void estimate(double *t)
{
    sum_rows(outputs());
    for (int i = 0; i < RUN; i++) {
        const bool covered = totals[i][1] > 0;

        divide(totals[i], filter);
        t[2 * i] = covered ? totals[i][0] - (filter.offset > 0 ? 1048576 : 0) : NAN;
    }
}

void estimate_alphas(double *t)
{
    sum_rows(outputs());
    for (int i = 0; i < RUN; i++)
        t[i] = totals[i][1];
}

const attack_path paths[] = {
    {"means", LANES, true, 0.5, 1, 4e-8, open, sum_line<false>, estimate, true},
    {"means, before the offset", LANES, true, 0.2, 0.7, 4e-8, open_quotients, sum_line<false>,
     estimate, true},
    {"means' alpha", RUN, false, 0.2, 0.75, 4e-8, open_alphas, sum_line<true>, estimate_alphas,
     true}};

} // namespace

const attack_path *const attack_means[] = {paths, paths + 1, paths + 2, nullptr};
