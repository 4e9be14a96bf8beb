// SPDX-License-Identifier: MIT
// The tiles of fused/weighted/ at their edges, up to the largest halos that they serve and one
// beyond. Many means lie so little below a half that doubles cannot tell:
// unless they are repaired, they are wrong.
#include "kernels/smooth/fused/weighted/launch.cuh"

extern "C" {
#include "src/bench/run/plane.h"
#include "tests/bounds/trial.h"
}

#include <cstdio>

namespace
{

struct row {
    int64_t width, height;
    int32_t channels;
    int64_t halo_x, halo_y;
    bool served;
};

const row rows[] = {
    {1, 1, 2, 1, 1, true},     {1, 1, 4, 32, 32, true},  {250, 9, 4, 1, 1, true},
    {249, 17, 2, 2, 2, true},  {248, 8, 4, 3, 3, true},  {257, 10, 4, 0, 0, true},
    {253, 10, 4, 4, 4, true},  {241, 9, 2, 8, 7, true},  {225, 3, 4, 16, 16, true},
    {200, 5, 4, 32, 3, true},  {70, 11, 2, 0, 32, true}, {260, 9, 4, 5, 0, true},
    {40, 9, 4, 2, 1, true},    {40, 9, 2, 0, 1, true},   {40, 9, 4, 1, 2, true},
    {130, 2, 4, 64, 40, true}, {30, 9, 4, 65, 1, false}, {30, 9, 2, 1, 65, false},
    {30, 9, 3, 2, 2, false},
};

enum painting { HALVES_OF_COLOURS, HALVES_OF_ALPHA, TOO_BRIGHT, ISOLATED_PIXELS, PAINTINGS };

constexpr uint64_t ONE = (uint64_t)1 << WEIGHT_BITS;

// A quarter, a half and a quarter, far apart.
void set_axis(uint64_t *weights, int64_t halo)
{
    weights[halo] = halo > 0 ? ONE / 2 : ONE;
    if (halo > 0)
        weights[0] = weights[2 * halo] = ONE / 4;
}

// The centre row lacks one unit. Too bright: weights sum to more than one.
plane_filter weights_of(const row &row, painting painting)
{
    plane_filter weights = {};

    weights.halo_x = row.halo_x;
    weights.halo_y = row.halo_y;
    set_axis(weights.x, row.halo_x);
    set_axis(weights.y, row.halo_y);
    weights.y[row.halo_y]--;
    weights.x[row.halo_x] += painting == TOO_BRIGHT ? ONE / 4 : 0;
    return weights;
}

// Multiples of `step` have sums that are multiples of a half; the missing unit takes alpha's a
// little below, and a colour's where its centre row is brighter than the others. Alpha is 0 over
// a part of the image, or nearly everywhere.
uint32_t sample_of(painting painting, bool alpha, uint64_t place, uint32_t step, uint32_t maxval)
{
    const uint64_t noise = trial_hash(place);
    const uint32_t steps = (uint32_t)(noise % (maxval / step)) * step;

    if (painting == HALVES_OF_COLOURS)
        return alpha ? maxval : steps;
    if (!alpha)
        return (uint32_t)(noise % (maxval + 1));
    if (painting != ISOLATED_PIXELS)
        return place % 100003 / 300 == 0 ? 0 : steps;
    return noise % 61 == 0 ? 1 + (uint32_t)(noise / 61 % 3) : 0;
}

template <typename T> void paint(const trial &trial, painting painting)
{
    const request &request = trial.request;
    const int64_t border = request.halo, channels = request.src.channels;
    const uint32_t step =
        (uint32_t)max((request.halo_x > 0 ? 4 : 1) * (request.halo_y > 0 ? 4 : 1) / 2, 1);

    for (int64_t y = -border; y < request.src.height + border; y++)
        for (int64_t i = 0; i < (request.src.width + 2 * border) * channels; i++)
            row_of<T>(request.src, y)[i - border * channels] =
                (T)sample_of(painting, i % channels == channels - 1,
                             (uint64_t)((y + border) * 100003 + i), step, request.maxval);
}

template <typename T>
bool right(const subject &subject, const row &row, painting painting, uint32_t maxval)
{
    const shape shape = {row.width, row.height, row.channels, maxval};
    const plane_filter weights = weights_of(row, painting);
    struct trial trial;

    trial_open(&trial, &shape, &weights);
    trial.request.weighted = true;
    paint<T>(trial, painting);
    const bool served = weighted_serves(&trial.request);
    const int64_t different = trial_run(&trial, &subject);

    if (different != 0 || served != row.served)
        printf("%d x %d, %d channels, halo %d,%d, maxval %u, painting %d: %d samples differ; %s\n",
               (int)row.width, (int)row.height, (int)row.channels, (int)row.halo_x, (int)row.halo_y,
               (unsigned)maxval, (int)painting, (int)different,
               served ? "by estimates" : "by another kernel");
    trial_close(&trial);
    return different == 0 && served == row.served;
}

} // namespace

int main()
{
    struct subject fused;
    const int status = subject_open(&fused, "smooth_fused");
    bool well = true;

    if (status != 0)
        return status;
    for (const row &row : rows)
        for (int i = 0; i < PAINTINGS; i++) {
            well &= right<uint8_t>(fused, row, (painting)i, 255);
            // 2^-46 of more may be seen
            well &= right<uint16_t>(fused, row, (painting)i, 4095);
        }
    subject_close(&fused);
    return well ? 0 : 1;
}
