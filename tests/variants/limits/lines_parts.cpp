// SPDX-License-Identifier: MIT
// Floats axis by axis in many parts, which otherwise only large images have, with borders that
// begin anywhere in a unit of 16 bytes; and so many samples left open that their list overflows.
#include "kernels/smooth/fused/lines/launch.cuh"

extern "C" {
#include "src/lib/filter/gauss.h"
#include "tests/bounds/trial.h"
}

#include <cstdio>
#include <cstdlib>

namespace
{

constexpr int64_t FEW_SUMS = 20000;

size_t bytes_for_few(const struct job *job)
{
    return lines_scratch_bytes_for(job, FEW_SUMS);
}

const char *run_in_parts(const struct job *job)
{
    return launch_lines(job, FEW_SUMS);
}

constexpr variant lines_in_parts = {.op = OP_SMOOTH,
                                    .name = "lines in parts",
                                    .backend = ON_GPU,
                                    .description = "",
                                    .scratch_bytes = bytes_for_few,
                                    .run = run_in_parts};

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

// What a sample of pixel (x, y) is.
typedef uint32_t fill(int64_t x, int64_t y);

uint32_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

uint32_t noise(int64_t x, int64_t y)
{
    return bits_of((float)(trial_hash((uint64_t)(y * 100003 + x)) % 1000003));
}

// Of both signs, with NaN and infinities here and there.
uint32_t with_specials(int64_t x, int64_t y)
{
    const uint64_t hash = trial_hash((uint64_t)(y * 100003 + x));

    if (x / 40 % 3 == 1 && hash % 997 < 3)
        return hash % 997 == 0 ? FLOAT_QUIET_NAN
                               : FLOAT_INFINITY | (uint32_t)(hash % 997 - 1) << 31;
    return bits_of((float)(hash % 2001) - 1000);
}

// Here and there a sample so great that in its tile the bound leaves nothing of the others' sums:
// most of them are open.
uint32_t spikes(int64_t x, int64_t y)
{
    if ((x + 64) % 64 == 20 && (y + 64) % 64 == 20)
        return bits_of(1e30f);
    return bits_of((float)(trial_hash((uint64_t)(y * 100003 + x)) % 2001) - 1000);
}

bool right(struct gpu *gpu, const shape &shape, const filter_weights &weights, fill *fill,
           bool skip_nan)
{
    const subject subject = {"lines in parts", &lines_in_parts, gpu};
    struct trial trial;

    trial_open(&trial, &shape, &weights);
    trial.job.skip_nan = skip_nan;
    const view &src = trial.job.src;
    const int64_t border = trial.job.halo;
    for (int64_t y = -border; y < src.height + border; y++)
        for (int64_t x = -border * shape.channels; x < (src.width + border) * shape.channels; x++)
            reinterpret_cast<uint32_t *>(static_cast<char *>(src.origin) +
                                         y * src.stride_bytes)[x] = fill(x, y);
    const lines_parts size = parts_of(&trial.job, FEW_SUMS);
    const int64_t parts = blocks_for(src.width, size.columns) * blocks_for(src.height, size.rows);
    const int64_t different = trial_run(&trial, &subject);

    printf("%d x %d of %d channels in %d parts: %d samples differ\n", (int)src.width,
           (int)src.height, (int)shape.channels, (int)parts, (int)different);
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
    well &= right(device.gpu, {301, 131, 1, FLOAT_SAMPLES}, gaussian(3, 5), noise, false);
    well &= right(device.gpu, {150, 140, 3, FLOAT_SAMPLES}, gaussian(1, 9), noise, false);
    well &= right(device.gpu, {270, 140, 1, FLOAT_SAMPLES}, gaussian(6, 2), with_specials, false);
    well &= right(device.gpu, {270, 140, 1, FLOAT_SAMPLES}, gaussian(6, 2), with_specials, true);
    well &= right(device.gpu, {145, 131, 1, FLOAT_SAMPLES}, gaussian(7, 6), spikes, false);
    gpu_close(device.gpu);
    return well ? 0 : 1;
}
