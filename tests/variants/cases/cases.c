/* SPDX-License-Identifier: MIT */
#include "tests/variants/cases/cases.h"

#include "kernels/common/sample.h"
#include "tests/variants/cases/float_fills.h"

#include <stdio.h>

#define COUNT(LIST) ((int)(sizeof(LIST) / sizeof((LIST)[0])))

/* Single pixels, lines, and one less than, as much as and one more than the tiles in use. */
static const struct {
    int width, height;
} sizes[] = {{1, 1},    {1, 7},    {5, 1},     {2, 2},    {1, 97},  {97, 1},   {11, 12},
             {12, 13},  {13, 11},  {31, 32},   {32, 33},  {33, 31}, {63, 64},  {64, 65},
             {65, 63},  {127, 3},  {128, 2},   {129, 5},  {3, 257}, {1023, 2}, {1024, 3},
             {1025, 2}, {2, 1031}, {101, 103}, {144, 96}, {17, 190}};

static const uint32_t maxvals[] = {255, 65535, 1, 4095, 256, 100, 255, 65535};
static const int64_t halos[] = {4, 1, 0, 2, 3, 7, 8, 16, 33, 5};
static const double sigmas[] = {0, 0, 0, 0.3, 0.8, 2, 5.5};

/* Of the hostile filters. From 116 and 174 on flat filters once went wrong; at 1005 the lower 24
 * bits of their weights are large, so that sums of these fill 64 bits. */
static const int64_t filter_halos[] = {1,  2,  3,  4,   5,   8,   12,  16,   17,      33,
                                       64, 65, 97, 116, 174, 200, 512, 1005, MAX_HALO};
/* Analytic weights of this sigma sum to more than 2: 64 bits do not hold two row sums of white
 * samples of 16 bits. */
#define CROWDED 0.195
static const double filter_sigmas[] = {0.1, CROWDED, 0.5, 4.78895, 1e3, 26244, 92709.1, 1e12, 1e14};

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

/* Of several layers. Halos up to 2 have a kernel, whose registers hold four layers of one channel;
 * the others take a launch a layer. The last two leave the centre less than its neighbours, or
 * nearly all. */
static const int layer_counts[] = {2, 3, 4, 8, 2, 4, 5};
static const struct {
    struct filter_axis axes[2];
} layer_filters[] = {{{{1, 0}, {1, 0}}},     {{{2, 0}, {2, 0}}},   {{{1, 0.8}, {1, 0.8}}},
                     {{{1, 0}, {2, 0}}},     {{{2, 1.1}, {0, 0}}}, {{{3, 0}, {3, 0}}},
                     {{{0, 0}, {1, 2}}},     {{{7, 0}, {4, 0}}},   {{{2, 1e9}, {2, 1e9}}},
                     {{{1, 0.12}, {2, 0.2}}}};
static const struct {
    int width, height;
} layer_sizes[] = {{530, 40}, {749, 23}, {241, 61}, {480, 19}, {500, 150}};

static const int blocks[] = {0, 0, 12, 1, 32, 7};

