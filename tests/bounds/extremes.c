/* SPDX-License-Identifier: MIT */
/* A variant against the reference with every kind of weights that gauss_table accepts, on both
 * axes and beside another kind: all in the centre, flat, a centre smaller than its neighbours, all
 * zero, up to four times as bright. Built with -Db_sanitize=undefined, it ends at the first
 * undefined behaviour.
 *
 *     extremes STEM [HALO]     halos to this one; all of them without it
 *
 * Beyond halo 33, where the reference takes its time, a filter gets one kind of image, by turns. */
#include "src/lib/filter/gauss.h"
#include "kernels/common/sample.h"
#include "tests/bounds/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(LIST) (sizeof(LIST) / sizeof((LIST)[0]))

/* 1e14 leaves no analytic weight above zero; 92709.1 and 26244 leave sums that are small, or flat.
 */
static const double sigmas[] = {1e-160, 1e-80, 1e-20,  1e-5, 1e-3,  0.05,    0.1,     0.15, 0.2,
                                0.25,   0.3,   0.35,   0.4,  0.5,   0.8,     1,       2,    5.5,
                                17,     60,    200,    1e3,  26244, 47574.4, 92709.1, 1e6,  1e9,
                                1e12,   1e13,  2.8e13, 1e14, 1e20,  1e80,    1e160,   1e308};
static const int64_t halos[] = {0, 1, 2, 3, 4, 5, 8, 16, 33, 64, 200, 1024};

#define ALL_KINDS_HALO 33

static const struct kind {
    uint32_t maxval;
    int32_t channels;
    bool weighted;
} kinds[] = {{255, 1, false}, {65535, 1, false}, {1, 3, false}, {255, 4, true}, {65535, 2, true}};

static struct plane_filter weights;
static long cases, wrong;

/* Noise, and white and black in turns. */
static void paint(struct trial *trial)
{
    const struct view *view = &trial->src.view;
    const int64_t halo = trial->request.halo;
    uint64_t counter = 0;

    for (int64_t y = -halo; y < view->height + halo; y++)
        for (int64_t x = -halo; x < view->width + halo; x++)
            for (int32_t channel = 0; channel < view->channels; channel++) {
                const uint64_t bits = trial_hash(counter++);
                const uint64_t value = bits & 1 ? bits >> 32 : bits & 2 ? trial->request.maxval : 0;

                sample_set(view, y, x, channel, (uint32_t)(value % (trial->request.maxval + 1)));
            }
}

static void run_filter(struct trial *trial, const struct subject *subject,
                       const struct filter *filter, const struct kind *kind)
{
    struct error error;

    if (plane_filter_make(filter, &weights, &error) != STATUS_OK)
        return; /* too bright */
    request_set_filter(&trial->request, &weights);
    cases++;
    if (trial_run(trial, subject) == 0)
        return;
    wrong++;
    printf("%s: WRONG: halo %d, sigma %g,%g, norm %s, maxval %u, %d channels%s\n", subject->stem,
           (int)filter->x.halo, filter->x.sigma, filter->y.sigma,
           filter->norm == NORM_SUM ? "sum" : "analytic", (unsigned)kind->maxval,
           (int)kind->channels, kind->weighted ? ", weighted" : "");
}

static void run_kind(const struct subject *subject, int64_t halo, size_t number)
{
    const struct kind *kind = &kinds[number];
    const struct shape shape = {
        .width = 3, .height = 2, .channels = kind->channels, .maxval = kind->maxval};
    const size_t step = halo > ALL_KINDS_HALO ? COUNT(kinds) : 1;
    struct trial trial;

    weights.halo_x = weights.halo_y = halo;
    trial_open(&trial, &shape, &weights);
    trial.request.weighted = kind->weighted;
    paint(&trial);
    for (size_t i = step == 1 ? 0 : number; i < COUNT(sigmas); i += step)
        for (int axes = 0; axes < 4; axes++) {
            const enum norm norm = axes % 2 == 0 ? NORM_SUM : NORM_ANALYTIC;
            const double other = sigmas[(i * 11 + 5) % COUNT(sigmas)];
            const struct filter filter = {
                .x = {halo, sigmas[i]}, .y = {halo, axes < 2 ? sigmas[i] : other}, .norm = norm};

            run_filter(&trial, subject, &filter, kind);
        }
    trial_close(&trial);
}

int main(int argc, char **argv)
{
    const int64_t most = argc > 2 ? atoi(argv[2]) : MAX_HALO;
    struct subject subject;
    int status;

    if (argc < 2)
        return 2;
    status = subject_open(&subject, argv[1]);
    for (size_t i = 0; status == 0 && i < COUNT(halos) && halos[i] <= most; i++)
        for (size_t number = 0; number < COUNT(kinds); number++)
            run_kind(&subject, halos[i], number);
    subject_close(&subject);
    if (status != 0)
        return status;
    printf("%s: %ld filters and kinds of images, %ld wrong\n", subject.stem, cases, wrong);
    return wrong > 0 || cases == 0;
}
