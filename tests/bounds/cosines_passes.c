/* SPDX-License-Identifier: MIT */
/* Compares both passes of smooth_cpu's sums of cosines with the reference, in each instruction set.
 * The cosines fit the weights poorly (variant smooth_cosines_parts), and a window's samples are
 * chosen so that the errors of all weights add up. The exact result is next to a half, and the
 * estimate is on the other side of this half. If the bound left out a part of either pass, the
 * variant would round wrongly. The test also fails if the largest error is not from 0.7 to 1 of the
 * bound. */
#include "kernels/common/isa.h"
#include "kernels/common/sample.h"
#include "kernels/smooth/cpu/cosines/plan.h"
#include "src/bench/run/plane.h"
#include "tests/bounds/series.h"
#include "tests/bounds/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_HALO 97
#define SIDE (2 * MOST_HALO + 1)

/* cosines_prepare() with cosines that fit poorly: tests/variants/cosines. */
bool parts_prepare(const struct request *request, struct cosines_plan *plan);

/* The exact weights of an axis, and those that result from the cosines. */
struct axis {
    int64_t taps;
    double exact[SIDE], used[SIDE];
};

struct window {
    struct axis x, y;
    double middle;
    uint32_t maxval;
    uint16_t samples[SIDE][SIDE];
    /* In grey levels: the exact result, and how far the estimate is above it. */
    double result, error;
};

static void set_axis(const struct cosines_axis *found, const uint64_t *weights, int64_t halo,
                     struct axis *axis)
{
    axis->taps = 2 * found->halo + 1;
    for (int64_t k = 0; k < axis->taps; k++)
        axis->exact[k] = (double)weights[halo - found->halo + k] * 0x1p-46;
    if (found->direct)
        memcpy(axis->used, axis->exact, sizeof axis->used);
    else
        find_series(&found->series, axis->used);
}

/* Returns the error of a sample's weight. */
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

/* Sets the samples that make the estimate too large (sign 1) or too small (sign -1). */
static void set_worst(struct window *window, int sign)
{
    memset(window->samples, 0, sizeof window->samples);
    window->result = window->error = 0;
    for (int64_t i = 0; i < window->y.taps; i++)
        for (int64_t j = 0; j < window->x.taps; j++) {
            window->error -= window->middle * excess(window, i, j);
            set_sample(window, i, j, excess(window, i, j) * sign > 0 ? window->maxval : 0);
        }
}

/* Moves the exact result next to a half, so that the estimate is on the other side of it, by
 * raising a few black samples, those with large weights first. */
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
            sample_set(view, 1 + i - taps_y / 2, STRIP / 2 + j - taps_x / 2, 0,
                       window->samples[i][j]);
}

/* Returns true if each instruction set gives the reference's samples. */
static bool levels_agree(struct trial *trial, const struct subject *subject)
{
    static const char *const names[] = {"base", "avx2", "avx512", "vnni"};
    bool agree = true;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        /* base, if the processor lacks this instruction set */
        trial->request.isa = isa_find(names[i]);
        agree &= trial_run(trial, subject) == 0;
    }
    return agree;
}

/* Returns true if the variant's results are right, and the estimate's error is 0.7 to 1 of its
 * bound. */
static bool attack(const struct subject *subject, const struct filter *filter, uint32_t maxval,
                   int sign)
{
    static struct plane_filter weights;
    static struct window window;
    const struct shape shape = {.width = STRIP, .height = 3, .channels = 1, .maxval = maxval};
    struct cosines_plan plan;
    struct trial trial;
    struct error error;
    double ratio, apart;
    bool right;

    if (plane_filter_make(filter, &weights, &error) != STATUS_OK)
        exit(99);
    trial_open(&trial, &shape, &weights);
    if (!parts_prepare(&trial.request, &plan))
        exit(99);
    window.maxval = maxval;
    window.middle = plan.middle;
    set_axis(&plan.x, weights.x, weights.halo_x, &window.x);
    set_axis(&plan.y, weights.y, weights.halo_y, &window.y);
    set_worst(&window, sign);
    ratio = window.error * sign / plan.bound;
    go_to_half(&window);
    paint(&window, &trial.src.view);
    apart = (floor(window.result) + 0.5 - window.result) / window.error;
    right = levels_agree(&trial, subject) && ratio > 0.7 && ratio <= 1 && apart > 0 && apart < 0.25;
    trial_close(&trial);
    printf("halos %d and %d, maxval %u: %+.3f of a bound of %.3g%s\n", (int)filter->x.halo,
           (int)filter->y.halo, maxval, sign * ratio, plan.bound, right ? "" : ": WRONG");
    return right;
}

int main(void)
{
    static const int64_t halos[][2] = {{40, 3}, {3, 40}, {40, 40}, {97, 30}, {30, 97}};
    struct subject subject;
    bool right = subject_open(&subject, "smooth_cosines_parts") == 0;

    for (size_t i = 0; right && i < sizeof halos / sizeof *halos; i++)
        for (int kind = 0; kind < 4; kind++) {
            const struct filter filter = {
                .x = {halos[i][0], 0}, .y = {halos[i][1], 0}, .norm = NORM_SUM};

            right &= attack(&subject, &filter, kind & 1 ? 65535 : 255, kind & 2 ? 1 : -1);
        }
    subject_close(&subject);
    return right ? 0 : 1;
}
