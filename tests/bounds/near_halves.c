/* SPDX-License-Identifier: MIT */
/* Compares a variant with the reference on the windows of near_halves.txt, whose results are halves
 * or next to halves, so that no estimate can decide which way to round.
 *
 *     near_halves STEM FILE
 *     near_halves --must-fail plain|mean STEM FILE     succeeds only if a sample of that kind of
 *                                                      window is wrong
 *
 * A line of the file: plain|mean HALO SIGMA NORM MAXVAL DISTANCE SEED PLACE:VALUE..., see
 * near_halves.py. Windows of one filter and kind lie side by side in one image. */
#include "kernels/common/exact.h"
#include "src/bench/run/plane.h"
#include "src/lib/filter/plan.h"
#include "kernels/common/sample.h"
#include "tests/bounds/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IN_IMAGE 8    /* windows */
#define ALONE_HALO 16 /* beyond it a window has an image of its own, of which a part is enough */
#define PART_WIDTH 19
#define PART_HEIGHT 3
#define ALPHA_SEED 1000 /* added to a window's seed for its alpha */

/* What the windows of an image have in common. */
struct kind {
    bool weighted;
    struct filter filter;
    uint32_t maxval;
};

struct window {
    struct kind kind;
    double distance; /* from a half, in units of 2^-92; of 2 N - (2 k + 1) A where alpha weighs */
    uint64_t seed;
    const char *values; /* the rest of the line */
};

struct counts {
    long windows, halves, images, samples, wrong;
};

static struct plane_filter weights;

static void stop(const char *what, const char *detail)
{
    fprintf(stderr, "near_halves: %s: %.60s\n", what, detail);
    exit(99);
}

static struct window read_window(const char *line)
{
    struct window window = {0};
    char kind[8], norm[16];
    long long halo;
    unsigned long long seed;
    unsigned maxval;
    int read = 0;

    if (sscanf(line, "%7s %lld %lf %15s %u %lf %llu %n", kind, &halo, &window.kind.filter.x.sigma,
               norm, &maxval, &window.distance, &seed, &read) != 7)
        stop("not a line of near_halves.txt", line);
    window.kind.weighted = strcmp(kind, "mean") == 0;
    window.kind.filter.x.halo = halo;
    window.kind.filter.y = window.kind.filter.x;
    window.kind.filter.norm = strcmp(norm, "sum") == 0 ? NORM_SUM : NORM_ANALYTIC;
    window.kind.maxval = maxval;
    window.seed = seed;
    window.values = line + read;
    return window;
}

static bool same_kind(const struct kind *a, const struct kind *b)
{
    return a->weighted == b->weighted && a->filter.x.halo == b->filter.x.halo &&
           a->filter.x.sigma == b->filter.x.sigma && a->filter.norm == b->filter.norm &&
           a->maxval == b->maxval;
}

static uint32_t background(uint64_t seed, int64_t place, uint32_t maxval)
{
    const uint64_t bits = trial_hash(seed << 32 | (uint64_t)place);

    return seed & 1 ? (uint32_t)(bits & 1) * maxval : (uint32_t)(bits % (maxval + 1));
}

/* Paints what a seed gives for a window around the pixel (x, y). */
static void paint_background(const struct window *window, uint64_t seed, const struct view *view,
                             int64_t x, int64_t y, int32_t channel)
{
    const int64_t halo = window->kind.filter.x.halo, side = 2 * halo + 1;

    for (int64_t i = 0; i < side * side; i++)
        sample_set(view, y - halo + i / side, x - halo + i % side, channel,
                   background(seed, i, window->kind.maxval));
}

/* The same by the window's seed, and the samples that its line lists. */
static void paint(const struct window *window, const struct view *view, int64_t x, int64_t y,
                  int32_t channel)
{
    const int64_t halo = window->kind.filter.x.halo, side = 2 * halo + 1;
    const char *next = window->values;
    long long place;
    unsigned value;
    int read;

    paint_background(window, window->seed, view, x, y, channel);
    while (sscanf(next, "%lld:%u %n", &place, &value, &read) == 2) {
        sample_set(view, y - halo + place / side, x - halo + place % side, channel, value);
        next += read;
    }
}

/* The exact sums around (x, y), of colours, and of alpha where it weighs. */
static uint128 sum_window(const struct trial *trial, int64_t x, int64_t y, bool colours)
{
    const struct request *request = &trial->request;
    uint128 total = u128_of(0, 0);

    for (int64_t i = -request->halo_y; i <= request->halo_y; i++) {
        uint128 row = u128_of(0, 0);

        for (int64_t j = -request->halo_x; j <= request->halo_x; j++) {
            const uint64_t first = sample_get(&request->src, y + i, x + j, 0);
            const uint64_t last =
                request->weighted ? sample_get(&request->src, y + i, x + j, 1) : 1;

            exact_add(&row, request->weights_x[request->halo_x + j], colours ? first * last : last);
        }
        exact_add_sum(&total, request->weights_y[request->halo_y + i], row);
    }
    return total;
}

static double to_double(uint128 number)
{
    return ldexp((double)u128_high(number), 64) + (double)u128_low(number);
}

/* The distance of the exact total from a half, (k + 1/2) unit, as struct window has it: where alpha
 * weighs it is doubled, so that it is whole. */
static double distance_of(const struct trial *trial, int64_t x, int64_t y)
{
    const bool weighted = trial->request.weighted;
    const uint128 total = sum_window(trial, x, y, true);
    const uint128 unit =
        weighted ? sum_window(trial, x, y, false) : u128_shift_left(u128_of(0, 1), 2 * WEIGHT_BITS);
    uint128 rest;

    u128_divide(total, unit, &rest);
    rest = u128_shift_left(rest, 1);
    const double twice = u128_less(rest, unit) ? -to_double(u128_subtract(unit, rest))
                                               : to_double(u128_subtract(rest, unit));
    return weighted ? twice : twice / 2;
}

