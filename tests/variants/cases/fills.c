/* SPDX-License-Identifier: MIT */
#include "tests/variants/cases/fills.h"

#include "kernels/common/sample.h"
#include "tests/variants/cases/float_fills.h"
#include "tests/variants/cases/hash.h"

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
_Static_assert(COUNT(fills) == FILL_COUNT && COUNT(alphas) == ALPHA_FILL_COUNT, "as fills.h says");

const char *fill_name(int fill)
{
    return fills[fill].name;
}

bool fill_is_chequer(int fill)
{
    return fills[fill].paint == paint_chequer;
}

const char *alpha_fill_name(int fill)
{
    return alphas[fill].name;
}

static void paint_floats(const struct test_case *test, struct image *image)
{
    const uint64_t of_case = hash((uint64_t)test->number, 25);

    for (int64_t y = 0; y < test->shape.height; y++)
        for (int64_t x = 0; x < test->shape.width; x++)
            for (int32_t channel = 0; channel < test->shape.channels; channel++)
                sample_set(&image->view, y, x, channel,
                           float_fill(test->colours, of_case, sample_hash(test, y, x, channel),
                                      (x + y + channel) & 1));
}

void case_paint(const struct test_case *test, struct image *image)
{
    if (test->shape.maxval == FLOAT_SAMPLES) {
        paint_floats(test, image);
        return;
    }

    painter *const colour = fills[test->colours].paint;
    painter *const alpha = test->weighted ? alphas[test->alpha].paint : colour;
    const int32_t last = test->shape.channels - 1;

    for (int64_t y = 0; y < test->shape.height; y++)
        for (int64_t x = 0; x < test->shape.width; x++)
            for (int32_t channel = 0; channel <= last; channel++)
                sample_set(&image->view, y, x, channel,
                           (channel < last ? colour : alpha)(test, y, x, channel));
}