/* splitmix64 (Steele, Lea, Flood 2014): a good hash of a counter, and the same everywhere. */
static uint64_t hash(uint64_t seed, uint64_t counter)
{
    uint64_t z = (seed + 1) * 0x9e3779b97f4a7c15 + counter * 0xbf58476d1ce4e5b9;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* A painter gives the value of one sample. */
typedef uint32_t painter(const struct test_case *test, int64_t y, int64_t x, int32_t channel);

static uint64_t sample_hash(const struct test_case *test, int64_t y, int64_t x, int32_t channel)
{
    const int64_t index = (y * test->shape.width + x) * test->shape.channels + channel;

    return hash((uint64_t)test->number, (uint64_t)index);
}

static uint32_t paint_black(const struct test_case *test, int64_t y, int64_t x, int32_t channel)
{
    (void)test, (void)y, (void)x, (void)channel;
    return 0;
}

static uint32_t paint_white(const struct test_case *test, int64_t y, int64_t x, int32_t channel)
{
    (void)y, (void)x, (void)channel;
    return test->shape.maxval;
}

static uint32_t paint_impulse(const struct test_case *test, int64_t y, int64_t x, int32_t channel)
{
    const uint64_t corner = hash((uint64_t)test->number, 77);
    const int64_t there_x = corner & 1 ? test->shape.width - 1 : 0;
    const int64_t there_y = corner & 2 ? test->shape.height - 1 : 0;

    return x == there_x && y == there_y && channel == test->shape.channels - 1 ? test->shape.maxval
                                                                               : 0;
}

/* Puts every sample of a wide smoothing next to a half. */
static uint32_t paint_chequer(const struct test_case *test, int64_t y, int64_t x, int32_t channel)
{
    return ((x + y + channel) & 1) != 0 ? test->shape.maxval : 0;
}

static uint32_t paint_noise(const struct test_case *test, int64_t y, int64_t x, int32_t channel)
{
    return (uint32_t)(sample_hash(test, y, x, channel) % (test->shape.maxval + 1));
}

static uint32_t paint_rails(const struct test_case *test, int64_t y, int64_t x, int32_t channel)
{
    const uint64_t bits = sample_hash(test, y, x, channel);
    const uint32_t distance = (uint32_t)(bits >> 1 & 1) % (test->shape.maxval + 1);

    return bits & 1 ? test->shape.maxval - distance : distance;
}

/* Every sample has another value than its neighbours, so that a swapped pixel shows. */
static uint32_t paint_ramp(const struct test_case *test, int64_t y, int64_t x, int32_t channel)
{
    return (uint32_t)((y * 31 + x * 7 + channel * 3) % (test->shape.maxval + 1));
}

static const struct {
    const char *name;
    painter *paint;
} fills[] = {{"black", paint_black},     {"white", paint_white}, {"impulse", paint_impulse},
             {"chequer", paint_chequer}, {"noise", paint_noise}, {"rails", paint_rails},
             {"ramp", paint_ramp}};

/* --- Alpha, the last channel of weighted images. */

/* One pixel that can hardly be seen, and nothing else. */
static uint32_t paint_sole(const struct test_case *test, int64_t y, int64_t x, int32_t channel)
{
    (void)channel;
    return x == test->shape.width / 3 && y == test->shape.height / 3;
}

static uint32_t paint_faint(const struct test_case *test, int64_t y, int64_t x, int32_t channel)
{
    return (uint32_t)(sample_hash(test, y, x, channel) & 1);
}

static uint32_t paint_even(const struct test_case *test, int64_t y, int64_t x, int32_t channel)
{
    (void)y, (void)x, (void)channel;
    return 1 + (uint32_t)(hash((uint64_t)test->number, 78) % test->shape.maxval);
}

/* Squares with everything, a hint, and nothing in them. */
static uint32_t paint_holes(const struct test_case *test, int64_t y, int64_t x, int32_t channel)
{
    const uint64_t bits = hash((uint64_t)test->number, (uint64_t)((y / 5) * 1000 + x / 9));

    (void)channel;
    return bits % 3 == 0 ? 0 : bits % 3 == 1 ? 1 : test->shape.maxval;
}

/* Half way between two of them, the mean of two colours may be a half to the last bit. */
static uint32_t paint_posts(const struct test_case *test, int64_t y, int64_t x, int32_t channel)
{
    (void)channel;
    return y % 16 == 0 && x % 4 == 0 ? test->shape.maxval : 0;
}

static const struct {
    const char *name;
    painter *paint;
} alphas[] = {{"transparent", paint_black}, {"opaque", paint_white}, {"even", paint_even},
              {"sole", paint_sole},         {"faint", paint_faint},  {"holes", paint_holes},
              {"posts", paint_posts},       {"noise", paint_noise}};

static int alpha_index(int number)
{
    return (number - CASE_COUNT) / COUNT(sizes) % COUNT(alphas);
}

/* An index into fills. Of images beside those of general cases: black tells of nothing, and an
 * impulse would often be hidden. */
static int fill_index(int number)
{
    static const int telling[] = {4, 3, 1, 6, 5};

    return number < CASE_COUNT ? number / COUNT(sizes) % COUNT(fills)
                               : telling[hash((uint64_t)number, 12) % (uint64_t)COUNT(telling)];
}

static int64_t taps_of(const struct filter *filter)
{
    return (2 * filter->x.halo + 1) * (2 * filter->y.halo + 1);
}

static struct filter_axis axis_of(uint64_t seed, uint64_t first)
{
    return (struct filter_axis){halos[hash(seed, first) % (uint64_t)COUNT(halos)],
                                sigmas[hash(seed, first + 1) % (uint64_t)COUNT(sigmas)]};
}

static struct filter filter_of(uint64_t seed, const struct shape *shape, bool chequer,
                               int64_t most_taps)
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
    /* The reference takes as many steps a sample. */
    while (samples * taps_of(&filter) > most_taps) {
        const bool wide = filter.x.halo >= filter.y.halo, high = filter.y.halo >= filter.x.halo;

        filter.x.halo -= wide;
        filter.y.halo -= high;
    }
    return filter;
}

