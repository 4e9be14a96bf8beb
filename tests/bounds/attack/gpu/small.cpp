// SPDX-License-Identifier: MIT
// The path (way to estimate a result, attack.h) of fused/small/: sums in doubles, by the kernel's
// own loop. The first pass sums lines that are columns of the window. A thread computes a run of
// SMALL_RUN outputs; lane l is output l % SMALL_RUN of a run.
#include "tests/bounds/attack/gpu/gpu.h"

#include "kernels/smooth/fused/small/kernel.cuh"

namespace
{

constexpr int LANES = 8, TAPS = 2 * SMALL_MAX_HALO + 1;

small_filter filter;
double sums[LANES][TAPS]; // [lane][column]

// Returns the weighted sum of samples for the lane's output.
template <typename T> double sum_taps(const T *samples, const small_axis &axis, int lane)
{
    const int output = lane % SMALL_RUN;
    double totals[SMALL_RUN] = {};

    add_windows(totals, axis, [&](int i) -> T {
        const int tap = i - output;
        return tap < 0 || tap > 2 * axis.halo ? 0 : samples[tap];
    });
    return totals[output];
}

void sum_line(int64_t line, const uint16_t *samples)
{
    uint32_t column[TAPS];

    for (int lane = 0; lane < LANES; lane++) {
        for (int tap = 0; tap <= 2 * filter.down.halo; tap++)
            column[tap] = samples[tap * LANES + lane];
        sums[lane][line] = sum_taps(column, filter.down, lane);
    }
}

bool serves(const request *request)
{
    if (request->halo > SMALL_MAX_HALO)
        return false;
    filter = make_small_filter(request);
    return true;
}

// Attacks the whole computation. make_small_filter() has added the bound, rounded up, to the
// filter's offset; `unresolved` is twice the bound in units of 2^-32.
attack_service open(const request *request, attack_limits *limits)
{
    if (!serves(request))
        return DECLINES;
    const double offset = filter.offset - 1048576.5, bound = small_bound(request);

    *limits = {offset - bound, offset + bound, 0, ldexp(filter.unresolved, -32)};
    return SERVES;
}

void estimate(double *t)
{
    for (int lane = 0; lane < LANES; lane++)
        t[lane] = sum_taps(sums[lane], filter.along, lane) + filter.offset - 1048576;
}

// Attacks the sums before the offset is added, since adding it rounds more than all other
// operations and hides their errors. The offset contains the 1/2 of t = v + 1/2 + d (attack.h), so
// here d is the error of the sum minus 1/2.
attack_service open_sums(const request *request, attack_limits *limits)
{
    const double bound = small_bound(request) - half_ulp(1048576);

    if (!serves(request) || bound < 1e-14)
        return DECLINES;
    *limits = {-0.5 - bound, -0.5 + bound, -INFINITY, INFINITY};
    return SERVES;
}

void estimate_sums(double *t)
{
    for (int lane = 0; lane < LANES; lane++)
        t[lane] = sum_taps(sums[lane], filter.along, lane);
}

attack_path path_of(const char *name, double floor,
                    attack_service (*open)(const request *, attack_limits *),
                    void (*estimate)(double *))
{
    return {name, LANES, false, floor, 1, 2e-8, open, sum_line, estimate, true};
}

const attack_path paths[] = {path_of("small", 0.5, open, estimate),
                             path_of("small, before the offset", 0.3, open_sums, estimate_sums)};

} // namespace

const attack_path *const attack_small[] = {paths, paths + 1, nullptr};
