// SPDX-License-Identifier: MIT
// The transforms over images in many parts, which otherwise only large ones have, and with none,
// some and all samples in doubt: the estimates, the repairs and the integers that replace them,
// against the reference.
#define FFT_PART_PAIRS 20000
#include "kernels/smooth/fused/fft/launch.cuh"
#include "tests/variants/limits/parts.h"

namespace
{

size_t scratch_bytes(const struct request *request, const void *)
{
    return fft_scratch_bytes(request);
}

template <typename T>
constexpr engine in_parts = {
    .name = "transforms in parts", .scratch_bytes = scratch_bytes, .run = launch_fft<T>};

template <typename T>
constexpr variant transforms = {.op = OP_SMOOTH,
                                .name = "transforms in parts",
                                .backend = ON_GPU,
                                .description = "",
                                .engines = &in_parts<T>,
                                .count = 1};

// first: the column from which on rows that are FAR apart alternate; the others are noise, of whose
// multiples of 4 no mean of of_far_rows() is a half. Beside a column of noise, in the same
// transform, the estimate of a half falls to either side.
template <typename T>
bool right(struct gpu *gpu, const shape &shape, const plane_filter &weights, int64_t first)
{
    struct trial trial;

    trial_open(&trial, &shape, &weights);
    paint<T>(trial, [&](int64_t x, int64_t y) {
        return x >= first * shape.channels ? (T)alternating(y)
                                           : (T)(hash_of(x, y) % (shape.maxval + 1) & ~3u);
    });

    const view &src = trial.request.src;
    const fft_plan plan = plan_fft(&trial.request);
    const bool well =
        right_in_parts(trial, {"transforms in parts", &transforms<T>, {}, gpu},
                       blocks_for(src.width, plan.columns) * blocks_for(src.height, plan.rows),
                       first < shape.width ? "in doubt" : "noise");

    trial_close(&trial);
    return well;
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
