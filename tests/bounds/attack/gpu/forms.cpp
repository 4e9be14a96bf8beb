// SPDX-License-Identifier: MIT
// The forms of fused/arithmetic.cuh, by the loops of fused_window. A line is a column of the
// window.
#include "tests/bounds/attack/gpu/gpu.h"

#include "kernels/common/axes.h"
#include "kernels/smooth/fused/window.cuh"

#include <type_traits>

namespace
{

constexpr int MOST = 4; // halo
constexpr int TAPS = 2 * MOST + 1, SIDE = 8;

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

template <class Form> struct columns {
    static inline fused_filter<Form, MOST + 1> filter;
    static inline int halo;
    static inline typename Form::sum sums[SIDE][TAPS]; // of each window

    static void unpack(uint32_t *parts, const uint16_t *samples)
    {
        constexpr int in_word = 4 / (int)sizeof(typename Form::sample);

        for (int word = 0; word < SIDE / in_word; word++) {
            uint32_t packed = 0;

            for (int i = 0; i < in_word; i++)
                packed |= (uint32_t)samples[word * in_word + i] << (i * 32 / in_word);
            Form::unpack(parts + 2 * word, packed);
        }
    }

    static void sum_line(int64_t line, const uint16_t *samples)
    {
        typename Form::product products[SIDE];

        for (typename Form::product &product : products)
            product = filter.half;
        for (int k = halo; k >= 0; k--) {
            uint32_t parts[SIDE], others[SIDE] = {};

            unpack(parts, samples + (halo - k) * SIDE);
            if (k > 0)
                unpack(others, samples + (halo + k) * SIDE);
            for (int i = 0; i < SIDE * (int)sizeof(typename Form::sample) / 2; i++)
                parts[i] += others[i];
            for (int i = 0; i < SIDE; i++)
                Form::add_column(products[i], filter.columns[k], parts, i);
        }
        for (int lane = 0; lane < SIDE; lane++)
            sums[lane][line] = Form::end_column(products[lane], filter.shift);
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
    using columns<Form>::filter, columns<Form>::halo, columns<Form>::sums;

    template <int HALO> static attack_service open_halo(const job *job, attack_limits *limits)
    {
        halo = HALO;
        return make_filter(job, &filter) && make_filter(job, &one_window<Form, HALO>::filter)
                   ? limits_of(one_window<Form, HALO>::filter, limits)
                   : REPAIRS_ALL;
    }

    static attack_service open(const job *job, attack_limits *limits)
    {
        if (job->src.sample_bytes != sizeof(typename Form::sample) || !axes_are_equal(job) ||
            !sums_to_one(job))
            return DECLINES;
        switch (job->halo) {
        case 1:
            return open_halo<1>(job, limits);
        case 2:
            return open_halo<2>(job, limits);
        case 3:
            return open_halo<3>(job, limits);
        case 4:
            return open_halo<4>(job, limits);
        default:
            return DECLINES;
        }
    }

    static void estimate(double *t)
    {
        for (int lane = 0; lane < SIDE; lane++)
            t[lane] = halo == 1   ? one_window<Form, 1>::estimate(sums[lane])
                      : halo == 2 ? one_window<Form, 2>::estimate(sums[lane])
                      : halo == 3 ? one_window<Form, 3>::estimate(sums[lane])
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
    path_of<window<form_bytes>>("form_bytes", 0.5, 1, 0.02),
    path_of<window<form_bytes_integers>>("form_bytes_integers", 0.5, 1, 0.02),
    path_of<window<form_words>>("form_words", 0.03, 0.1, 1e-4),
    path_of<window<form_words_integers>>("form_words_integers", 0.5, 1, 0.02),
};

} // namespace

const attack_path *const attack_forms[] = {paths, paths + 1, paths + 2, paths + 3, nullptr};
