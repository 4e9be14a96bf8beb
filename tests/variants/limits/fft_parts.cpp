// SPDX-License-Identifier: MIT
// The transforms over images in many parts, which otherwise only large ones have, and with none,
// some and all samples in doubt: the estimates, the repairs and the integers that replace them,
// against the reference.
#define FFT_PART_PAIRS 20000
#include "kernels/smooth/fused/fft/launch.cuh"

extern "C" {
#include "src/lib/filter/gauss.h"
#include "tests/bounds/trial.h"
}

#include <cstdio>
#include <cstdlib>

namespace
{

template <typename T>
constexpr variant transforms = {.op = OP_SMOOTH,
                                .name = "transforms in parts",
                                .backend = ON_GPU,
                                .description = "",
                                .scratch_bytes = fft_scratch_bytes,
                                .run = launch_fft<T>};

// The mean of a row and, at half its weight each, of the two rows `FAR` above and below it: a half
// where these have one sample and it has the next. The rows between them weigh nothing. Beside a
// column of noise, in the same transform, the estimate falls to either side.
constexpr int FAR = 126;

struct filter_weights of_far_rows()
{
    struct filter_weights weights = {};

    weights.halo_x = 3;
    weights.halo_y = FAR + 1;
    weights.x[weights.halo_x] = (uint64_t)1 << WEIGHT_BITS;
    weights.y[weights.halo_y] = (uint64_t)1 << (WEIGHT_BITS - 1);
    weights.y[1] = weights.y[2 * FAR + 1] = weights.y[weights.halo_y] / 2;
    return weights;
}

struct filter_weights gaussian(int halo_x, int halo_y)
{
    const struct filter filter = {{halo_x, 0}, {halo_y, 0},    NORM_SUM,
                                  EDGE_ZERO,   ALPHA_SEPARATE, NAN_PROPAGATE};
    struct filter_weights weights;
    struct error error;

    if (filter_weights_make(&filter, &weights, &error) != STATUS_OK)
        exit(99);
    return weights;
}

// first: the column from which on rows that are FAR apart alternate; the others are noise,
// of whose multiples of 4 no mean of of_far_rows() is a half.
template <typename T>
bool right(struct gpu *gpu, const shape &shape, const filter_weights &weights, int64_t first)
{
    const subject subject = {"transforms in parts", &transforms<T>, gpu};
    struct trial trial;

    trial_open(&trial, &shape, &weights);
    const view &src = trial.job.src;
    const int64_t border = trial.job.halo;
    for (int64_t y = -border; y < src.height + border; y++)
        for (int64_t x = -border * shape.channels; x < (src.width + border) * shape.channels; x++) {
            T *row = reinterpret_cast<T *>(static_cast<char *>(src.origin) + y * src.stride_bytes);

            row[x] = x >= first * shape.channels
                         ? (T)((y + 4 * FAR) / FAR & 1)
                         : (T)(trial_hash((uint64_t)(y * 100003 + x)) % (shape.maxval + 1) & ~3u);
        }
    const int64_t parts = blocks_for(src.width, plan_fft(&trial.job).columns) *
                          blocks_for(src.height, plan_fft(&trial.job).rows);
    const int64_t different = trial_run(&trial, &subject);

    printf("%d x %d in %d parts, in doubt from column %d on: %d samples differ\n", (int)src.width,
           (int)src.height, (int)parts, (int)first, (int)different);
    trial_close(&trial);
    return different == 0 && parts > 1;
}

} // namespace

int main()
{
    struct subject device = {};
    struct error error;
    bool well = true;

    if (gpu_open(0, &device.gpu, &error) != STATUS_OK)
        return 1;
    well &= right<uint8_t>(device.gpu, {201, 1301, 1, 255}, gaussian(3, 66), 201);
    well &= right<uint16_t>(device.gpu, {2001, 130, 1, 65535}, gaussian(66, 3), 2001);
    well &= right<uint8_t>(device.gpu, {201, 1301, 1, 255}, gaussian(0, 66), 201);
    well &= right<uint16_t>(device.gpu, {2001, 130, 1, 65535}, gaussian(66, 0), 2001);
    well &= right<uint8_t>(device.gpu, {951, 1050, 2, 255}, gaussian(65, 1), 951);
    well &= right<uint8_t>(device.gpu, {1041, 40, 3, 255}, of_far_rows(), 1039);
    well &= right<uint16_t>(device.gpu, {1041, 300, 1, 4095}, of_far_rows(), 0);
    gpu_close(device.gpu);
    return well ? 0 : 1;
}
