// SPDX-License-Identifier: MIT
// Images axis by axis in many parts, which otherwise only large ones have, with borders that begin
// anywhere in a unit of four samples; and so many samples left open that their list overflows.
#include "kernels/smooth/fused/lines/launch.cuh"
#include "tests/variants/limits/parts.h"

#include <cstring>

namespace
{

constexpr int64_t FEW_SUMS = 20000;

size_t bytes_for_few(const struct request *request, const void *)
{
    return lines_scratch_bytes_for(request, FEW_SUMS);
}

const char *run_in_parts(const struct piece *piece)
{
    return launch_lines(piece, FEW_SUMS);
}

constexpr engine in_parts = {
    .name = "lines in parts", .scratch_bytes = bytes_for_few, .run = run_in_parts};

constexpr variant lines_in_parts = {.op = OP_SMOOTH,
                                    .name = "lines in parts",
                                    .backend = ON_GPU,
                                    .description = "",
                                    .engines = &in_parts,
                                    .count = 1};

enum kind { PLAIN, SKIPS_NAN, WEIGHS };

// fill(x, y): sample x of row y.
template <typename T, class Fill>
bool right(struct gpu *gpu, const char *what, const shape &shape, const plane_filter &weights,
           kind kind, Fill fill)
{
    struct trial trial;

    trial_open(&trial, &shape, &weights);
    trial.request.skip_nan = kind == SKIPS_NAN;
    trial.request.weighted = kind == WEIGHS;
    paint<T>(trial, fill);

    const view &src = trial.request.src;
    const lines_parts size = parts_of(&trial.request, FEW_SUMS);
    const bool well = right_in_parts(
        trial, {"lines in parts", &lines_in_parts, {}, gpu},
        blocks_for(src.width, size.columns) * blocks_for(src.height, size.rows), what);

    trial_close(&trial);
    return well;
}

// --- Floats.

uint32_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

uint32_t noise(int64_t x, int64_t y)
{
    return bits_of((float)(hash_of(x, y) % 1000003));
}

// Of both signs, with NaN and infinities here and there.
uint32_t with_specials(int64_t x, int64_t y)
{
    const uint64_t hash = hash_of(x, y);

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
    return bits_of((float)(hash_of(x, y) % 2001) - 1000);
}

// Neighbours from column 299 on, whose means lie between them: few are open, and blocks share in
// their windows.
uint32_t few_middles(int64_t x, int64_t y)
{
    return x < 299 ? noise(x, y) : bits_of(1) + (uint32_t)alternating(y);
}

bool floats_are_right(struct gpu *gpu)
{
    const uint32_t maxval = FLOAT_SAMPLES;
    bool well = true;

    well &= right<uint32_t>(gpu, "floats", {301, 131, 1, maxval}, gaussian(3, 5), PLAIN, noise);
    well &= right<uint32_t>(gpu, "floats", {150, 140, 3, maxval}, gaussian(1, 9), PLAIN, noise);
    well &= right<uint32_t>(gpu, "specials", {270, 140, 1, maxval}, gaussian(6, 2), PLAIN,
                            with_specials);
    well &= right<uint32_t>(gpu, "means", {270, 140, 1, maxval}, gaussian(6, 2), SKIPS_NAN,
                            with_specials);
    well &= right<uint32_t>(gpu, "few middles", {301, 300, 1, maxval}, of_far_rows(), PLAIN,
                            few_middles);
    well &= right<uint32_t>(gpu, "few middles", {301, 300, 1, maxval}, of_far_rows(), SKIPS_NAN,
                            few_middles);
    well &= right<uint32_t>(gpu, "spikes", {145, 131, 1, maxval}, gaussian(7, 6), PLAIN, spikes);
    return well;
}

// --- Integers.

// Noise, with no alpha at all in the right half of `width` pixels: colours there stay.
template <typename T> struct bare_noise {
    int64_t width, channels;

    T operator()(int64_t x, int64_t y) const
    {
        const bool alpha = (x + 64 * channels) % channels == channels - 1;

        return alpha && x > width / 2 * channels ? 0 : (T)hash_of(x, y);
    }
};

// From column `first` on halves; before it noise, of whose multiples of 4 no mean of of_far_rows()
// is a half. Alpha is 3 everywhere.
template <typename T> struct halves {
    int64_t first, channels;
    bool weighted;

    T operator()(int64_t x, int64_t y) const
    {
        if (weighted && (x + 64 * channels) % channels == channels - 1)
            return 3;
        return x >= first * channels ? (T)alternating(y) : (T)(hash_of(x, y) & 0xfc);
    }
};

template <typename T> bool integers_are_right(struct gpu *gpu, uint32_t maxval)
{
    bool well = true;

    well &= right<T>(gpu, "integers", {301, 131, 1, maxval}, gaussian(3, 5), PLAIN,
                     bare_noise<T>{301, 1});
    well &= right<T>(gpu, "integers", {150, 140, 3, maxval}, gaussian(1, 9), PLAIN,
                     bare_noise<T>{150, 3});
    well &= right<T>(gpu, "colours", {150, 140, 4, maxval}, gaussian(9, 2), WEIGHS,
                     bare_noise<T>{150, 4});
    well &= right<T>(gpu, "halves", {301, 300, 1, maxval}, of_far_rows(), PLAIN,
                     halves<T>{299, 1, false});
    well &= right<T>(gpu, "halves", {151, 300, 3, maxval}, of_far_rows(), PLAIN,
                     halves<T>{0, 3, false});
    well &= right<T>(gpu, "halves of colours", {151, 300, 3, maxval}, of_far_rows(), WEIGHS,
                     halves<T>{150, 3, true});
    well &= right<T>(gpu, "halves of colours", {151, 300, 2, maxval}, of_far_rows(), WEIGHS,
                     halves<T>{0, 2, true});
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
    well &= floats_are_right(device.gpu);
    well &= integers_are_right<uint8_t>(device.gpu, 255);
    well &= integers_are_right<uint16_t>(device.gpu, 65535);
    gpu_close(device.gpu);
    return well ? 0 : 1;
}
