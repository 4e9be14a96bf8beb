// SPDX-License-Identifier: MIT
// Tests the kernel for small images (fused/small/) up to its largest halos and channels. Beyond
// these, the kernel must refuse. Half of the results, or more, are so little below an integer + 1/2
// that sums of doubles do not show it: rounding such a sum would be wrong. Each image is filtered
// twice: by the variant, and by the kernel alone. The kernel alone gets a stack of three copies of
// the image, which have no border of samples in memory.
#include "kernels/smooth/fused/small/launch.cuh"

extern "C" {
#include "src/bench/run/plane.h"
#include "tests/bounds/trial.h"
}

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace
{

struct row {
    int64_t width, height;
    int32_t channels;
    int64_t halo_x, halo_y;
    bool small; // the kernel must accept images of these sizes; else it must refuse them
};

const row rows[] = {
    {1, 1, 1, 0, 0, true},     {1, 1, 1, 32, 32, true},   {2, 17, 1, 33, 1, false},
    {70, 20, 1, 1, 0, true},   {70, 20, 1, 0, 1, true},   {65, 17, 1, 32, 3, true},
    {131, 33, 1, 3, 32, true}, {63, 16, 1, 1, 33, false}, {66, 15, 2, 2, 7, true},
    {65, 18, 3, 32, 2, true},  {67, 18, 3, 0, 1, true},   {25, 18, 4, 24, 5, true},
    {25, 18, 4, 25, 5, false}, {9, 31, 5, 4, 0, true},    {23, 18, 10, 9, 1, true},
    {12, 20, 11, 3, 8, true},  {3, 50, 13, 7, 2, true},   {9, 18, 16, 6, 4, true},
    {9, 18, 16, 7, 4, false},  {5, 3, 16, 0, 9, true},    {9, 18, 17, 5, 1, false},
};

constexpr uint64_t ONE = (uint64_t)1 << WEIGHT_BITS;

// Sets three weights: sum / 2 at the centre, and sum / 4 at either end. With halo 0, sets the only
// weight to sum.
void set_axis(uint64_t *weights, int64_t halo, uint64_t sum)
{
    weights[halo] = halo > 0 ? sum / 2 : sum;
    if (halo > 0)
        weights[0] = weights[2 * halo] = sum / 4;
}

// Returns weights whose products sum to a little less than 1/2: the weights of axis x sum to 1, and
// those of axis y to 1/2 - 2^-46, since the weight at the centre is one unit too small.
plane_filter weights_of(const row &row)
{
    plane_filter weights = {};

    weights.halo_x = row.halo_x;
    weights.halo_y = row.halo_y;
    set_axis(weights.x, row.halo_x, ONE);
    set_axis(weights.y, row.halo_y, ONE / 2);
    weights.y[row.halo_y]--;
    return weights;
}

// Paints samples 16 n + 1. With weights that sum to exactly 1/2, about half of the results, or all,
// would be integers + 1/2. With the weights of weights_of() they are a little less.
template <typename T> void paint(const trial &trial)
{
    const view &src = trial.request.src;
    const int64_t border = trial.request.halo, channels = src.channels;

    for (int64_t y = -border; y < src.height + border; y++)
        for (int64_t x = -border * channels; x < (src.width + border) * channels; x++)
            row_of<T>(src, y)[x] =
                (T)(trial_hash((uint64_t)(y * 100003 + x)) % (trial.request.maxval / 16) * 16 + 1);
}

// Returns three copies of a view's rows, one after the other. One extra sample, of value 1, follows
// each row, and another one each image. The kernel must not overwrite them.
template <typename T> std::vector<T> stack_of(const view &view)
{
    const int64_t row = view.width * view.channels, apart = (row + 1) * view.height + 1;
    std::vector<T> stack((size_t)(3 * apart), (T)1);

    for (int64_t y = 0; y < 3 * view.height; y++)
        std::copy_n(row_of<T>(view, y % view.height), row,
                    stack.begin() + y / view.height * apart + y % view.height * (row + 1));
    return stack;
}

template <typename T> T *copy_of(const std::vector<T> &stack)
{
    T *copy = nullptr;

    if (cudaMalloc(&copy, stack.size() * sizeof(T)) != cudaSuccess)
        exit(99);
    cudaMemcpy(copy, stack.data(), stack.size() * sizeof(T), cudaMemcpyHostToDevice);
    return copy;
}

// Returns true if the kernel gives the wanted result for a stack of three images, and writes
// nothing between rows and between images.
template <typename T> bool right_bare(const trial &trial)
{
    const std::vector<T> wanted = stack_of<T>(trial.wanted.view);
    std::vector<T> got(wanted.size(), (T)1);
    T *from = copy_of(stack_of<T>(trial.src.view)), *to = copy_of(got);
    const int64_t row_bytes =
        (trial.request.src.width * trial.request.src.channels + 1) * sizeof(T);
    request request = trial.request;

    request.src.origin = from;
    request.dst.origin = to;
    request.src.stride_bytes = request.dst.stride_bytes = row_bytes;
    request.src_apart = request.dst_apart = row_bytes * request.src.height + (int64_t)sizeof(T);
    request.images = 3;
    request.beside = {};
    const struct piece piece = {&request, NULL, request.src, request.dst, {}, 3, NULL, NULL};
    const char *failure = launch_small<T>(&piece);
    cudaMemcpy(got.data(), to, got.size() * sizeof(T), cudaMemcpyDeviceToHost);
    cudaFree(from);
    cudaFree(to);
    return !failure && got == wanted;
}

template <typename T> bool right(const subject &subject, const row &row, uint32_t maxval)
{
    static int turn; // counts images: each one uses the next of the five edge rules
    const shape shape = {row.width, row.height, row.channels, maxval};
    const plane_filter weights = weights_of(row);
    struct trial trial;

    trial_open(&trial, &shape, &weights);
    paint<T>(trial);
    trial.request.edge = turn++ % 5;
    trial.request.beside = {};
    const bool small = !small_refuses(&trial.request);
    const int64_t different = trial_run(&trial, &subject);
    const bool bare = !small || right_bare<T>(trial);

    if (!bare)
        printf("without a border, edge %d:\n", trial.request.edge);
    if (different != 0 || small != row.small || !bare)
        printf("%d x %d, %d channels, halo %d,%d, maxval %u: %d samples differ; %s\n",
               (int)row.width, (int)row.height, (int)row.channels, (int)row.halo_x, (int)row.halo_y,
               (unsigned)maxval, (int)different,
               small ? "by the kernel for small images" : "by another kernel");
    trial_close(&trial);
    return different == 0 && small == row.small && bare;
}

} // namespace

int main()
{
    struct subject fused;
    const int status = subject_open(&fused, "smooth_fused:small");
    bool well = true;

    if (status != 0)
        return status;
    for (const row &row : rows) {
        well &= right<uint8_t>(fused, row, 255);
        // The results next to a half (an integer + 1/2) have to be so close to it that an estimate
        // cannot tell on which side of it they are. They are below it by 2^-46 times a mean of
        // samples (weights_of). For samples above 4095 this distance could exceed the bound of the
        // estimates' error.
        well &= right<uint16_t>(fused, row, 4095);
    }
    subject_close(&fused);
    return well ? 0 : 1;
}
