/* SPDX-License-Identifier: MIT */
/* At large halos the variant smooth_cpu (an implementation of smoothing) replaces the weights of a
 * filter by a sum of a few cosines (arrays/series.h). This program compares both passes of such a
 * filter with the reference, in each instruction set of x86. The cosines fit the weights poorly
 * (variant smooth_cosines_parts), and a window's samples are chosen so that the errors of all
 * weights add up. The exact result is next to a half (an integer + 1/2), and the estimate is on the
 * other side of this half. If the bound left out a part of either pass, the variant would round
 * wrongly.
 *
 * The program tries errors of either sign. The sum of the largest positive error and the size of
 * the largest negative error must be from 0.7 to 1 times the bound. The sum cannot be larger than
 * the bound, since the bound adds the errors of all weights, of both signs. */
#include "kernels/common/isa.h"
#include "kernels/common/sample.h"
#include "src/bench/run/plane.h"
#include "tests/bounds/series.h"
#include "tests/bounds/trial.h"
#include "tests/variants/cosines/parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_HALO 97
#define WIDTH 8 /* width of the image */
#define SIDE (2 * MOST_HALO + 1)

/* The exact weights of an axis, and the weights that result from the cosines. */
struct axis {
    int64_t taps;
    double exact[SIDE], used[SIDE];
};

struct window {
    struct axis x, y;
    uint32_t maxval;
    uint16_t samples[SIDE][SIDE];
    /* In grey levels: the exact result, and how far the estimate is above it. */
    double result, error;
};

static void set_axis(const struct cosine_series *found, const uint64_t *weights, int64_t halo,
                     struct axis *axis)
{
    axis->taps = 2 * found->halo + 1;
    for (int64_t k = 0; k < axis->taps; k++)
        axis->exact[k] = (double)weights[halo - found->halo + k] * 0x1p-46;
    if (found->groups == 0)
        memcpy(axis->used, axis->exact, sizeof axis->used);
    else
        find_series(found, axis->used);
}

/* Returns the error of a sample's weight: the weight by the cosines minus the exact weight. */
static double excess(const struct window *window, int64_t i, int64_t j)
{
    return window->y.used[i] * window->x.used[j] - window->y.exact[i] * window->x.exact[j];
}

static void set_sample(struct window *window, int64_t i, int64_t j, uint32_t value)
{
    const double change = (double)value - (double)window->samples[i][j];

    window->result += change * window->y.exact[i] * window->x.exact[j];
    window->error += change * excess(window, i, j);
    window->samples[i][j] = (uint16_t)value;
}

/* Makes each sample black or white, so that the estimate is as much too large (sign 1) or too small
 * (sign -1) as possible. */
static void set_worst(struct window *window, int sign)
{
    memset(window->samples, 0, sizeof window->samples);
    window->result = window->error = 0;
    for (int64_t i = 0; i < window->y.taps; i++)
        for (int64_t j = 0; j < window->x.taps; j++)
            set_sample(window, i, j, excess(window, i, j) * sign > 0 ? window->maxval : 0);
}

/* Raises a few black samples, those with large weights first, until the exact result is a little
 * below or above an integer + 1/2, and the estimate is on the other side of this half. */
static void go_to_half(struct window *window)
{
    const double goal = ceil(window->result + 1) - 0.5 - window->error / 16;
    double left = goal - window->result;

    for (double top = 1; top > 0x1p-46; top /= 2)
        for (int64_t i = 0; i < window->y.taps; i++)
            for (int64_t j = 0; j < window->x.taps; j++) {
                const double weight = window->y.exact[i] * window->x.exact[j];

                if (weight <= top / 2 || weight > top || window->samples[i][j] > 0 || left < 0)
                    continue;
                set_sample(window, i, j, (uint32_t)fmin(left / weight, window->maxval));
                left -= window->samples[i][j] * weight;
            }
}

static void paint(const struct window *window, const struct view *view)
{
    const int64_t taps_x = window->x.taps, taps_y = window->y.taps;

    for (int64_t i = 0; i < taps_y; i++)
        for (int64_t j = 0; j < taps_x; j++)
            sample_set(view, 1 + i - taps_y / 2, WIDTH / 2 + j - taps_x / 2, 0,
                       window->samples[i][j]);
}

/* Returns true if each instruction set gives the reference's samples. */
static bool levels_agree(struct trial *trial, const struct subject *subject)
{
    static const char *const names[] = {"base", "avx2", "avx512", "vnni"};
    bool agree = true;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        /* isa_find() returns base if the processor lacks this instruction set. */
        trial->request.isa = isa_find(names[i]);
        agree &= trial_run(trial, subject) == 0;
    }
    return agree;
}

/* Attacks with errors of one sign. Returns the ratio of the estimate's error to its bound, or NAN
 * if the variant's results are wrong. */
static double attack(const struct subject *subject, const struct filter *filter, uint32_t maxval,
                     int sign)
{
    static struct plane_filter weights;
    static struct window window;
    static struct cosines_state state;
    const struct shape shape = {.width = WIDTH, .height = 3, .channels = 1, .maxval = maxval};
    struct trial trial;
    struct error error;
    double ratio, apart;
    bool right;

    if (plane_filter_make(filter, &weights, &error) != STATUS_OK)
        exit(99);
    trial_open(&trial, &shape, &weights);
    if (!cosines_state_make(&trial.request, &parts_limits, &state))
        exit(99);
    window.maxval = maxval;
    set_axis(&state.cosines.series[1], weights.x, weights.halo_x, &window.x);
    set_axis(&state.cosines.series[0], weights.y, weights.halo_y, &window.y);
    set_worst(&window, sign);
    ratio = window.error * sign / state.cosines.bound;
    go_to_half(&window);
    paint(&window, &trial.src.view);
    apart = (floor(window.result) + 0.5 - window.result) / window.error;
    right = levels_agree(&trial, subject) && apart > 0 && apart < 0.25;
    trial_close(&trial);
    printf("halos %d and %d, maxval %u: %+.3f of a bound of %.3g%s\n", (int)filter->x.halo,
           (int)filter->y.halo, maxval, sign * ratio, state.cosines.bound, right ? "" : ": WRONG");
    return right ? ratio : NAN;
}

int main(void)
{
    static const int64_t halos[][2] = {{40, 3}, {3, 40}, {40, 40}, {97, 30}, {30, 97}};
    struct subject subject;
    bool right = subject_open(&subject, "smooth_cosines_parts") == 0;

    for (size_t i = 0; right && i < sizeof halos / sizeof *halos; i++)
        for (uint32_t maxval = 255; maxval <= 65535; maxval += 65535 - 255) {
            const struct filter filter = {
                .x = {halos[i][0], 0}, .y = {halos[i][1], 0}, .norm = NORM_SUM};
            const double both =
                attack(&subject, &filter, maxval, -1) + attack(&subject, &filter, maxval, 1);

            right &= both > 0.7 && both <= 1;
        }
    subject_close(&subject);
    return right ? 0 : 1;
}
