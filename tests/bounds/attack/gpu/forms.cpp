// SPDX-License-Identifier: MIT
// The paths (ways to estimate a result, attack.h) of the kernel fused:window, by its own loops. The
// kernel has two number formats ("forms"), for samples of 8 bits and of 16 bits
// (fused/arithmetic.cuh); each is a path. The first pass sums lines that are columns of the window.
#include "tests/bounds/attack/gpu/gpu.h"

#include "kernels/common/axes.h"
#include "kernels/smooth/fused/window.cuh"

namespace
{

constexpr int TAPS = 2 * ATTACK_MAX_HALO + 1;
constexpr int SIDE = 8; // number of windows, which lie side by side
constexpr int MOST_HALO = 2;

double grey(double t)
{
    return t - 1048576; // subtracts the `base` of make_filter()
}

// Sets *limits for a fused_filter. The kernel computes a sample again, exactly, if the fractional
// part of its estimate, in units of 2^-32, is below filter.unresolved, which is twice the bound of
// the error, rounded up, plus 2.
template <class Filter> attack_service limits_of(const Filter &filter, attack_limits *limits)
{
    *limits = {0, ldexp(filter.unresolved - 2.0, -32), 0, ldexp(filter.unresolved, -32)};
    return SERVES;
}

template <class Form> bool for_form(const request *request)
{
    return request->src.sample_bytes == sizeof(typename Form::sample) && request->halo <= MOST_HALO;
}

template <class Form> struct columns {
    static inline fused_filter<Form, MOST_HALO + 1> filter;
    static inline int halo;
    static inline typename Form::sum sums[SIDE][TAPS]; // [window][column]

    // Returns the sum down a column of a window. Adds two samples of equal weight before it
    // multiplies them. Begins with the two outermost samples.
    static typename Form::sum sum_column(const uint16_t *samples)
    {
        typename Form::sum sum = 0;

        for (int k = halo; k >= 0; k--) {
            uint32_t parts[2], others[2];

            Form::unpack(parts, samples[(halo - k) * SIDE]);
            Form::unpack(others, k > 0 ? samples[(halo + k) * SIDE] : 0);
            parts[0] += others[0];
            Form::add_column(sum, filter.columns[k], parts, 0);
        }
        return sum;
    }

    static void sum_line(int64_t line, const uint16_t *samples)
    {
        for (int lane = 0; lane < SIDE; lane++)
            sums[lane][line] = sum_column(samples + lane);
    }
};

template <class Form, int HALO> struct one_window {
    static inline fused_filter<Form, HALO + 1> filter;

    static double estimate(const typename Form::sum *sums)
    {
        typename Form::sum line[window_of<Form>::columns + 2 * HALO] = {};
        double totals[window_of<Form>::columns];

        for (int i = 0; i <= 2 * HALO; i++)
            line[i] = sums[i];
        sum_row<Form, HALO, 1>(totals, line, filter);
        return grey(totals[0]);
    }
};

template <class Form> struct window : columns<Form> {
    using columns<Form>::filter, columns<Form>::halo, columns<Form>::sums;

    template <int HALO>
    static attack_service open_halo(const request *request, attack_limits *limits)
    {
        halo = HALO;
        filter = make_filter<Form, MOST_HALO>(request);
        one_window<Form, HALO>::filter = make_filter<Form, HALO>(request);
        return limits_of(one_window<Form, HALO>::filter, limits);
    }

    static attack_service open(const request *request, attack_limits *limits)
    {
        if (!axes_are_equal(request) || !for_form<Form>(request) || !sums_to_one(request))
            return DECLINES;
        switch (request->halo) {
        case 1:
            return open_halo<1>(request, limits);
        case 2:
            return open_halo<2>(request, limits);
        default:
            return DECLINES;
        }
    }

    static void estimate(double *t)
    {
        for (int lane = 0; lane < SIDE; lane++)
            t[lane] = halo == 1 ? one_window<Form, 1>::estimate(sums[lane])
                                : one_window<Form, 2>::estimate(sums[lane]);
    }
};

template <class Path>
attack_path path_of(const char *name, double floor, double ceiling, double useful)
{
    return {name,   SIDE,       false,          floor,          ceiling,
            useful, Path::open, Path::sum_line, Path::estimate, true};
}

const attack_path paths[] = {
    path_of<window<form_bytes>>("form_bytes, window", 0.5, 1, 0.02),
    path_of<window<form_words>>("form_words, window", 0.03, 0.1, 1e-4),
};

} // namespace

const attack_path *const attack_forms[] = {paths, paths + 1, nullptr};
