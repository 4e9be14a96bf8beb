/* SPDX-License-Identifier: MIT */
/* Compares a variant with the reference on windows of floats. A window's exact weighted sum is
 * within 2^-60 of the middle between two floats. Its sum in doubles is on the other side of the
 * middle, as far away as the search below can bring it: a variant that assumes a smaller error
 * rounds wrongly.
 *
 * A window is made for one order of summation. Of several random values a sample gets the one that
 * increases the error of the sum in doubles most. The last two samples only move the exact sum to
 * the middle. Half of the windows are made for sums by fused multiply-add.
 *
 *     middles STEM
 *
 * The test also fails if for some order all errors are below a fifth of the bound. */
#include "kernels/common/sample.h"
#include "src/bench/run/plane.h"
#include "tests/bounds/exact_floats.h"
#include "tests/bounds/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_HALO 7
#define TAPS (2 * MOST_HALO + 1)
#define WINDOWS 24    /* windows in a picture */
#define IN_ROW 12     /* windows side by side */
#define ATTEMPTS 4    /* of this many windows, the one of the largest error is kept */
#define CANDIDATES 32 /* random values that are tried for a sample */
/* Values that are tried for the last sample of a line, which is chosen by the error of the whole
 * window. */
#define LAST_OF_LINE 256

/* How a variant sums a window: first the samples of each line, then the sums of the lines. */
static const struct order {
    const char *name;
    bool columns_first; /* a line is a column; otherwise a row */
    bool pairs; /* adds the two samples of equal weight before it multiplies, the outer two first */
    bool outwards; /* in a line, adds the innermost pair first */
} orders[] = {{"rows, then columns", false, false, false},
              {"columns, then rows, in pairs", true, true, false},
              {"rows, then columns, in pairs", false, true, false},
              {"rows outwards, then columns, in pairs", false, true, true}};
#define ORDERS ((int)(sizeof orders / sizeof *orders))

/* `sums` has the sums of the lines as the variant computes them. `exact` has the same sums in long
 * double. */
struct window {
    const struct order *order;
    const struct request *request;
    bool fused;    /* sums by fused multiply-add */
    double wanted; /* the sign of the error, 1 or -1 */
    int64_t halo;
    double taps[MOST_HALO + 1]; /* by distance from the centre */
    float samples[TAPS][TAPS];  /* [line][tap] */
    double sums[TAPS];
    long double exact[TAPS];
};

static double add_product(const struct window *window, double sum, int64_t k, double value)
{
    const double tap = window->taps[k < 0 ? -k : k], product = tap * value;

    return window->fused ? fma(tap, value, sum) : sum + product;
}

/* Returns the index of the tap, or of the line, that a sum adds in step `number`. */
static int64_t place(const struct window *window, bool outwards, int64_t number)
{
    const int64_t last = 2 * window->halo;
    const int64_t inwards = outwards ? last - number : number;

    if (!window->order->pairs)
        return number;
    return inwards % 2 == 0 ? inwards / 2 : last - inwards / 2;
}

static double sum_values(const struct window *window, bool outwards, const double *values)
{
    const int64_t halo = window->halo;
    double sum = 0;

    for (int64_t number = 0; number <= 2 * halo; number++) {
        const int64_t tap = place(window, outwards, number);

        if (!window->order->pairs || tap == halo)
            sum = add_product(window, sum, tap - halo, values[tap]);
        else if (tap < halo)
            sum = add_product(window, sum, tap - halo, values[tap] + values[2 * halo - tap]);
    }
    return sum;
}

static double sum_of_all(const struct window *window)
{
    return sum_values(window, false, window->sums);
}

static void sum_line(struct window *window, int64_t line)
{
    double values[TAPS];
    long double exact = 0;

    for (int64_t tap = 0; tap <= 2 * window->halo; tap++) {
        values[tap] = (double)window->samples[line][tap];
        exact += (long double)window->taps[labs(tap - window->halo)] * values[tap];
    }
    window->sums[line] = sum_values(window, window->order->outwards, values);
    window->exact[line] = exact;
}

static double error_of_line(const struct window *window, int64_t line)
{
    return (double)(window->sums[line] - window->exact[line]) * window->wanted;
}

static double error_of_all(const struct window *window)
{
    long double exact = 0;

    for (int64_t line = 0; line <= 2 * window->halo; line++)
        exact += (long double)window->taps[labs(line - window->halo)] * window->exact[line];
    return (double)(sum_of_all(window) - exact) * window->wanted;
}

