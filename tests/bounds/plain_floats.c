/* SPDX-License-Identifier: MIT */
/* Tests how the engine of arrays (kernels/smooth/arrays/store_line.h) rounds sums that are close to
 * the middle between two floats. All samples are plain: 0, or positive and neither tiny nor huge.
 *
 *  - The loop must report a sum as undecided if it is within `spread` units of the middle, at each
 *    place of a row, and must not if it is one unit further away.
 *  - Pictures are compared with the reference: exact middles, and sums above one by less than a
 *    double can represent; chequers of neighbouring floats, also subnormal; rows that cancel. */
#include "kernels/common/isa.h"
#include "kernels/common/sample.h"
#include "kernels/smooth/arrays/loops.h"
#include "tests/bounds/trial.h"
#include "tests/variants/isa_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N (2 * ARRAY_BLOCK + 5) /* the last block is incomplete */

static int failures;

/* Tests a row with a single nonzero sum. It is `away` units in the last place of a double above the
 * middle between 1 and the next float. */
static void try_sum(const struct array_loops *loops, int64_t spread, int x, int64_t away)
{
    static double numbers[N + ARRAY_BLOCK];
    static const double taps[1] = {1}, bounds[N / ARRAY_BLOCK + 1];
    const struct array_part part = {numbers, taps, 0, false, true};
    const int ends[1] = {1};
    const struct array_line line = {
        .parts = &part, .ends = ends, .roots = 1, .step = 1, .bounds = bounds, .spread = spread};
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

static void set_value(const struct view *view, int64_t y, int64_t x, float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    sample_set(view, y, x, 0, bits);
}

/* Paints windows for weights of 1/4, 1/2 and 1/4 along both axes. A quarter of the centre and a
 * neighbour that adds half a unit in the last place give a middle. In three of four windows a
 * corner adds 2^-64. With odd seeds the row above is negative, too faint to change the bound. */
static void paint_ties(struct trial *trial, uint64_t seed)
{
    const struct view *view = &trial->src.view;

    for (int64_t x = 0; x < view->width; x++)
        for (int64_t y = 0; y < view->height; y += 3)
            set_value(view, y, x, seed % 2 == 1 ? -0x1p-100F : 0);
    for (int64_t y = 1; y + 1 < view->height; y += 3)
        for (int64_t x = 1; x + 1 < view->width; x += 3) {
            const uint64_t bits = trial_hash(1000000 * seed + (uint64_t)(1000 * y + x));

            set_value(view, y, x, 1 + (float)(bits & 0x7fffff) * 0x1p-23F);
            set_value(view, y, x + 1, 0x1p-23F);
            set_value(view, y + 1, x - 1, bits >> 40 & 3 ? 0x1p-60F : 0);
        }
}

/* Paints a chequer of two neighbouring floats. `below` is the bits of the lesser one. */
static void paint_chequer(struct trial *trial, uint32_t below)
{
    const int64_t halo = trial->request.halo;
    const struct view *view = &trial->src.view;

    for (int64_t y = -halo; y < view->height + halo; y++)
        for (int64_t x = -halo; x < view->width + halo; x++)
            sample_set(view, y, x, 0, below + ((x + y) & 1));
}

static float plain_sample(uint64_t seed, int64_t y, int64_t x)
{
    const uint64_t bits = trial_hash(1000000 * seed + (uint64_t)((y + 10) * 1000 + x + 10));

    return 1 + (float)(bits & 0x7fffff) * 0x1p-23F;
}

/* Paints plain rows. Every seventh row is negative instead, and cancels its two neighbours except
 * for rounding errors. */
static void paint_rows_by_turns(struct trial *trial, uint64_t seed)
{
    const struct view *view = &trial->src.view;
    const uint64_t *weights = trial->request.weights_y;
    const double ratio = (double)weights[0] / (double)weights[1];

    for (int64_t y = -1; y < view->height + 1; y++)
        for (int64_t x = -1; x < view->width + 1; x++) {
            const double both =
                (double)plain_sample(seed, y - 1, x) + (double)plain_sample(seed, y + 1, x);

            set_value(view, y, x,
                      (y + 1 + (int64_t)seed) % 7 > 0 ? plain_sample(seed, y, x)
                                                      : (float)(-ratio * both));
        }
}

static void open_trial(struct trial *trial, struct plane_filter *weights, int64_t height,
                       int64_t halo, double sigma)
{
    const struct shape shape = {
        .width = 100, .height = height, .channels = 1, .maxval = FLOAT_SAMPLES};
    const struct filter_axis axis = {halo, sigma};
    const struct filter filter = {axis, axis, NORM_SUM, EDGE_CLAMP};
    struct error error;

    if (plane_filter_make(&filter, weights, &error) != STATUS_OK)
        exit(99);
    trial_open(trial, &shape, weights);
}

static void count(int64_t wrong, const char *picture, uint64_t number)
{
    if (wrong == 0)
        return;
    printf("%s %llu: %lld samples wrong\n", picture, (unsigned long long)number, (long long)wrong);
    failures++;
}

static void check_vanishing(const struct subject *subject)
{
    static struct plane_filter weights;
    struct trial trial;

    open_trial(&trial, &weights, 31, 1, 0.3);
    for (uint64_t seed = 0; seed < 14; seed++) {
        paint_rows_by_turns(&trial, seed);
        count(trial_run(&trial, subject), "rows by turns", seed);
    }
    trial_close(&trial);
}

static void check_ties(const struct subject *subject)
{
    static struct plane_filter weights;
    struct trial trial;

    open_trial(&trial, &weights, 31, 1, 0.8493218002880191); /* sqrt(1 / (2 log 2)) */
    for (uint64_t seed = 0; seed < 8; seed++) {
        paint_ties(&trial, seed);
        count(trial_run(&trial, subject), "ties", seed);
    }
    trial_close(&trial);
}

/* Results of a chequer are means of two neighbouring floats: middles, except for about 2^-60. */
static void check_chequers(const struct subject *subject)
{
    static const uint32_t subnormal[] = {1,        6,        0x1000,   0x3ffffe,
                                         0x7fffff, 0x800000, 0xfffffe, 0x1000001};
    static struct plane_filter weights;
    struct trial trial;

    open_trial(&trial, &weights, 3, 20, 3);
    for (uint64_t i = 0; i < 60; i++) {
        const uint32_t base = i < sizeof subnormal / sizeof *subnormal
                                  ? subnormal[i]
                                  : 0x3f800000 + (uint32_t)(trial_hash(i) & 0x3ffffff);

        paint_chequer(&trial, base);
        count(trial_run(&trial, subject), "chequer of", base);
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
    check_vanishing(&subject);
    check_ties(&subject);
    check_chequers(&subject);
    subject_close(&subject);
    printf("%d failures\n", failures);
    return failures > 0;
}
