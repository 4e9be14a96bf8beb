// SPDX-License-Identifier: MIT
// The error of fft_rows beside the bound that is claimed for it: sums along rows against the exact
// ones, over lengths, filters, depths and hostile rows. Prints the largest error / bound of each
// length; fails above 1, and if it is not about what it was: within a factor of four, so that a
// bound divided by 4 is noticed.
//
// The bound is that of the 2-norm of the errors of a whole segment, which no single number comes
// near to. The bound of a sample is that of its row and that of its column, which is of the same
// kind.
#include "kernels/smooth/fused/fft/launch.cuh"

extern "C" {
#include "src/bench/run/plane.h"
#include "tests/bounds/trial.h"
}

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace
{

constexpr int IMAGE_ROWS = 6, IMAGE_COLUMNS = 1501;

struct row_fill {
    const char *name;
    uint32_t (*sample)(int64_t x, int64_t y, uint32_t maxval);
};

const row_fill fills[] = {
    {"white", [](int64_t, int64_t, uint32_t maxval) { return maxval; }},
    {"rails",
     [](int64_t x, int64_t y, uint32_t maxval) {
         return trial_hash((uint64_t)(x * IMAGE_ROWS + y)) & 1 ? maxval : 0;
     }},
    {"noise",
     [](int64_t x, int64_t y, uint32_t maxval) {
         return (uint32_t)(trial_hash((uint64_t)(x * IMAGE_ROWS + y)) % (maxval + 1));
     }},
    {"chequer", [](int64_t x, int64_t y, uint32_t maxval) { return (x + y) & 1 ? maxval : 0; }},
    {"bars",
     [](int64_t x, int64_t y, uint32_t maxval) { return x / 97 % 2 == y % 2 ? maxval : 0; }},
    {"impulses", [](int64_t x, int64_t y, uint32_t maxval) { return x % 411 == y ? maxval : 0; }},
};

// A source of IMAGE_ROWS rows with its border, and the memory of the kernels.
struct bench {
    struct plane_filter weights;
    struct request request;
    std::vector<uint16_t> samples;
    std::vector<double2> memory;
};

void fill(bench &bench, const row_fill &how)
{
    const int64_t halo = bench.request.halo, pitch = IMAGE_COLUMNS + 2 * halo;

    bench.samples.assign((size_t)(pitch * IMAGE_ROWS), 0);
    for (int64_t y = 0; y < IMAGE_ROWS; y++)
        for (int64_t x = 0; x < pitch; x++)
            bench.samples[(size_t)(y * pitch + x)] =
                (uint16_t)how.sample(x, y, bench.request.maxval);
    bench.request.src = {&bench.samples[(size_t)halo], IMAGE_COLUMNS, IMAGE_ROWS, 2 * pitch, 1, 2};
    bench.request.beside = {halo, halo, 0, 0};
}

template <int LENGTH> fft_sums sum_rows(bench &bench)
{
    using shape = fft_shape<LENGTH>;
    const struct request &request = bench.request;
    const source src = {request.src, request.beside, EDGE_ZERO};
    const size_t before = fft_tables_bytes(LENGTH);
    const size_t bytes =
        before + fft_sums_bytes(sums_of_part(&request, IMAGE_COLUMNS, IMAGE_ROWS, NULL));

    bench.memory.assign(bytes / sizeof(double2), make_double2(NAN, NAN));
    char *const memory = reinterpret_cast<char *>(bench.memory.data());
    const fft_tables tables = tables_at<LENGTH>(memory);
    const fft_sums sums = sums_of_part(&request, IMAGE_COLUMNS, IMAGE_ROWS, memory + before);

    if (allow_fft_memory<LENGTH, uint16_t>())
        exit(99);
    LAUNCH((fft_roots<LENGTH>), dim3(LENGTH / 16 / 64), dim3(64), 0, nullptr, tables);
    LAUNCH((fft_spectra<LENGTH>), dim3(1), dim3(FFT_THREADS), shape::shared_bytes, nullptr,
           filter_of<two_axes>(&request), tables);
    LAUNCH((fft_rows<LENGTH, uint16_t>),
           dim3((unsigned)blocks_for(sums.pairs, shape::in_block),
                (unsigned)segments_of(sums.pitch, request.halo_x, LENGTH), 1),
           dim3(FFT_THREADS), shape::shared_bytes, nullptr, src, (int)request.halo_x,
           (int)request.halo_y, tables, sums);
    if (cudaDeviceSynchronize() != cudaSuccess || launched())
        exit(99);
    return sums;
}

// The largest error of a sum, in grey levels. Long doubles hold each exact sum.
double largest_error(const bench &bench, const fft_sums &sums)
{
    const view &src = bench.request.src;
    const int64_t halo = bench.request.halo_x;
    double largest = 0;

    for (int64_t y = 0; y < IMAGE_ROWS; y++)
        for (int64_t x = 0; x < IMAGE_COLUMNS; x++) {
            const uint16_t *row =
                static_cast<const uint16_t *>(src.origin) + y * src.stride_bytes / 2;
            const double2 pair = sums.first[y / 2 * sums.pitch + x];
            uint64_t sum = 0;

            for (int64_t k = -halo; k <= halo; k++)
                sum += bench.request.weights_x[halo + k] * row[x + k];
            const long double exact = ldexpl((long double)sum, -WEIGHT_BITS);
            const double error = (double)fabsl((y % 2 ? pair.y : pair.x) - exact);

            largest = error <= largest ? largest : error; // of no number too
        }
    return largest;
}

// The largest error / bound under a filter along the rows.
template <int LENGTH> double attack(const filter_axis &axis, norm norm, uint32_t maxval)
{
    static bench bench;
    const filter filter = {axis, {0, 0}, norm, EDGE_ZERO};
    struct error error;
    double largest = 0;

    if (plane_filter_make(&filter, &bench.weights, &error) != STATUS_OK)
        exit(99);
    bench.request = {};
    bench.request.maxval = maxval;
    request_set_filter(&bench.request, &bench.weights);
    for (const row_fill &how : fills) {
        fill(bench, how);
        const double ratio =
            largest_error(bench, sum_rows<LENGTH>(bench)) / fft_rows_bound(&bench.request, LENGTH);

        if (!(ratio <= 1))
            printf("%d, halo %d, sigma %g, maxval %u, %s: %g\n", LENGTH, (int)axis.halo, axis.sigma,
                   maxval, how.name, ratio);
        largest = ratio <= largest ? largest : ratio;
    }
    return largest;
}

// usual: the largest error / bound that there was.
template <int LENGTH> bool attack_length(const std::vector<filter_axis> &axes, double usual)
{
    double largest = 0;

    for (const filter_axis &axis : axes)
        for (const norm norm : {NORM_SUM, NORM_ANALYTIC})
            for (const uint32_t maxval : {255u, 65535u}) {
                const double ratio = attack<LENGTH>(axis, norm, maxval);

                largest = ratio <= largest ? largest : ratio;
            }
    printf("transforms of %d: error / bound up to %.2g\n", LENGTH, largest);
    return largest >= usual / 2 && largest <= 2 * usual;
}

} // namespace

int main()
{
    const bool small =
        attack_length<1024>({{0, 0}, {1, 0.4}, {65, 0}, {97, 1}, {256, 1e9}}, 6.6e-4);
    const bool large = attack_length<4096>({{65, 0}, {300, 70}, {1024, 0}, {1024, 1e9}}, 9.2e-5);

    return small && large ? 0 : 1;
}