/* Returns a sample a little above 1. The sum is then a little above 1, too, where the relative
 * error of a rounding is greatest. */
static float draw(const struct window *window, uint64_t counter)
{
    const double taps = (double)(2 * window->halo + 1), noise = (double)trial_hash(counter);

    return (float)((1 + noise * 0x1p-68) / (1 - 2 / (taps * taps)));
}

static void choose_sample(struct window *window, uint64_t seed, int64_t line, int64_t tap,
                          bool last)
{
    float *sample = &window->samples[line][tap], best = 0;
    double most = -INFINITY;

    for (uint64_t i = 0; i < (last ? LAST_OF_LINE : CANDIDATES); i++) {
        double error;

        *sample = draw(window, seed + i);
        sum_line(window, line);
        error = last ? error_of_all(window) : error_of_line(window, line);
        if (error > most) {
            most = error;
            best = *sample;
        }
    }
    *sample = best;
    sum_line(window, line);
}

/* Chooses all samples but the last two. */
static void choose_samples(struct window *window, uint64_t seed)
{
    const int64_t taps = 2 * window->halo + 1, count = taps * taps - 2;

    memset(window->samples, 0, sizeof window->samples);
    for (int64_t line = 0; line < taps; line++)
        sum_line(window, line);
    for (int64_t i = 0; i < count; i++)
        choose_sample(window, seed + (uint64_t)i * LAST_OF_LINE, place(window, false, i / taps),
                      place(window, window->order->outwards, i % taps),
                      i % taps == taps - 1 || i == count - 1);
}

/* Returns the exact sum minus `value`. */
static double beyond(const struct window *window, double value)
{
    struct float_sum total = {{0}};

    for (int64_t line = 0; line <= 2 * window->halo; line++) {
        struct float_sum sum = {{0}};

        for (int64_t tap = 0; tap <= 2 * window->halo; tap++)
            float_sum_add(&sum, window->request->weights_x[tap],
                          float_bits(window->samples[line][tap]));
        float_sum_add_sum(&total, window->request->weights_y[line], &sum);
    }
    float_sum_subtract(&total, value);
    return float_sum_value(total);
}

/* Sets the last two samples to numbers of this sign, so that the exact sum is next to a middle
 * between floats. Returns the relative distance from the middle to the sum in doubles, positive if
 * that sum is on the wanted side. */
static double move_to_middle(struct window *window, float sign)
{
    const int64_t halo = window->halo, line = place(window, false, 2 * halo);
    const bool outwards = window->order->outwards;
    const int64_t taps[2] = {place(window, outwards, 2 * halo - 1),
                             place(window, outwards, 2 * halo)};
    const float above = nextafterf((float)beyond(window, 0), sign * INFINITY);
    const double middle = ((double)above + (double)nextafterf(above, sign * INFINITY)) / 2;

    for (int i = 0; i < 2; i++) {
        const double weight = window->taps[labs(line - halo)] * window->taps[labs(taps[i] - halo)];

        /* The first sample goes only most of the way, so that the second one is not 0. */
        window->samples[line][taps[i]] =
            (float)(-beyond(window, middle) / weight * (i == 0 ? 1 - 0x1p-20 : 1));
    }
    while (beyond(window, middle) * window->wanted >= 0)
        window->samples[line][taps[1]] =
            nextafterf(window->samples[line][taps[1]], (float)-window->wanted * INFINITY);
    if (fabs(beyond(window, middle)) > 0x1p-60 * middle)
        exit(99);
    sum_line(window, line);
    return (sum_of_all(window) - middle) * window->wanted / middle;
}

/* Makes some windows and keeps the one of the largest error. Returns its error / bound. */
static double make_window(struct window *window, uint64_t seed, float sign)
{
    const double halo = (double)window->halo;
    /* Counts the roundings of both passes and a few more; pairs have half as many terms. */
    const double bound = 1.05 * 0x1p-53 * (window->order->pairs ? 2 * halo + 10 : 4 * halo + 12);
    struct window best = *window;
    double most = -INFINITY;

    for (uint64_t attempt = 0; attempt < ATTEMPTS; attempt++) {
        double error;

        choose_samples(window, (seed * ATTEMPTS + attempt) << 32);
        error = move_to_middle(window, sign);
        if (error > most) {
            most = error;
            best = *window;
        }
    }
    *window = best;
    return most / bound;
}

