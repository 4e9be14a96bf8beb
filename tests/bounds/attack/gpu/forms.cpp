// SPDX-License-Identifier: MIT
// The forms of fused/arithmetic.cuh, by the loops of fused_rows and of fused_window. A line is a
// column of the window.
#include "tests/bounds/attack/gpu/gpu.h"

#include "kernels/common/axes.h"
#include "kernels/smooth/fused/rows.cuh"
#include "kernels/smooth/fused/window.cuh"

#include <type_traits>

namespace
{

constexpr int TAPS = 2 * ATTACK_MAX_HALO + 1;

double grey(double t)
{
    return t - 1048576; // base, see make_rows
}

template <class Form> double grey_of(typename Form::total t)
{
    if constexpr (std::is_same_v<typename Form::total, double>)
        return grey(t);
    else
        return ldexp((double)t, -Form::fraction_bits);
}

// What the fused_filter says. The bound is in `unresolved`, rounded up and 2 more.
template <class Filter> attack_service limits_of(const Filter &filter, attack_limits *limits)
{
    *limits = {0, ldexp(filter.unresolved - 2.0, -32), 0, ldexp(filter.unresolved, -32)};
    return SERVES;
}

template <class Form> bool for_form(const request *request)
{
    const bool integers = !std::is_same_v<typename Form::total, double>;

    return request->src.sample_bytes == sizeof(typename Form::sample) &&
           request->halo <= ROWS_MAX_HALO &&
           (!integers || (weights_along(request).sum() <= 1 &&
                          weights_down(request).sum() <= 1)); // see takes_doubles
}

template <class Form> struct columns {
    static inline any_filter_of_two<Form> filter;
    static inline typename Form::sum sums[SIDE][TAPS]; // of each window

    static void sum_line(int64_t line, const uint16_t *samples)
    {
        typedef typename Form::sample sample;
        alignas(16) static sample column[TAPS * SIDE];
        const source src = {
            {column, SIDE, TAPS, SIDE * sizeof(sample), 1, sizeof(sample)}, {}, EDGE_ZERO};
        typename Form::sum eight[SIDE];

        for (int i = 0; i < (2 * filter.halo_y() + 1) * SIDE; i++)
            column[i] = (sample)samples[i];
        sum_eight_columns<Form, true, true>(eight, src, filter, 0, filter.halo_y(), 0, SIDE - 1);
        for (int lane = 0; lane < SIDE; lane++)
            sums[lane][line] = eight[lane];
    }
};

template <class Form> struct rows : columns<Form> {
    using columns<Form>::filter, columns<Form>::sums;

    static attack_service open(const request *request, attack_limits *limits)
    {
        if (!for_form<Form>(request))
            return DECLINES;
        filter.columns_halo = (int)request->halo_y;
        return make_filter(request, false, &filter) ? limits_of(filter, limits) : REPAIRS_ALL;
    }

    static void estimate(double *t)
    {
        typedef typename Form::sum sum;
        alignas(16) static sum line[(TAPS + 3 * SIDE) * 4];
        typename Form::total totals[SIDE];

        for (int lane = 0; lane < SIDE; lane++) {
            for (int i = 0; i <= 2 * filter.halo; i++)
                line[slot<sum>(i)] = sums[lane][i];
            sum_eight_along<Form>(totals, line, 0, filter);
            t[lane] = grey_of<Form>(totals[0]);
        }
    }
};

template <class Form, int HALO> struct one_window {
    static inline fused_filter<Form, HALO + 1> filter;

    static double estimate(const typename Form::sum *sums)
    {
        typename Form::sum line[window_of<Form>::columns + 2 * HALO] = {};
        typename Form::total totals[window_of<Form>::columns];

        for (int i = 0; i <= 2 * HALO; i++)
            line[i] = sums[i];
        sum_row<Form, HALO, 1>(totals, line, filter);
        return grey_of<Form>(totals[0]);
    }
};

template <class Form> struct window : columns<Form> {
    using columns<Form>::filter, columns<Form>::sums;

    template <int HALO>
    static attack_service open_halo(const request *request, attack_limits *limits)
    {
        // the columns' part is the same for either kernel
        filter.columns_halo = HALO;
        return make_filter(request, false, &filter) &&
                       make_filter(request, true, &one_window<Form, HALO>::filter)
                   ? limits_of(one_window<Form, HALO>::filter, limits)
                   : REPAIRS_ALL;
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
        case 3:
            return open_halo<3>(request, limits);
        case 4:
            return open_halo<4>(request, limits);
        default:
            return DECLINES;
        }
    }

    static void estimate(double *t)
    {
        for (int lane = 0; lane < SIDE; lane++)
            t[lane] = filter.halo == 1   ? one_window<Form, 1>::estimate(sums[lane])
                      : filter.halo == 2 ? one_window<Form, 2>::estimate(sums[lane])
                      : filter.halo == 3 ? one_window<Form, 3>::estimate(sums[lane])
                                         : one_window<Form, 4>::estimate(sums[lane]);
    }
};

template <class Path>
attack_path path_of(const char *name, double floor, double ceiling, double useful)
{
    return {name,   SIDE,       false,          floor,          ceiling,
            useful, Path::open, Path::sum_line, Path::estimate, true};
}

const attack_path paths[] = {
    path_of<rows<form_bytes>>("form_bytes, rows", 0.5, 1, 0.02),
    path_of<window<form_bytes>>("form_bytes, window", 0.5, 1, 0.02),
    path_of<rows<form_bytes_integers>>("form_bytes_integers, rows", 0.5, 1, 0.02),
    path_of<window<form_bytes_integers>>("form_bytes_integers, window", 0.5, 1, 0.02),
    path_of<rows<form_words>>("form_words, rows", 0.1, 0.3, 1e-4),
    path_of<window<form_words>>("form_words, window", 0.03, 0.1, 1e-4),
    path_of<rows<form_words_integers>>("form_words_integers, rows", 0.5, 1, 0.02),
    path_of<window<form_words_integers>>("form_words_integers, window", 0.5, 1, 0.02),
};

} // namespace

const attack_path *const attack_forms[] = {paths,     paths + 1, paths + 2, paths + 3, paths + 4,
                                           paths + 5, paths + 6, paths + 7, nullptr};
