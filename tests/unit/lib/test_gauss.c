/* SPDX-License-Identifier: MIT */
/* The weights against tables that tests/definition/definition.py gave, by Python's decimal numbers.
 */
#include "kernels/common/exact.h"
#include "src/bench/run/plane.h"
#include "tests/unit/unit.h"

#include <inttypes.h>
#include <math.h>

static uint64_t weights[2 * MAX_HALO + 1];

static const struct known {
    int64_t halo;
    double sigma;
    enum norm norm;
    uint64_t half[9]; /* from the centre outwards */
} knowns[] = {
    {1, 0, NORM_SUM, {UINT64_C(68839273671832), UINT64_C(764735252916)}},
    {2, 0, NORM_SUM, {UINT64_C(42098581483754), UINT64_C(13667408350987), UINT64_C(467672995968)}},
    {4,
     0,
     NORM_SUM,
     {UINT64_C(21066460688774), UINT64_C(15901798801631), UINT64_C(6839278441118),
      UINT64_C(1676037262831), UINT64_C(234027238865)}},
    {8,
     0,
     NORM_SUM,
     {UINT64_C(10541579716090), UINT64_C(9825832726773), UINT64_C(7957201837228),
      UINT64_C(5598590726394), UINT64_C(3422349864683), UINT64_C(1817596293054),
      UINT64_C(838682903326), UINT64_C(336221506755), UINT64_C(117106372574)}},
    {3,
     0.8,
     NORM_SUM,
     {UINT64_C(35091235678668), UINT64_C(16065938399485), UINT64_C(1541801292777),
      UINT64_C(31014557236)}},
    {2, 0.3, NORM_SUM, {UINT64_C(69828838718634), UINT64_C(269952713918), UINT64_C(15597)}},
    {5,
     7.25,
     NORM_SUM,
     {UINT64_C(7011192475564), UINT64_C(6944814820107), UINT64_C(6749428648729),
      UINT64_C(6435924067589), UINT64_C(6021329216483), UINT64_C(5527279098142)}},
    {1, 0, NORM_ANALYTIC, {UINT64_C(84219201813667), UINT64_C(935590821402)}},
    {4,
     0,
     NORM_ANALYTIC,
     {UINT64_C(21054800453417), UINT64_C(15892997194215), UINT64_C(6835492916939),
      UINT64_C(1675109580234), UINT64_C(233897705350)}},
};

/* A whole table in one number: FNV-1a over the weights' bytes, the least significant first. */
static const struct folded {
    int64_t halo;
    double sigma;
    enum norm norm;
    uint64_t hash;
} foldeds[] = {
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

static void check_known(const struct known *known)
{
    make(known->halo, known->sigma, known->norm);
    for (int64_t k = 0; k <= known->halo; k++) {
        CHECK(weights[known->halo + k] == known->half[k], "halo %d, w(%d) = %" PRIu64,
              (int)known->halo, (int)k, weights[known->halo + k]);
        CHECK(weights[known->halo - k] == known->half[k], "halo %d, w(-%d)", (int)known->halo,
              (int)k);
    }
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
    for (size_t i = 0; i < sizeof knowns / sizeof *knowns; i++)
        check_known(&knowns[i]);
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