int case_count(enum op op, bool layers)
{
    if (op != OP_SMOOTH)
        return CASE_COUNT + FLOAT_PICTURE_COUNT;
    return FIRST_LAYERS_CASE + (layers ? LAYERS_CASE_COUNT : 0);
}

/* Two channels or four, as files have them, and others. */
static void weigh(struct test_case *test)
{
    static const int32_t channels[] = {4, 2, 4, 3, 2, 5};

    test->weighted = true;
    test->shape.channels = channels[hash((uint64_t)test->number, 6) % (uint64_t)COUNT(channels)];
}

/* A small picture: as much of it as the reference does in a moment. */
static void make_small(struct test_case *test)
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

/* One of the hostile filters, number i. */
static void set_hostile(struct test_case *test, int i)
{
    const int64_t halo = filter_halos[i / 2 / COUNT(filter_sigmas)]; /* ascending: buffers grow */
    const double sigma = filter_sigmas[i / 2 % COUNT(filter_sigmas)];

    test->filter.x = test->filter.y = (struct filter_axis){halo, sigma};
    test->filter.norm = i % 2 == 0 ? NORM_SUM : NORM_ANALYTIC;
    test->filter.edge = (enum edge)(hash((uint64_t)test->number, 4) % 5);
}

static void make_hostile(struct test_case *test)
{
    const int i = test->number - FIRST_FILTER_CASE;
    const int64_t halo = filter_halos[i / 2 / COUNT(filter_sigmas)];
    const double sigma = filter_sigmas[i / 2 % COUNT(filter_sigmas)];

    set_hostile(test, i);
    if (sigma == CROWDED)
        test->shape.maxval = 65535;
    if (hash((uint64_t)test->number, 13) % 6 == 0 ||
        (sigma == CROWDED && halo == 3)) /* rails under an opaque alpha */
        weigh(test);
    make_small(test);
}

/* Two different axes: each pair in both orders, in both norms, with both depths and colours that
 * alpha weighs. */
static void make_axes(struct test_case *test)
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

static void make_large(struct test_case *test)
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

/* Of floats: the first for each size and fill, the others with the hostile filters. */
static int float_index(int number, enum op op)
{
    const int first = op == OP_SMOOTH ? FIRST_FLOAT_CASE : CASE_COUNT;
    const int count = op == OP_SMOOTH ? FLOAT_CASE_COUNT : FLOAT_PICTURE_COUNT;

    return number >= first && number < first + count ? number - first : -1;
}

static int float_fill_index(int i)
{
    return i < FLOAT_PICTURE_COUNT ? i / COUNT(sizes) % FLOAT_FILL_COUNT
                                   : (int)(hash((uint64_t)i, 24) % FLOAT_FILL_COUNT);
}
_Static_assert(FLOAT_PICTURE_COUNT == COUNT(sizes) * FLOAT_FILL_COUNT,
               "every size with every fill");

static void make_float(struct test_case *test, int i, enum op op)
{
    const uint64_t seed = (uint64_t)test->number;

    test->shape.maxval = FLOAT_SAMPLES;
    test->fill = float_fill_name(float_fill_index(i));
    if (op != OP_SMOOTH)
        return;
    test->skip_nan = hash(seed, 23) % 3 == 0;
    if (i < FLOAT_PICTURE_COUNT) {
        test->shape.width = sizes[i % COUNT(sizes)].width;
        test->shape.height = sizes[i % COUNT(sizes)].height;
        test->filter =
            filter_of(seed, &test->shape, float_fill_is_chequer(float_fill_index(i)), 2000000);
        return;
    }
    set_hostile(test, i - FLOAT_PICTURE_COUNT);
    make_small(test);
}

/* Several layers: each number of them with each filter, edge rule, depth and number of channels,
 * over images that are smaller than what all layers reach, and such that have warps of the kernel
 * `layers` inside them. */
