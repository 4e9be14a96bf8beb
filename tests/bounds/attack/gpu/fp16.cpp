// SPDX-License-Identifier: MIT
// The path of fused:fp16: sums of half floats, with the kernel's tables. They are added as the
// tensor cores of Hopper and of GPUs 8.x add, and with the worst truncations that the bound allows.
// A line is a row of the window. The kernel computes eight rows in a step; lane l is row l of
// these.
#include "tests/bounds/attack/gpu/gpu.h"

#include "kernels/common/axes.h"
#include "kernels/smooth/fused/fp16/tables.cuh"
#include "src/emulator/tensor_sums.h"

#include <cstring>

namespace
{

constexpr int LANES = 8;

int halo, digits;
const request *filtered;
bool late; // the kernel adds the offset after the sums
fp16_filter filter;
emulated::tensor_cores cores;
// [window][row]: the sums along the rows of each window
uint32_t rows[LANES][2 * FP16_MAX_HALO + 1];

attack_service open_digits(const request *request, int number, int major, emulated::cuts how,
                           attack_limits *limits)
{
    cores = emulated::tensor_cores_of(major, how);
    // the conditions of fp16_refuses()
    if (!axes_are_equal(request) || request->src.sample_bytes != 1 || request->halo < 2 ||
        request->halo > FP16_MAX_HALO || !sums_to_one(request) ||
        (request->halo <= 5 ? 2 : 3) != number)
        return DECLINES;
    memset((void *)&filter, 0, sizeof filter);
    if (!make_fp16_filter(request, half_adder_of(major), &filter))
        return DECLINES;
    filtered = request;
    halo = (int)request->halo;
    digits = number;
    late = halo < 6 || halo > 8;
    // filter.tables.unresolved is the bound in units of 2^-16, plus 2. The kernel compares it with
    // fractions of 15 bits, so that it is halved, and rounded up.
    *limits = {0, (filter.tables.unresolved - 2.0) / 65536, 0,
               ldexp((filter.tables.unresolved + 1) / 2, -15)};
    return SERVES;
}

template <int DIGITS, int MAJOR, emulated::cuts HOW>
attack_service open(const request *request, attack_limits *limits)
{
    return open_digits(request, DIGITS, MAJOR, HOW, limits);
}

// Returns a digit of the weight along the rows at tap 0..2 halo, from the table for output 0 of a
// tile.
uint32_t along(int digit, int tap)
{
    for (int reg = 0; reg < 6; reg += 2)
        for (int lane = 0; lane < 4; lane++) {
            const int byte = tap - halo - first_of_operand(filtered, reg, lane);

            if (byte >= 0 && byte < 4)
                return filter.tables.along[digit][reg][lane] >> (byte * 8) & 255;
        }
    return 0;
}

void sum_line(int64_t line, const uint16_t *samples)
{
    for (int lane = 0; lane < LANES; lane++) {
        uint32_t sums[3] = {};

        for (int digit = 0; digit < digits; digit++)
            for (int tap = 0; tap <= 2 * halo; tap++)
                sums[digit] += along(digit, tap) * samples[tap * LANES + lane];
        rows[lane][line] = digits == 2 ? sums[0] * filter.tables.radix + sums[1]
                                       : sums[0] * 256 + (sums[1] + (sums[2] >> 8));
    }
}

uint16_t down(int block, int which, int lane, int k)
{
    return (uint16_t)(filter.tables.down[block][which][4 * lane + k / 2] >> (k % 2 * 16));
}

// Adds the products of a block of eight rows to the total of an output. The output is in row `lane`
// of its tile, and its window begins at row `lane` of block 0.
float add_block(float total, int block, int lane)
{
    uint16_t upper[16] = {}, high[16] = {}, rest[8] = {};

    for (int k = 0; k < 8; k++) {
        const int tap = 8 * block + k - lane;
        const uint32_t sum = tap >= 0 && tap <= 2 * halo ? rows[lane][tap] : 0;

        upper[k] = (uint16_t)(sum >> 16);
        upper[8 + k] = (uint16_t)(sum >> 5 & filter.tables.mask & 0xffff);
        high[k] = down(block, 0, lane, k);
        high[8 + k] = down(block, 1, lane, k);
        rest[k] = down(block, 2, lane, k);
    }
    return add_products(cores, upper, rest, 8, add_products(cores, upper, high, 16, total));
}

void estimate(double *t)
{
    const int blocks = halo <= 4 ? 2 : halo <= 8 ? 3 : halo <= 12 ? 4 : 5; // as in fp16_shape

    for (int lane = 0; lane < LANES; lane++) {
        float total = late ? 0 : filter.tables.offset;

        for (int block = 0; block < blocks; block++)
            total = add_block(total, block, lane);
        if (late)
            total += filter.tables.offset;
        t[lane] = 64.0 * (double)total - 256;
    }
}

// Attacks the sums by which unresolved samples are recomputed, with taps of 32 bits. Each digit of
// a tap has its own sums along rows.
uint32_t digit_sums[LANES][2 * FP16_MAX_HALO + 1][REPAIR_DIGITS];

attack_service open_repair(const request *request, attack_limits *limits)
{
    if (open_digits(request, request->halo <= 5 ? 2 : 3, 9, emulated::cuts::published, limits) !=
        SERVES)
        return DECLINES;
    const double limit = ldexp(2 * repair_slack(halo), -TOTAL_BITS);

    *limits = {0, limit, 0, limit};
    return SERVES;
}

void sum_repair_line(int64_t line, const uint16_t *samples)
{
    for (int lane = 0; lane < LANES; lane++)
        for (int digit = 0; digit < REPAIR_DIGITS; digit++) {
            uint32_t &sum = digit_sums[lane][line][digit];

            sum = 0;
            for (int tap = 0; tap <= 2 * halo; tap++)
                sum += (filter.bytes.words[digit][tap / 4] >> (tap % 4 * 8) & 255) *
                       samples[tap * LANES + lane];
        }
}

void estimate_repair(double *t)
{
    for (int lane = 0; lane < LANES; lane++) {
        uint32_t total = (1u << (TOTAL_BITS - 1)) + repair_slack(halo);

        for (int distance = 0; distance <= halo; distance++) {
            uint32_t sums[REPAIR_DIGITS];

            for (int digit = 0; digit < REPAIR_DIGITS; digit++)
                sums[digit] = digit_sums[lane][halo - distance][digit] +
                              digit_sums[lane][halo + distance][digit];
            total += repair_term(sums, filter.tables.taps[distance]);
        }
        t[lane] = ldexp(total, -TOTAL_BITS);
    }
}

template <int DIGITS, int MAJOR, emulated::cuts HOW>
constexpr attack_path path(const char *name, double floor)
{
    return {name,     LANES,    false, floor, 1, 0.002, open<DIGITS, MAJOR, HOW>,
            sum_line, estimate, false};
}

using emulated::cuts;

const attack_path two = path<2, 9, cuts::published>("fp16 mma, two digits", 0.4);
const attack_path three = path<3, 9, cuts::published>("fp16 mma, three digits", 0.3);
const attack_path two_least = path<2, 9, cuts::least>("fp16 mma, two, least sums", 0.4);
const attack_path three_least = path<3, 9, cuts::least>("fp16 mma, three, least sums", 0.4);
const attack_path two_greatest = path<2, 9, cuts::greatest>("fp16 mma, two, greatest sums", 0.4);
const attack_path three_greatest =
    path<3, 9, cuts::greatest>("fp16 mma, three, greatest sums", 0.4);
const attack_path early_two = path<2, 8, cuts::published>("fp16 mma of 8.x, two", 0.4);
const attack_path early_three = path<3, 8, cuts::published>("fp16 mma of 8.x, three", 0.4);
const attack_path early_two_least = path<2, 8, cuts::least>("fp16 mma of 8.x, two, least", 0.4);
const attack_path early_three_least = path<3, 8, cuts::least>("fp16 mma of 8.x, three, least", 0.4);
const attack_path early_two_greatest =
    path<2, 8, cuts::greatest>("fp16 mma of 8.x, two, greatest", 0.4);
const attack_path early_three_greatest =
    path<3, 8, cuts::greatest>("fp16 mma of 8.x, three, greatest", 0.4);

const attack_path repair = {"fp16 mma, repair", LANES,           false,           0.3,  1, 1e-4,
                            open_repair,        sum_repair_line, estimate_repair, false};

} // namespace

const attack_path *const attack_fp16[] = {&two,
                                          &three,
                                          &two_least,
                                          &three_least,
                                          &two_greatest,
                                          &three_greatest,
                                          &early_two,
                                          &early_three,
                                          &early_two_least,
                                          &early_three_least,
                                          &early_two_greatest,
                                          &early_three_greatest,
                                          &repair,
                                          nullptr};
