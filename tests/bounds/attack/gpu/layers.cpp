// SPDX-License-Identifier: MIT
// The floats and doubles of smooth/layers/, by the kernel's own sums. A line is a column of the
// window. The estimate is not cut: d is its error, and an error that brings a sample to within the
// limit of a whole number that is not its own is believed.
#include "tests/bounds/attack/gpu/gpu.h"

#include "kernels/smooth/layers/filter.cuh"

namespace
{

constexpr int LANES = 8, TAPS = 2 * LAYERS_MAX_HALO + 1;

template <typename Sample> struct state {
    typedef layer_numbers<Sample> numbers;
    typedef typename numbers::real real;

    static inline layers_filter<real> filter;
    static inline int halo_x, halo_y;
    static inline real sums[LANES][TAPS];

    // Numbers beyond the axis' halo are 0, as are their weights.
    static real at(const real *centre, int k, int halo)
    {
        return k < -halo || k > halo ? 0 : centre[k];
    }

    static void sum_line(int64_t line, const uint16_t *samples)
    {
        for (int lane = 0; lane < LANES; lane++) {
            real column[TAPS];

            for (int tap = 0; tap <= 2 * halo_y; tap++)
                column[tap] = (real)((int)samples[tap * LANES + lane] - numbers::middle);
            sums[lane][line] = weigh<LAYERS_MAX_HALO>(
                filter.down, [&](int k) { return at(column + halo_y, k, halo_y); });
        }
    }

    // The doubles' products and t itself are rounded here, which the kernel does not do.
    static attack_service open(const job *job, attack_limits *limits)
    {
        const double slack = sizeof(real) == 8 ? 2 * half_ulp(65535) : 0;

        if (job->src.sample_bytes != sizeof(Sample) || job->halo < 1 ||
            job->halo > LAYERS_MAX_HALO || !sums_to_one(job) ||
            !make_layers_filter<Sample>(job, &filter))
            return DECLINES;
        halo_x = (int)job->halo_x;
        halo_y = (int)job->halo_y;
        const double bound =
            layers_bound<Sample>(filter, sum_beside(filter.down), sum_beside(filter.along));

        *limits = {-bound - slack, bound + slack, filter.limit - 0.5 - slack,
                   0.5 - filter.limit + slack};
        return SERVES;
    }

    static double sum_beside(const real (&ratios)[LAYERS_MAX_HALO + 1])
    {
        double sum = 0;

        for (int k = 1; k <= LAYERS_MAX_HALO; k++)
            sum += 2 * (double)ratios[k];
        return sum;
    }

    static void estimate(double *t)
    {
        for (int lane = 0; lane < LANES; lane++) {
            const real total = weigh<LAYERS_MAX_HALO>(
                filter.along, [&](int k) { return at(sums[lane] + halo_x, k, halo_x); });

            t[lane] = (double)total * (double)filter.scale + numbers::middle + 0.5;
        }
    }

    static attack_path path(const char *name, double floor, double useful)
    {
        return {name, LANES, false, floor, 1, useful, open, sum_line, estimate, true};
    }
};

const attack_path paths[] = {state<uint8_t>::path("layers, floats", 0.4, 1e-3),
                             state<uint16_t>::path("layers, doubles", 0.3, 1e-9)};

} // namespace

const attack_path *const attack_layers[] = {paths, paths + 1, nullptr};
