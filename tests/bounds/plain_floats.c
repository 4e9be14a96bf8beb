/* SPDX-License-Identifier: MIT */
/* Tests how the engine of arrays, the implementation that filters any array
 * (kernels/smooth/arrays/host/store_line.h), rounds sums that are close to the middle between two
 * floats. Each sample is plain, which means that it is 0 or from 2^-600 to 2^600 (loops.h). A unit
 * is one in the last place of a double.
 *
 *  - The loop that stores a row gets an error bound of `spread` units. At each index it must report
 *    a sum as undecided if the sum minus the middle is from -spread to spread - 1 units, and must
 *    not report other sums.
 *  - Results of chequers of two neighbouring floats, also subnormal, must equal the reference's. */
#include "kernels/common/isa.h"
#include "kernels/common/sample.h"
#include "kernels/smooth/arrays/host/loops.h"
#include "tests/bounds/trial.h"
#include "tests/variants/isa_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N (2 * ARRAY_BLOCK + 5) /* samples of a row, no multiple of ARRAY_BLOCK */

static int failures;

/* Tests a row whose only nonzero sum, at index x, is `away` units above the middle between 1 and
 * the next float. */
static void try_sum(const struct array_loops *loops, int64_t spread, int x, int64_t away)
{
    static double numbers[N + ARRAY_BLOCK];
    static const double taps[1] = {1}, bounds[N / ARRAY_BLOCK + 1];
    const struct array_part part = {numbers, taps, 0, false, true};
    const struct array_line line = {
        .parts = &part, .count = 1, .step = 1, .bounds = bounds, .spread = spread};
    const double sum = 1 + (double)(((int64_t)1 << 28) + away) * 0x1p-52;
    const bool wanted = away >= -spread && away < spread;
    float out[N];
    bool found;

    numbers[x] = sum;
    found = !loops->store_line[SAMPLE_F32](&line, N, (char *)out);
    numbers[x] = 0;
    if (found == wanted && out[x] == (float)sum)
        return;
    printf("spread %d, %d from a middle at sample %d: open %d, wanted %d; %a, wanted %a\n",
           (int)spread, (int)away, x, found, wanted, (double)out[x], (double)(float)sum);
    failures++;
}

static void check_loop(const struct array_loops *loops)
{
    for (int x = 0; x < N; x++)
        for (int64_t spread = 1; spread <= 4096; spread *= 16) {
            const int64_t aways[] = {-spread - 1, -spread, -1, 0, spread - 1, spread, spread + 1};

            for (size_t i = 0; i < sizeof aways / sizeof *aways; i++)
                try_sum(loops, spread, x, aways[i]);
        }
}

/* Paints a checkerboard of two neighbouring floats. `below` has the bits of the lesser one. */
static void paint_chequer(struct trial *trial, uint32_t below)
{
    const int64_t halo = trial->request.halo;
    const struct view *view = &trial->src.view;

    for (int64_t y = -halo; y < view->height + halo; y++)
        for (int64_t x = -halo; x < view->width + halo; x++)
            sample_set(view, y, x, 0, below + ((x + y) & 1));
}

/* Compares results of chequers with the reference. Each result, before it is rounded, differs from
 * the middle between the two neighbouring floats by at most 2^-75 of their distance. */
static void check_chequers(const struct subject *subject)
{
    static const uint32_t subnormal[] = {1,        6,        0x1000,   0x3ffffe,
                                         0x7fffff, 0x800000, 0xfffffe, 0x1000001};
    static struct plane_filter weights;
    const struct shape shape = {.width = 100, .height = 3, .channels = 1, .maxval = FLOAT_SAMPLES};
    const struct filter_axis axis = {20, 3};
    const struct filter filter = {axis, axis, NORM_SUM, EDGE_CLAMP};
    struct trial trial;
    struct error error;

    if (plane_filter_make(&filter, &weights, &error) != STATUS_OK)
        exit(99);
    trial_open(&trial, &shape, &weights);
    for (uint64_t i = 0; i < 60; i++) {
        const uint32_t base = i < sizeof subnormal / sizeof *subnormal
                                  ? subnormal[i]
                                  : 0x3f800000 + (uint32_t)(trial_hash(i) & 0x3ffffff);
        int64_t wrong;

        paint_chequer(&trial, base);
        wrong = trial_run(&trial, subject);
        failures += wrong != 0;
        if (wrong != 0)
            printf("chequer of %u: %lld samples wrong\n", (unsigned)base, (long long)wrong);
    }
    trial_close(&trial);
}

int main(void)
{
    struct subject subject;
    const int status = subject_open(&subject, "smooth_cpu");

    if (status)
        return status;
    check_loop(isa_find(getenv("SMOOTHIMG_CPU"))->arrays);
    check_chequers(&subject);
    subject_close(&subject);
    printf("%d failures\n", failures);
    return failures > 0;
}
