/* SPDX-License-Identifier: MIT */
/* The weights against tables that tests/definition/definition.py gave, by Python's decimal numbers.
 */
#include "kernels/common/exact.h"
#include "src/bench/run/plane.h"
#include "tests/unit/unit.h"

#include <inttypes.h>
#include <math.h>

static uint64_t weights[2 * MAX_HALO + 1];

/* A whole table in one number: FNV-1a over the weights' bytes, the least significant first. */
static const struct folded {
    int64_t halo;
    double sigma;
    enum norm norm;
    uint64_t hash;
} foldeds[] = {
    {1, 0, NORM_SUM, UINT64_C(0xb1f8b7fa1a0c54f4)},
    {2, 0, NORM_SUM, UINT64_C(0xa4edfd823d86a26c)},
    {4, 0, NORM_SUM, UINT64_C(0xcff3b0017e7a9d48)},
    {8, 0, NORM_SUM, UINT64_C(0x1fb2a79771bfc4f5)},
    {3, 0.8, NORM_SUM, UINT64_C(0xfc6a6dcc3e0ceeea)},
    {2, 0.3, NORM_SUM, UINT64_C(0xfa8d1a4b6609ee6d)},
    {5, 7.25, NORM_SUM, UINT64_C(0xe3efe48825f2231c)},
    {1, 0, NORM_ANALYTIC, UINT64_C(0x4b082bf9bb2e1bc0)},
    {4, 0, NORM_ANALYTIC, UINT64_C(0x937a8ba38c7aa725)},
    {16, 0, NORM_SUM, UINT64_C(0x2b42a1df11b8f0c8)},
    {33, 0, NORM_SUM, UINT64_C(0x1399520639036682)},
    {64, 0, NORM_SUM, UINT64_C(0x188ac09b18d6490b)},
    {255, 0, NORM_SUM, UINT64_C(0x3c10467312b7528a)},
    {749, 0, NORM_SUM, UINT64_C(0xaa993541a74bb6f7)}, /* a third as a double changes w(+-83) */
    {1024, 0, NORM_SUM, UINT64_C(0x9f9c507188b4cd1f)},
    {1024, 100.5, NORM_SUM, UINT64_C(0x1855cf945edd5689)},
    {64, 20.0, NORM_ANALYTIC, UINT64_C(0x46a6dfb448d05bfe)},
    {7, 0.1, NORM_SUM, UINT64_C(0x3e07487b904597c5)},
};

static void make(int64_t halo, double sigma, enum norm norm)
{
    const struct filter_axis axis = {.halo = halo, .sigma = sigma};
    struct error error;

    NEED(gauss_table(&axis, norm, weights, &error) == STATUS_OK);
}

static uint64_t fold(int64_t count)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (int64_t i = 0; i < count; i++)
        for (int byte = 0; byte < 8; byte++)
            hash = (hash ^ (weights[i] >> (8 * byte) & 255)) * UINT64_C(0x100000001b3);
    return hash;
}

static void check_sums(void)
{
    for (int64_t halo = 0; halo <= MAX_HALO; halo += halo < 40 ? 1 : 41) {
        uint64_t sum = 0;

        make(halo, 0, NORM_SUM);
        for (int64_t i = 0; i <= 2 * halo; i++)
            sum += weights[i];
        CHECK(sum == (uint64_t)1 << WEIGHT_BITS, "halo %d", (int)halo);
    }
}

static void check_refusal(void)
{
    const struct filter_axis narrow = {.halo = 4, .sigma = 0.09};
    const struct filter_axis narrower = {.halo = 4, .sigma = 1e-300};
    const struct filter_axis just_fits = {.halo = 4, .sigma = 0.1};
    struct error error;

    CHECK(gauss_table(&narrow, NORM_ANALYTIC, weights, &error) == STATUS_INVALID,
          "weights of 4.4 and more");
    CHECK(gauss_table(&narrower, NORM_ANALYTIC, weights, &error) == STATUS_INVALID,
          "weights beyond 64 bits");
    CHECK(gauss_table(&just_fits, NORM_ANALYTIC, weights, &error) == STATUS_OK, "weights of 3.99");
}

static void check_sigma_alone(void)
{
    CHECK(gauss_halo_of(1) == 4, "%g", gauss_halo_of(1));
    CHECK(gauss_halo_of(1.1) == 4, "%g", gauss_halo_of(1.1));
    CHECK(gauss_halo_of(1.125) == 5, "a half is rounded up");
    CHECK(gauss_halo_of(nextafter(1.125, 0)) == 4, "4 sigma + 1/2 is below 5");
    CHECK(gauss_halo_of(0.1) == 0, "%g", gauss_halo_of(0.1));
    CHECK(gauss_halo_of(1e300) > MAX_HALO, "far too large");
}

int main(void)
{
    for (size_t i = 0; i < sizeof foldeds / sizeof *foldeds; i++) {
        make(foldeds[i].halo, foldeds[i].sigma, foldeds[i].norm);
        CHECK(fold(2 * foldeds[i].halo + 1) == foldeds[i].hash, "halo %d, sigma %g",
              (int)foldeds[i].halo, foldeds[i].sigma);
    }
    check_sums();
    check_refusal();
    check_sigma_alone();
    return unit_result();
}
