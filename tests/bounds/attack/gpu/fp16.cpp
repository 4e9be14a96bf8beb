// SPDX-License-Identifier: MIT
// The paths (ways to estimate a result, attack.h) of fused:fp16: sums of half floats, with the
// kernel's tables. There are paths for the tensor cores of Hopper and for those of GPUs of compute
// capability 8.x, each with the published truncations of the sums and with the worst truncations
// that the bound allows. The first pass sums lines that are rows of the window. The kernel computes
// eight rows in a step; lane l is row l of these.
#include "tests/bounds/attack/gpu/gpu.h"

#include "kernels/common/axes.h"
#include "kernels/smooth/fused/fp16/tables.cuh"
#include "src/emulator/tensor_sums.h"

#include <cstring>

namespace
{

constexpr int LANES = 8;

int halo;
const request *filtered;
fp16_filter filter;
emulated::tensor_cores cores;
// [window][row]: the sums along the rows of each window
uint32_t rows[LANES][2 * FP16_MAX_HALO + 1];

attack_service open_halos(const request *request, int shift, int major, emulated::cuts how,
                          attack_limits *limits)
{
    cores = emulated::tensor_cores_of(major, how);
    // the conditions of fp16_refuses()
    if (!axes_are_equal(request) || request->src.sample_bytes != 1 || request->halo < 2 ||
        request->halo > FP16_MAX_HALO || !sums_to_one(request) ||
        fp16_shift(request->halo) != shift)
        return DECLINES;
    memset((void *)&filter, 0, sizeof filter);
    if (!make_fp16_filter(request, half_adder_of(major), &filter))
        return DECLINES;
    filtered = request;
    halo = (int)request->halo;
    // In units of 2^-15, each 16-bit half of filter.tables.unresolved is one more than the greatest
    // error d (attack.h).
    const double unresolved = filter.tables.unresolved & 0xffff;

    *limits = {0, ldexp(unresolved - 1, -15), 0, ldexp(unresolved, -15)};
    return SERVES;
}

template <int SHIFT, int MAJOR, emulated::cuts HOW>
attack_service open(const request *request, attack_limits *limits)
{
    return open_halos(request, SHIFT, MAJOR, HOW, limits);
}

// Returns a digit of a weight of axis x; `tap` is from 0 to 2 halo. A weight has FP16_DIGITS digits
// of a byte. The digit comes from the table's entries for output 0 of a tile (16 columns of
// outputs).
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
        uint32_t sums[FP16_DIGITS] = {};

        for (int digit = 0; digit < FP16_DIGITS; digit++)
            for (int tap = 0; tap <= 2 * halo; tap++)
                sums[digit] += along(digit, tap) * samples[tap * LANES + lane];
        rows[lane][line] =
            (uint32_t)((((uint64_t)sums[0] << 16) + (sums[1] << 8) + sums[2]) >> fp16_shift(halo));
    }
}

// Returns the half float that multiplies a digit of row k of a block of eight rows, for the output
// in row `lane`. A row's sum has an upper and a lower digit. `which` is 0 for `high` and 2 for
// `rest`, which multiply the upper digit, and 1 for `low`, which multiplies the lower digit
// (fp16_halves).
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
        float total = 0;

        for (int block = 0; block < blocks; block++)
            total = add_block(total, block, lane);
        total += filter.tables.offset;
        t[lane] = 64.0 * (double)total - 256;
    }
}

// The rest of this file attacks the sums by which the kernel recomputes a sample if its estimate
// does not decide the rounding. These sums use taps of 32 bits, of which each digit has its own
// sums along the rows of a window: digit_sums[window][row][digit].
uint32_t digit_sums[LANES][2 * FP16_MAX_HALO + 1][REPAIR_DIGITS];

attack_service open_repair(const request *request, attack_limits *limits)
{
    if (open_halos(request, fp16_shift(request->halo), 9, emulated::cuts::published, limits) !=
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

template <int SHIFT, int MAJOR, emulated::cuts HOW>
constexpr attack_path path(const char *name, double floor)
{
    return {name,     LANES,    false, floor, 1, 0.002, open<SHIFT, MAJOR, HOW>,
            sum_line, estimate, false};
}

using emulated::cuts;

const attack_path short_halos = path<6, 9, cuts::published>("fp16 mma, short halos", 0.4);
const attack_path long_halos = path<8, 9, cuts::published>("fp16 mma, long halos", 0.3);
const attack_path short_least = path<6, 9, cuts::least>("fp16 mma, short halos, least sums", 0.4);
const attack_path long_least = path<8, 9, cuts::least>("fp16 mma, long halos, least sums", 0.4);
const attack_path short_greatest =
    path<6, 9, cuts::greatest>("fp16 mma, short halos, greatest sums", 0.4);
const attack_path long_greatest =
    path<8, 9, cuts::greatest>("fp16 mma, long halos, greatest sums", 0.4);
const attack_path early_short = path<6, 8, cuts::published>("fp16 mma of 8.x, short halos", 0.4);
const attack_path early_long = path<8, 8, cuts::published>("fp16 mma of 8.x, long halos", 0.4);
const attack_path early_short_least =
    path<6, 8, cuts::least>("fp16 mma of 8.x, short halos, least", 0.4);
const attack_path early_long_least =
    path<8, 8, cuts::least>("fp16 mma of 8.x, long halos, least", 0.4);
const attack_path early_short_greatest =
    path<6, 8, cuts::greatest>("fp16 mma of 8.x, short halos, greatest", 0.4);
const attack_path early_long_greatest =
    path<8, 8, cuts::greatest>("fp16 mma of 8.x, long halos, greatest", 0.4);

const attack_path repair = {"fp16 mma, repair", LANES,           false,           0.3,  1, 1e-4,
                            open_repair,        sum_repair_line, estimate_repair, false};

} // namespace

const attack_path *const attack_fp16[] = {&short_halos,
                                          &long_halos,
                                          &short_least,
                                          &long_least,
                                          &short_greatest,
                                          &long_greatest,
                                          &early_short,
                                          &early_long,
                                          &early_short_least,
                                          &early_long_least,
                                          &early_short_greatest,
                                          &early_long_greatest,
                                          &repair,
                                          nullptr};
