// SPDX-License-Identifier: MIT
// The doubles of fused/lines/ for integers: the products of matrices add a window's terms by fma
// from its first row on (fused/double_products.cuh). A line is a column of the window. Where alpha
// weighs, two lanes are a pixel: a colour and its alpha.
#include "tests/bounds/attack/gpu/gpu.h"

#include "kernels/smooth/fused/lines/launch.cuh"

namespace
{

constexpr int LANES = 8, TAPS = 2 * ATTACK_MAX_HALO + 1;

struct axis {
    int halo;
    double weights[TAPS];

    void set(const uint64_t *from, int64_t own_halo)
    {
        halo = (int)own_halo;
        for (int i = 0; i <= 2 * halo; i++)
            weights[i] = (double)from[i] * 0x1p-46;
    }

    double sum(const double *values) const
    {
        double sum = 0;

        for (int i = 0; i <= 2 * halo; i++)
            sum = fma(weights[i], values[i], sum);
        return sum;
    }
};

axis down, along;
double sums[LANES][TAPS]; // of each window's lines

// The bound before the offset is added, which rounds more than the rest; d is -1/2 and the error.
template <bool MEANS> attack_service open(const request *request, attack_limits *limits)
{
    const double whole = weights_down(request).sum() * weights_along(request).sum();
    const double bound =
        bound_of_doubles(lines_roundings(request), MEANS) * request->maxval * (MEANS ? 1 : whole);

    if (bound < 1e-14) // which the search cannot tell from 0
        return DECLINES;
    down.set(request->weights_y, request->halo_y);
    along.set(request->weights_x, request->halo_x);
    *limits = {-0.5 - bound, -0.5 + bound, -INFINITY, INFINITY};
    return SERVES;
}

template <bool MEANS> void sum_line(int64_t line, const uint16_t *samples)
{
    for (int lane = 0; lane < LANES; lane++) {
        double values[TAPS];

        for (int i = 0; i <= 2 * down.halo; i++) {
            const uint16_t *row = samples + i * LANES;
            const bool colour = MEANS && lane % 2 == 0;

            values[i] = (double)((uint32_t)row[lane] * (colour ? row[lane + 1] : 1u));
        }
        sums[lane][line] = down.sum(values);
    }
}

template <bool MEANS> void estimate(double *t)
{
    for (int lane = 0; lane < LANES; lane += MEANS ? 2 : 1) {
        const double sum = along.sum(sums[lane]), cover = MEANS ? along.sum(sums[lane + 1]) : 1;

        t[lane] = MEANS && cover == 0 ? NAN : MEANS ? sum / cover : sum;
    }
}

const attack_path paths[] = {
    {"lines", LANES, false, 0.1, 0.39, 1e-6, open<false>, sum_line<false>, estimate<false>, true},
    {"lines, means", LANES, true, 0.1, 0.39, 1e-6, open<true>, sum_line<true>, estimate<true>,
     true}};

} // namespace

const attack_path *const attack_lines[] = {paths, paths + 1, nullptr};
