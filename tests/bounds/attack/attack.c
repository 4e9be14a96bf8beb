/* SPDX-License-Identifier: MIT */
#include "tests/bounds/attack/annealing.h"
#include "tests/bounds/trial.h"
#include "src/bench/run/plane.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(LIST) (sizeof(LIST) / sizeof((LIST)[0]))

/* The values from which filters are made; filter_of() gives each combination an index. With a sigma
 * of 1e12 or 1e13 all weights of a filter are equal, except that with NORM_SUM the centre's differs
 * slightly, so that all sum to 1. Sigma 92709.1 tests sums far below 1: with NORM_ANALYTIC, the
 * weights of an axis sum to less than 0.003 even at the largest halo. */
static const int64_t halos[] = {
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 24, 33, 64, 96, 174, ATTACK_MAX_HALO};
static const double sigmas[] = {0, 0.1, 0.3, 1, 2, 5.5, 1e3, 92709.1, 1e12, 1e13};
static const enum norm norms[] = {NORM_SUM, NORM_ANALYTIC};
static const uint32_t maxvals[] = {255, 65535, 1, 100, 256, 4095};

struct result {
    long filters, windows;
    double largest, bound; /* the largest error / bound, and the largest bound */
    char where[96];        /* the filter with the largest error / bound */
};

static void describe(const struct request *request, const struct filter *filter, char *text,
                     size_t size)
{
    snprintf(text, size, "halo %d,%d, sigma %.7g,%.7g, %s, maxval %u", (int)filter->x.halo,
             (int)filter->y.halo, gauss_sigma(&filter->x), gauss_sigma(&filter->y),
             filter->norm == NORM_SUM ? "sum" : "analytic", (unsigned)request->maxval);
}

/* Returns true if the path, which is a kernel's way to estimate results, accepts no wrong sample as
 * long as the error is within the path's bound. The kernels may store `to` as a float that was
 * rounded down, so a slightly lower `to` is right, too. */
static bool is_covered(const struct attack_limits *limits)
{
    return limits->from <= limits->least && limits->most <= limits->to * (1 + 0x1p-24);
}

/* Searches the windows of one filter. If something is wrong, prints what, and returns false. */
static bool attack_served(struct annealing *annealing, const char *text, struct result *result,
                          long steps)
{
    const double bound = (annealing->limits.most - annealing->limits.least) / 2;

    result->filters++;
    result->bound = fmax(result->bound, bound);
    if (!(bound <= annealing->path->useful)) {
        printf("  %s: %s: a bound of %g is of no use\n", annealing->path->name, text, bound);
        return false;
    }
    if (!is_covered(&annealing->limits)) {
        printf("  %s: %s: an error of the bound is believed\n", annealing->path->name, text);
        return false;
    }
    anneal(annealing, steps);
    result->windows += annealing->windows;
    if (annealing->largest > result->largest) {
        result->largest = annealing->largest;
        snprintf(result->where, sizeof result->where, "%s", text);
    }
    if (annealing->largest <= 1 && annealing->wrong == 0)
        return true;
    printf("  %s: %s: the error is %.4g of the bound; %ld windows may be rounded wrongly\n",
           annealing->path->name, text, annealing->largest, annealing->wrong);
    return false;
}

#define EVEN_FILTERS (COUNT(halos) * COUNT(sigmas) * COUNT(norms) * COUNT(maxvals))

/* Returns the filter with this index, and its maxval. From index EVEN_FILTERS on, the halo and the
 * sigma of axis y are drawn, independently of axis x. */
static struct filter filter_of(size_t number, uint32_t *maxval)
{
    const bool even = number < EVEN_FILTERS;
    const uint64_t other = trial_hash(number);
    struct filter filter = {.x = {halos[number % COUNT(halos)], 0}};

    number = number % EVEN_FILTERS / COUNT(halos);
    filter.x.sigma = sigmas[number % COUNT(sigmas)];
    number /= COUNT(sigmas);
    filter.y = filter.x;
    if (!even)
        filter.y =
            (struct filter_axis){halos[other % COUNT(halos)], sigmas[other / 256 % COUNT(sigmas)]};
    filter.norm = norms[number % COUNT(norms)];
    *maxval = maxvals[number / COUNT(norms)];
    return filter;
}

/* Tests a path's error bound with the filter that has this index. Returns true if the bound holds,
 * or if the path does not compute this filter. */
static bool attack_filter(struct annealing *annealing, size_t number, struct result *result,
                          long steps)
{
    static struct plane_filter weights;
    uint32_t maxval;
    const struct filter filter = filter_of(number, &maxval);
    struct error error;
    char text[96];
    struct request request = {.src = {.channels = 1, .sample_bytes = maxval > 255 ? 2 : 1},
                              .maxval = maxval};

    if (plane_filter_make(&filter, &weights, &error) != STATUS_OK)
        return true; /* the library refuses the filter */
    request_set_filter(&request, &weights);
    annealing->request = &request;
    describe(&request, &filter, text, sizeof text);
    if (annealing->path->open(&request, &annealing->limits) == DECLINES)
        return true;
    return attack_served(annealing, text, result, steps);
}

/* Tests a path's error bound and prints its row of the table. Returns true if nothing is wrong. */
static bool attack_path(struct annealing *annealing, size_t every, long steps)
{
    const struct attack_path *path = annealing->path;
    struct result result = {0};
    bool well = true;

    annealing->random = 0;
    for (size_t number = 0; number < 2 * EVEN_FILTERS; number += every)
        well &= attack_filter(annealing, number, &result, steps);
    printf("%-28s %7ld %11ld  %7.1e  %13.3f  %s\n", path->name, result.filters, result.windows,
           result.bound, result.largest, result.where);
    if (result.largest >= path->floor && result.largest <= path->ceiling)
        return well;
    printf("  %s: the largest error should be from %g to %g of the bound\n", path->name,
           path->floor, path->ceiling);
    return false;
}

int attack_main(const struct attack_path *const *paths, int count, int every, int argc, char **argv)
{
    const long steps = argc > 2 ? atol(argv[2]) : 400;
    const char *only = argc > 3 ? argv[3] : "";
    struct annealing *annealing = calloc(1, sizeof *annealing);
    bool well = true;

    every = argc > 1 ? atoi(argv[1]) : every;
    if (!annealing || every < 1)
        return 99;
    annealing->samples = malloc((size_t)ATTACK_MAX_TAPS * ATTACK_MAX_TAPS * ATTACK_MAX_LANES *
                                sizeof *annealing->samples);
    if (!annealing->samples)
        return 99;
    printf("%-28s %7s %11s  %7s  %s  %s\n", "path", "filters", "windows", "bound", "error / bound",
           "at");
    for (int i = 0; i < count; i++) {
        if (strncmp(paths[i]->name, only, strlen(only)) != 0)
            continue;
        annealing->path = paths[i];
        well &= attack_path(annealing, (size_t)every, steps);
        fflush(stdout);
    }
    free(annealing->samples);
    free(annealing);
    return well ? 0 : 1;
}
