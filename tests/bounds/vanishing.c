/* SPDX-License-Identifier: MIT */
/* A variant against the reference on floats whose windows nearly vanish: columns of large samples,
 * each of which cancels what the samples above it weigh but for the rounding to a float, among
 * small noise. The results are some 2^-24 of the samples in reach, so that the errors of doubles
 * are seen in a few results in a hundred: an estimate must know the large samples wherever in its
 * window they lie, also beside its block of columns or in the rows that it has read first.
 *
 *     vanishing STEM [HALO [nan]]     with filters up to this halo; 16. nan: a few of the small
 *                                     samples are NaN where these are skipped, which takes longer
 */
#include "src/lib/filter/gauss.h"
#include "kernels/common/float_sum.h"
#include "kernels/common/sample.h"
#include "tests/bounds/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 190 /* more than a strip of a warp */
#ifndef HEIGHT
#define HEIGHT 45
#endif
#define MOST_ATTACKED 16
#define ROWS (HEIGHT + 2 * MOST_ATTACKED)

/* The picture turned upside down has its large samples in the rows that are read first. */
struct picture {
    const struct request *request;
    uint64_t seed;
    bool turned;
};

static bool with_nans;

static float noise(uint64_t counter)
{
    return (float)((double)trial_hash(counter) * 0x1p-64 - 0.5);
}

/* Fills in a column of large samples from the top of the border on. Each series begins anew before
 * it leaves the range of floats. */
static void make_column(const struct picture *picture, uint64_t counter, float *column)
{
    const int64_t halo = picture->request->halo_y, taps = 2 * halo + 1;
    const uint64_t *weights = picture->request->weights_y;

    for (int64_t y = 0; y < HEIGHT + 2 * halo; y++) {
        double sum = 0;

        for (int64_t k = 0; k < taps - 1 && y >= taps - 1; k++)
            sum += (double)weights[k] * (double)column[y - (taps - 1) + k];
        column[y] = (float)(-sum / (double)weights[taps - 1]);
        if (y < taps - 1 || !(fabs((double)column[y]) < 1e30))
            column[y] = 1e10F * noise(counter + (uint64_t)y);
    }
}

static void paint_column(const struct picture *picture, int64_t x, int32_t channel)
{
    const struct view *view = &picture->request->src;
    const int64_t halo = picture->request->halo_y;
    const uint64_t counter = picture->seed + (uint64_t)((x + 100) * 16 + channel) * ROWS;
    const bool large = trial_hash(counter) % 5 == 0;
    float column[ROWS];

    if (large)
        make_column(picture, counter, column);
    for (int64_t y = 0; y < HEIGHT + 2 * halo; y++) {
        const float value = large ? column[y] : 0x1p-10F * noise(counter + (uint64_t)y);
        const int64_t row = picture->turned ? HEIGHT + halo - 1 - y : y - halo;
        uint32_t bits;

        memcpy(&bits, &value, sizeof bits);
        if (with_nans && picture->request->skip_nan && !large &&
            trial_hash(~counter - (uint64_t)y) % 200 == 0)
            bits = FLOAT_QUIET_NAN;
        sample_set(view, row, x, channel, bits);
    }
}

/* Returns how many samples are wrong, or 1 if the variant failed. */
static int64_t check_picture(struct trial *trial, const struct subject *subject, uint64_t seed)
{
    const struct picture picture = {&trial->request, seed * 1000000, seed % 2 == 1};
    const int64_t halo = trial->request.halo_x;
    int64_t wrong;

    for (int64_t x = -halo; x < WIDTH + halo; x++)
        for (int32_t channel = 0; channel < trial->src.view.channels; channel++)
            paint_column(&picture, x, channel);
    wrong = trial_run_all(trial, subject);
    return wrong < 0 ? 1 : wrong;
}

static int64_t check_filter(const struct subject *subject, int64_t halo, double sigma,
                            int32_t channels, bool skip_nan)
{
    static struct plane_filter weights;
    const struct shape shape = {
        .width = WIDTH, .height = HEIGHT, .channels = channels, .maxval = FLOAT_SAMPLES};
    const struct filter_axis axis = {halo, sigma};
    const struct filter filter = {axis,           axis,          NORM_SUM, EDGE_CLAMP,
                                  ALPHA_SEPARATE, NAN_PROPAGATE, {0, 0}};
    struct trial trial;
    struct error error;
    int64_t wrong = 0;

    if (plane_filter_make(&filter, &weights, &error) != STATUS_OK)
        return 1;
    trial_open(&trial, &shape, &weights);
    trial.request.skip_nan = skip_nan;
    for (uint64_t seed = 0; seed < 2; seed++)
        wrong += check_picture(&trial, subject, seed + 2 * (uint64_t)halo);
    trial_close(&trial);
    if (wrong > 0)
        printf("%s: halo %d, sigma %g, %d channels%s: %lld samples wrong\n", subject->stem,
               (int)halo, sigma, (int)channels, skip_nan ? ", NaN skipped" : "", (long long)wrong);
    return wrong;
}

int main(int argc, char **argv)
{
    static const struct {
        int64_t halo;
        double sigma;
    } filters[] = {{1, 0}, {1, 1e9}, {2, 0}, {3, 0}, {4, 0}, {4, 1e9}, {7, 0}, {16, 1e9}};
    const int64_t most = argc > 2 ? atoi(argv[2]) : MOST_ATTACKED;
    int64_t wrong = 0;
    struct subject subject;
    const int status = argc >= 2 && argc <= 4 ? subject_open(&subject, argv[1]) : 2;

    with_nans = argc == 4;
    if (status)
        return status;
    for (size_t f = 0; f < sizeof filters / sizeof *filters && filters[f].halo <= most; f++)
        for (int kind = 0; kind < 4; kind++)
            wrong += check_filter(&subject, filters[f].halo, filters[f].sigma, kind & 1 ? 3 : 1,
                                  kind >= 2);
    subject_close(&subject);
    printf("%s: %lld samples wrong\n", subject.stem, (long long)wrong);
    return wrong > 0;
}
