/* SPDX-License-Identifier: MIT */
#include "tests/variants/cases/groups.h"

#include "tests/variants/cases/filters.h"
#include "tests/variants/cases/hash.h"

/* Axes of which one is left alone, or narrow, wide or flat beside another; row sums that fill 64
 * bits beside columns that have more weights than the centre's; an axis that only some paths serve.
 */
static const struct {
    struct filter_axis axes[2];
} axes_pairs[] = {
    {{{0, 0}, {1, 0}}},          {{{0, 0}, {6, 2}}},          {{{1, 0}, {2, 0}}},
    {{{2, 0.6}, {2, 1.1}}},      {{{3, 0}, {4, 0}}},          {{{4, 0}, {6, 0}}},
    {{{4, 1.3}, {4, 1e6}}},      {{{1, 0.1}, {7, 2}}},        {{{2, CROWDED}, {9, 1e3}}},
    {{{3, CROWDED}, {300, 90}}}, {{{0, 0}, {97, 0}}},         {{{16, 0}, {96, 30}}},
    {{{5, 0}, {130, 1e12}}},     {{{1, 0.2}, {MAX_HALO, 0}}}, {{{12, 0}, {17, 5}}},
};
_Static_assert(AXES_CASE_COUNT == 2 * 8 * COUNT(axes_pairs), "each pair, and again with alpha");

/* Halos beyond 64, or of both axes beyond 24, beside small ones where the reference would take
 * long; the lengths of transforms, 256 and 4096 with the halo on both sides, hold one image whole,
 * and take several pieces of another. The processor's cosines take 8192 samples of a row at a time.
 */
static const struct {
    int width, height;
    int32_t channels;
    int halo_x, halo_y;
} large[] = {
    {200, 100, 1, 65, 65}, {260, 120, 2, 66, 9},  {300, 80, 1, 65, 30},  {301, 41, 3, 200, 2},
    {257, 60, 1, 1024, 1}, {2750, 60, 1, 700, 0}, {90, 2750, 1, 0, 700}, {120, 1001, 1, 3, 66},
    {901, 130, 2, 66, 2},  {4001, 18, 1, 65, 1},  {310, 133, 1, 256, 3}, {150, 150, 1, 2, 128},
    {9001, 26, 1, 97, 12}, {2740, 9, 3, 70, 0},   {150, 60, 3, 40, 40},  {70, 90, 4, 30, 70}};
_Static_assert(LARGE_CASE_COUNT == 2 * COUNT(large), "each with both depths");

uint32_t case_maxval(uint64_t seed)
{
    static const uint32_t maxvals[] = {255, 65535, 1, 4095, 256, 100, 255, 65535};

    return maxvals[hash(seed, 7) % (uint64_t)COUNT(maxvals)];
}

void weigh(struct test_case *test)
{
    static const int32_t channels[] = {4, 2, 4, 3, 2, 5};

    test->weighted = true;
    test->shape.channels = channels[hash((uint64_t)test->number, 6) % (uint64_t)COUNT(channels)];
}

void make_small(struct test_case *test)
{
    const int64_t taps = taps_of(&test->filter);
    struct shape *shape = &test->shape;

    shape->width = 1 + (int64_t)(hash((uint64_t)test->number, 14) % 40);
    shape->height = 1 + (int64_t)(hash((uint64_t)test->number, 15) % 9);
    if (filter_halo(&test->filter) > 200 && shape->channels > 4)
        shape->channels = 4;
    while (shape->width > 1 && shape->width * shape->height * shape->channels * taps > 2000000)
        shape->width--;
    while (shape->height > 1 && shape->height * shape->channels * taps > 2000000)
        shape->height--;
}

void make_hostile(struct test_case *test)
{
    bool crowded;

    set_hostile(test, test->number - FIRST_FILTER_CASE);
    crowded = test->filter.x.sigma == CROWDED;
    if (crowded)
        test->shape.maxval = 65535;
    if (hash((uint64_t)test->number, 13) % 6 == 0 ||
        (crowded && test->filter.x.halo == 3)) /* rails under an opaque alpha */
        weigh(test);
    make_small(test);
}

void make_axes(struct test_case *test)
{
    const int i = test->number - FIRST_AXES_CASE;
    const int pair = i / 8 % COUNT(axes_pairs);
    struct filter *filter = &test->filter;

    filter->x = axes_pairs[pair].axes[i % 2];
    filter->y = axes_pairs[pair].axes[1 - i % 2];
    filter->norm = i / 2 % 2 == 0 ? NORM_SUM : NORM_ANALYTIC;
    filter->edge = (enum edge)(hash((uint64_t)test->number, 4) % 5);
    test->shape.maxval = i / 4 % 2 == 0 ? 255 : 65535;
    if (i / 8 >= COUNT(axes_pairs))
        weigh(test);
    make_small(test);
}

void make_large(struct test_case *test)
{
    const int i = test->number - FIRST_LARGE_CASE;
    struct filter *filter = &test->filter;

    test->shape = (struct shape){.width = large[i / 2].width,
                                 .height = large[i / 2].height,
                                 .channels = large[i / 2].channels,
                                 .maxval = i % 2 == 0 ? 255 : 65535};
    filter->x = (struct filter_axis){large[i / 2].halo_x, 0};
    filter->y = (struct filter_axis){large[i / 2].halo_y, 0};
    filter->norm = i / 2 % 3 == 0 ? NORM_ANALYTIC : NORM_SUM;
    filter->edge = (enum edge)(i % 5);
}