static void paint_window(const struct window *window, const struct view *view, int number)
{
    const int64_t side = 2 * window->halo + 1;
    const int64_t left = number % IN_ROW * side, top = number / IN_ROW * side;

    for (int64_t i = 0; i < side * side; i++)
        for (int32_t channel = 0; channel < view->channels; channel++) {
            const int64_t line = i / side, tap = i % side;
            const bool columns = window->order->columns_first;

            sample_set(view, top + (columns ? tap : line), left + (columns ? line : tap), channel,
                       float_bits(window->samples[line][tap]));
        }
}

/* Makes windows for each order, with errors of both signs. Raises most[order] to the largest error
 * / bound. */
static void make_windows(const struct request *request, float sign, struct window *windows,
                         double *most)
{
    for (int i = 0; i < WINDOWS; i++) {
        struct window *window = &windows[i];
        double part;

        *window = (struct window){.order = &orders[i % ORDERS],
                                  .request = request,
                                  .fused = i / ORDERS % 2,
                                  .wanted = i / ORDERS / 2 % 2 ? 1 : -1,
                                  .halo = request->halo_x};
        for (int64_t k = 0; k <= window->halo; k++)
            window->taps[k] = (double)request->weights_x[window->halo + k] * 0x1p-46;
        part = make_window(window, (uint64_t)i, sign);
        most[i % ORDERS] = fmax(most[i % ORDERS], part);
    }
}

/* Tests the variant on a picture of all windows. If `faint`, the picture also has a column of the
 * smallest float, 2^-149: a variant may have other loops for pictures with such samples. */
static int64_t check_picture(const struct subject *subject, const struct plane_filter *weights,
                             const struct window *windows, int32_t channels, bool faint)
{
    const int64_t side = 2 * weights->halo_x + 1;
    const struct shape shape = {.width = IN_ROW * side + 1,
                                .height = WINDOWS / IN_ROW * side,
                                .channels = channels,
                                .maxval = FLOAT_SAMPLES};
    struct trial trial;
    int64_t wrong;

    trial_open(&trial, &shape, weights);
    for (int i = 0; i < WINDOWS; i++)
        paint_window(&windows[i], &trial.src.view, i);
    for (int64_t y = 0; y < shape.height && faint; y++)
        for (int32_t channel = 0; channel < channels; channel++)
            sample_set(&trial.src.view, y, shape.width - 1, channel, 1);
    wrong = trial_run_all(&trial, subject);
    trial_close(&trial);
    if (wrong != 0)
        printf("%s: halo %d, %d channels%s: %lld samples wrong\n", subject->stem,
               (int)weights->halo_x, (int)channels, faint ? ", faint" : "", (long long)wrong);
    return wrong < 0 ? 1 : wrong;
}

static int64_t check_halo(const struct subject *subject, int64_t halo, double *most)
{
    static struct plane_filter weights;
    static struct window windows[WINDOWS];
    const struct filter_axis axis = {halo, 1e9};
    const struct filter filter = {axis, axis, NORM_SUM, EDGE_CLAMP};
    struct request request;
    struct error error;
    int64_t wrong = 0;

    if (plane_filter_make(&filter, &weights, &error) != STATUS_OK)
        exit(99);
    request_set_filter(&request, &weights);
    make_windows(&request, 1, windows, most);
    for (int i = 0; i < 4; i++)
        wrong += check_picture(subject, &weights, windows, 1 + i % 2, i >= 2);
    make_windows(&request, -1, windows, most);
    for (int i = 0; i < 2; i++)
        wrong += check_picture(subject, &weights, windows, 1 + i, false);
    return wrong;
}

int main(int argc, char **argv)
{
    static const int64_t halos[] = {1, 2, 3, 4, MOST_HALO};
    double most[ORDERS] = {0};
    int64_t wrong = 0;
    bool weak = false;
    struct subject subject;
    const int status = argc == 2 ? subject_open(&subject, argv[1]) : 2;

    if (status)
        return status;
    for (size_t h = 0; h < sizeof halos / sizeof *halos; h++)
        wrong += check_halo(&subject, halos[h], most);
    subject_close(&subject);
    for (int i = 0; i < ORDERS; i++) {
        printf("%s: %.3f of the bound\n", orders[i].name, most[i]);
        weak |= !(most[i] > 0.2 && most[i] <= 1);
    }
    printf("%s: %lld samples wrong\n", subject.stem, (long long)wrong);
    return wrong > 0 || weak;
}