static void make_layers(struct test_case *test)
{
    const int i = test->number - FIRST_LAYERS_CASE;
    const uint64_t seed = (uint64_t)test->number;
    const int filter = i % COUNT(layer_filters), size = i / 2 % COUNT(layer_sizes);
    struct shape *shape = &test->shape;

    test->layers = layer_counts[hash(seed, 20) % (uint64_t)COUNT(layer_counts)];
    test->filter.x = layer_filters[filter].axes[0];
    test->filter.y = layer_filters[filter].axes[1];
    test->filter.norm = hash(seed, 21) % 10 == 0 ? NORM_ANALYTIC : NORM_SUM;
    test->filter.edge = (enum edge)(i % 5);
    shape->maxval = maxvals[hash(seed, 7) % (uint64_t)COUNT(maxvals)];
    shape->channels = 1 + (int32_t)(hash(seed, 6) % 9) / 2;
    if (i % 2 == 0) {
        shape->width = layer_sizes[size].width;
        shape->height = layer_sizes[size].height;
    }
    if (i % 2 == 0 && shape->channels > 1)
        shape->width = shape->width / shape->channels + 60;
    if (hash(seed, 22) % 16 == 0)
        weigh(test);
}

struct test_case case_of(int number, enum op op)
{
    const uint64_t seed = (uint64_t)number;
    const int size = number % COUNT(sizes);
    struct test_case test = {
        .number = number,
        .shape = {.width = sizes[size].width,
                  .height = sizes[size].height,
                  .channels = (int32_t)(hash(seed, 5) % 3 != 0 ? 1 : 1 + hash(seed, 6) % 9),
                  .maxval = maxvals[hash(seed, 7) % (uint64_t)COUNT(maxvals)]},
        .fill = fills[fill_index(number)].name,
        .layers = 1,
        .margin = (int64_t)(hash(seed, 8) % 3),
        .threads = 1 + (int)(hash(seed, 9) % 5),
        .block = blocks[hash(seed, 11) % (uint64_t)COUNT(blocks)],
    };

    if (float_index(number, op) >= 0) {
        make_float(&test, float_index(number, op), op);
        return test;
    }
    if (number >= FIRST_FILTER_CASE) {
        (number < FIRST_AXES_CASE     ? make_hostile
         : number < FIRST_LARGE_CASE  ? make_axes
         : number < FIRST_LAYERS_CASE ? make_large
                                      : make_layers)(&test);
        return test;
    }
    if (number >= CASE_COUNT) {
        weigh(&test);
        test.fill = alphas[alpha_index(number)].name;
    }
    if (op == OP_SMOOTH)
        test.filter = filter_of(seed, &test.shape, fills[fill_index(number)].paint == paint_chequer,
                                test.weighted ? 2000000 : 8000000); /* takes four times as long */
    return test;
}

static void paint_floats(const struct test_case *test, struct image *image)
{
    const uint64_t of_case = hash((uint64_t)test->number, 25);
    int fill = 0;

    while (float_fill_name(fill) != test->fill)
        fill++;
    for (int64_t y = 0; y < test->shape.height; y++)
        for (int64_t x = 0; x < test->shape.width; x++)
            for (int32_t channel = 0; channel < test->shape.channels; channel++)
                sample_set(&image->view, y, x, channel,
                           float_fill(fill, of_case, sample_hash(test, y, x, channel),
                                      (x + y + channel) & 1));
}

void case_paint(const struct test_case *test, struct image *image)
{
    if (test->shape.maxval == FLOAT_SAMPLES) {
        paint_floats(test, image);
        return;
    }

    painter *const colour = fills[fill_index(test->number)].paint;
    painter *const alpha = test->weighted ? alphas[alpha_index(test->number)].paint : colour;
    const int32_t last = test->shape.channels - 1;

    for (int64_t y = 0; y < test->shape.height; y++)
        for (int64_t x = 0; x < test->shape.width; x++)
            for (int32_t channel = 0; channel <= last; channel++)
                sample_set(&image->view, y, x, channel,
                           (channel < last ? colour : alpha)(test, y, x, channel));
}

void case_describe(const struct test_case *test, char *text, size_t size)
{
    static const char *const edges[] = {"clamp", "reflect", "mirror", "wrap", "zero"};

    snprintf(
        text, size,
        "case %d: %dx%d, %d channels, maxval %u, %s%s%s; halo %d,%d, sigma %g,%g, %s, norm %s; "
        "%d layers; margin %d, %d threads, block %d",
        test->number, (int)test->shape.width, (int)test->shape.height, (int)test->shape.channels,
        (unsigned)test->shape.maxval, test->weighted ? "weighted by alpha: " : "",
        test->skip_nan ? "NaN skipped: " : "", test->fill, (int)test->filter.x.halo,
        (int)test->filter.y.halo, gauss_sigma(&test->filter.x), gauss_sigma(&test->filter.y),
        edges[test->filter.edge], test->filter.norm == NORM_SUM ? "sum" : "analytic", test->layers,
        (int)test->margin, test->threads, test->block);
}
