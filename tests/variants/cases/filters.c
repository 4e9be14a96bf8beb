/* SPDX-License-Identifier: MIT */
#include "tests/variants/cases/filters.h"

#include "tests/variants/cases/hash.h"

static const int64_t halos[] = {4, 1, 0, 2, 3, 7, 8, 16, 33, 5};
static const double sigmas[] = {0, 0, 0, 0.3, 0.8, 2, 5.5};

/* Of the hostile filters. From 116 and 174 on flat filters once went wrong; at 1005 the lower 24
 * bits of their weights are large, so that sums of these fill 64 bits. */
static const int64_t filter_halos[] = {1,  2,  3,  4,   5,   8,   12,  16,   17,      33,
                                       64, 65, 97, 116, 174, 200, 512, 1005, MAX_HALO};
static const double filter_sigmas[] = {0.1, CROWDED, 0.5, 4.78895, 1e3, 26244, 92709.1, 1e12, 1e14};

int64_t taps_of(const struct filter *filter)
{
    return (2 * filter->x.halo + 1) * (2 * filter->y.halo + 1);
}

static struct filter_axis axis_of(uint64_t seed, uint64_t first)
{
    return (struct filter_axis){halos[hash(seed, first) % (uint64_t)COUNT(halos)],
                                sigmas[hash(seed, first + 1) % (uint64_t)COUNT(sigmas)]};
}

struct filter filter_of(uint64_t seed, const struct shape *shape, bool chequer, int64_t max_steps)
{
    struct filter filter = {
        .x = axis_of(seed, 1),
        .y = axis_of(seed, hash(seed, 16) % 3 == 0 ? 17 : 1), /* every third has two axes */
        .norm = hash(seed, 3) % 4 == 0 ? NORM_ANALYTIC : NORM_SUM,
        .edge = (enum edge)(hash(seed, 4) % 5),
    };
    const int64_t samples = shape->width * shape->height * shape->channels;

    /* A chequer stays one in a mirror, and a filter this wide and smooth makes every sample a half
     * give or take less than a double can tell: the cases that only a repair gets right. */
    if (chequer && hash(seed, 10) % 2 == 0) {
        filter.x = filter.y = (struct filter_axis){14, 2};
        filter.edge = EDGE_MIRROR;
    }
    while (samples * taps_of(&filter) > max_steps) {
        const bool wide = filter.x.halo >= filter.y.halo, high = filter.y.halo >= filter.x.halo;

        filter.x.halo -= wide;
        filter.y.halo -= high;
    }
    return filter;
}

void set_hostile(struct test_case *test, int i)
{
    const int64_t halo = filter_halos[i / 2 / COUNT(filter_sigmas)]; /* ascending: buffers grow */
    const double sigma = filter_sigmas[i / 2 % COUNT(filter_sigmas)];

    test->filter.x = test->filter.y = (struct filter_axis){halo, sigma};
    test->filter.norm = i % 2 == 0 ? NORM_SUM : NORM_ANALYTIC;
    test->filter.edge = (enum edge)(hash((uint64_t)test->number, 4) % 5);
}
