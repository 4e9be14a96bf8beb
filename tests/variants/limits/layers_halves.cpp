// SPDX-License-Identifier: MIT
// Several layers of samples that lie on a half, or so little beside it that neither floats nor
// doubles can tell: unless they are repaired, they are wrong. Warps inside the image and at its
// edges, every edge rule, and the largest number of channels that the kernel serves.
#include "kernels/common/exact.h"
#include "kernels/common/launch.cuh"

extern "C" {
#include "src/lib/filter/gauss.h"
#include "src/lib/image/halo.h"
#include "tests/bounds/trial.h"
}

#include <cstdio>

namespace
{

struct row {
    int64_t width, height;
    int32_t channels;
    int64_t halo;
    int layers;
};

const row rows[] = {
    {1, 1, 1, 1, 2},    {7, 5, 1, 2, 3},    {530, 14, 1, 1, 1}, {530, 14, 1, 1, 2},
    {530, 20, 1, 1, 4}, {601, 40, 1, 1, 9}, {300, 12, 2, 1, 4}, {190, 11, 3, 1, 2},
    {160, 13, 4, 1, 5}, {540, 19, 1, 2, 2}, {280, 23, 2, 2, 3}, {165, 17, 4, 2, 2},
    {40, 9, 1, 3, 2},   {33, 12, 5, 1, 2},
};

// Of a unit of 2^-46 that is taken from the centre of the second axis and given to its neighbours,
// sums of sixteenths come to lie beside a half, or stay on it where the neighbours are equal.
filter_weights weights_of(int64_t halo)
{
    constexpr uint64_t sixteenth = (uint64_t)1 << (WEIGHT_BITS - 4);
    filter_weights weights = {};

    weights.halo_x = weights.halo_y = halo;
    for (uint64_t *axis : {weights.x, weights.y}) {
        axis[halo] = 8 * sixteenth;
        axis[halo - 1] = axis[halo + 1] = 4 * sixteenth;
        if (halo == 2) {
            axis[2] -= 2 * sixteenth;
            axis[0] = axis[4] = sixteenth;
        }
    }
    weights.y[halo] -= 2;
    weights.y[halo - 1]++;
    weights.y[halo + 1]++;
    return weights;
}

template <typename T> void paint(const trial &trial)
{
    const view &src = trial.job.src;

    for (int64_t y = 0; y < src.height; y++)
        for (int64_t x = 0; x < src.width * src.channels; x++)
            row_of<T>(src, y)[x] =
                (T)(trial_hash((uint64_t)(y * 100003 + x)) % (trial.job.maxval + 1));
}

template <typename T> bool right(const subject &subject, const row &row, edge edge, uint32_t maxval)
{
    const shape shape = {row.width, row.height, row.channels, maxval};
    const filter_weights weights = weights_of(row.halo);
    struct trial trial;

    trial_open(&trial, &shape, &weights);
    trial.job.layers = row.layers;
    trial.job.edge = edge;
    paint<T>(trial);
    halo_fill(&trial.src, edge, row.halo, row.halo);
    const int64_t different = trial_run(&trial, &subject);

    if (different != 0)
        printf("%d x %d, %d channels, halo %d, %d layers, rule %d, maxval %u: %d samples differ\n",
               (int)row.width, (int)row.height, (int)row.channels, (int)row.halo, row.layers,
               (int)edge, (unsigned)maxval, (int)different);
    trial_close(&trial);
    return different == 0;
}

} // namespace

int main()
{
    struct subject layers;
    const int status = subject_open(&layers, "smooth_layers");
    bool well = true;

    if (status != 0)
        return status;
    for (const row &row : rows)
        for (int rule = EDGE_CLAMP; rule <= EDGE_ZERO; rule++) {
            well &= right<uint8_t>(layers, row, (edge)rule, 255);
            well &= right<uint16_t>(layers, row, (edge)rule, 65535);
        }
    subject_close(&layers);
    return well ? 0 : 1;
}