static void check_distance(const struct trial *trial, const struct window *window, int64_t x,
                           int64_t y, struct counts *counts)
{
    const double distance = distance_of(trial, x, y);

    counts->windows++;
    counts->halves += distance == 0;
    if (fabs(distance - window->distance) <= 1e-12 * fabs(distance))
        return;
    fprintf(stderr, "near_halves: a window is %g from a half, and should be %g\n", distance,
            window->distance);
    exit(99);
}

/* The windows side by side around row y, from x on; in each further channel others, or alpha. */
static void paint_all(const struct window *windows, int count, const struct view *view, int64_t x,
                      int64_t y)
{
    const int64_t side = 2 * windows[0].kind.filter.x.halo + 1;
    const bool weighted = windows[0].kind.weighted;

    for (int i = 0; i < count; i++) {
        for (int32_t channel = 0; channel < view->channels - weighted; channel++)
            paint(&windows[(i + channel) % count], view, x + i * side, y, channel);
        if (weighted)
            paint_background(&windows[i], windows[i].seed + ALPHA_SEED, view, x + i * side, y, 1);
    }
}

/* Runs the windows, all of one kind, side by side in one image, unless the variant refuses them. */
static void run_image(const struct subject *subject, const struct window *windows, int count,
                      int32_t channels, struct counts *counts)
{
    const struct kind *kind = &windows[0].kind;
    const int64_t side = 2 * kind->filter.x.halo + 1;
    const bool alone = kind->filter.x.halo > ALONE_HALO;
    const struct shape shape = {.width = alone ? PART_WIDTH : count * side,
                                .height = alone ? PART_HEIGHT : side,
                                .channels = channels,
                                .maxval = kind->maxval};
    const int64_t x = alone ? PART_WIDTH / 2 : kind->filter.x.halo, y = shape.height / 2;
    struct trial trial;
    struct plan plan = {.state = NULL};
    struct error error;

    if (plane_filter_make(&kind->filter, &weights, &error) != STATUS_OK)
        stop("no weights", error.text);
    trial_open(&trial, &shape, &weights);
    trial.request.weighted = kind->weighted;
    if (plan_make(subject->variant, &trial.request, &plan, &error) != STATUS_OK) {
        plan_free(&plan);
        trial_close(&trial);
        return;
    }
    plan_free(&plan);
    paint_all(windows, count, &trial.request.src, x, y);
    for (int i = 0; i < count; i++)
        check_distance(&trial, &windows[i], x + i * side, y, counts);
    const int64_t wrong = trial_run_all(&trial, subject);

    if (wrong != 0)
        printf("%s: WRONG: %s, halo %d, sigma %g, norm %s, maxval %u\n", subject->stem,
               kind->weighted ? "mean" : "plain", (int)kind->filter.x.halo,
               gauss_sigma(&kind->filter.x), kind->filter.norm == NORM_SUM ? "sum" : "analytic",
               (unsigned)kind->maxval);
    counts->images++;
    counts->samples += (long)(shape.width * shape.height * shape.channels);
    counts->wrong += wrong < 0 ? 1 : (long)wrong;
    trial_close(&trial);
}

/* Grey, and as colours, which have paths of their own: of two, three and four channels by turns. */
static void run_images(const struct subject *subject, const struct window *windows, int count,
                       struct counts *counts)
{
    static int32_t turn;
    const bool weighted = windows[0].kind.weighted;

    run_image(subject, windows, count, weighted ? 2 : 1, counts);
    if (!weighted && windows[0].kind.filter.x.halo <= ALONE_HALO)
        run_image(subject, windows, count, 2 + turn++ % 3, counts);
}

/* Cuts the file's text to lines. only: NULL, or the first word of the lines to take. */
static void run_windows(const struct subject *subject, char *text, const char *only,
                        struct counts *counts)
{
    struct window windows[IN_IMAGE];
    int count = 0;

    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (only && strncmp(line, only, strlen(only)) != 0)
            continue;
        const struct window window = read_window(line);
        const int most = window.kind.filter.x.halo > ALONE_HALO ? 1 : IN_IMAGE;

        if (count > 0 && (count >= most || !same_kind(&window.kind, &windows[0].kind))) {
            run_images(subject, windows, count, counts);
            count = 0;
        }
        windows[count++] = window;
    }
    if (count > 0)
        run_images(subject, windows, count, counts);
}

static char *read_text(const char *path)
{
    enum { MOST = 1 << 20 };
    char *text = calloc(1, MOST);
    FILE *file = fopen(path, "r");

    if (!text || !file || fread(text, 1, MOST, file) >= MOST)
        stop("cannot be read", path);
    fclose(file);
    return text;
}

int main(int argc, char **argv)
{
    const bool must_fail = argc > 1 && strcmp(argv[1], "--must-fail") == 0;
    char **words = argv + (must_fail ? 3 : 1); /* STEM FILE */
    struct counts counts = {0};
    struct subject subject;
    int status;

    if (words + 2 != argv + argc)
        return 2;
    char *text = read_text(words[1]);

    status = subject_open(&subject, words[0]);
    if (status == 0)
        run_windows(&subject, text, must_fail ? argv[2] : NULL, &counts);
    subject_close(&subject);
    free(text);
    if (status != 0)
        return status;
    printf("%s: %ld windows, %ld of them exact halves; %ld images, %ld samples, %ld wrong\n",
           subject.stem, counts.windows, counts.halves, counts.images, counts.samples,
           counts.wrong);
    return (counts.wrong > 0) != must_fail || counts.halves == 0;
}
