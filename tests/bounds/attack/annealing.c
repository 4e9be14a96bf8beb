/* SPDX-License-Identifier: MIT */
#include "tests/bounds/attack/annealing.h"

#include "tests/bounds/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HOT 0.05   /* the initial temperature, relative to the largest score */
#define WHOLE (-1) /* in annealing->moved: any tap of the line may have changed */

__extension__ typedef __int128 difference;

static uint64_t next_random(struct annealing *annealing)
{
    return trial_hash(annealing->random++);
}

static uint32_t below(struct annealing *annealing, uint32_t end)
{
    return (uint32_t)((next_random(annealing) >> 32) * end >> 32);
}

static uint16_t *sample(const struct annealing *annealing, int line, int tap, int lane)
{
    return annealing->samples + ((int64_t)line * annealing->taps + tap) * annealing->lanes + lane;
}

static uint128 weight(const struct annealing *annealing, int line, int tap)
{
    if (annealing->path->columns_first)
        return (uint128)annealing->request->weights_x[line] * annealing->request->weights_y[tap];
    return (uint128)annealing->request->weights_y[line] * annealing->request->weights_x[tap];
}

/* Changes a sample, and updates the exact totals. In a weighted path, which computes means of
 * colours weighted by alpha, even lanes are colours and odd lanes their alpha. */
static void change(struct annealing *annealing, int line, int tap, int lane, uint32_t value)
{
    uint16_t *at = sample(annealing, line, tap, lane);
    const uint128 w = weight(annealing, line, tap);

    if (!annealing->path->weighted) {
        annealing->totals[lane] += w * value - w * *at;
    } else if (lane % 2 == 0) {
        annealing->totals[lane] += w * at[1] * value - w * at[1] * *at;
    } else {
        annealing->totals[lane - 1] += w * at[-1] * value - w * at[-1] * *at;
        annealing->totals[lane] += w * value - w * *at;
    }
    *at = (uint16_t)value;
}

/* --- Scores. */

/* Returns the error d = t - v - 1/2 of the estimate t, in grey levels; v is the exact value
 * (attack.h). The difference is exact before it becomes a double, except for bits of t below 2^-92;
 * for a mean, it is rounded. */
static double error_of(const struct annealing *annealing, int lane, double t)
{
    const uint128 half = (uint128)1 << 91;

    if (!(fabs(t) < 1 << 20))
        return INFINITY;
    if (!annealing->path->weighted)
        return (double)((difference)ldexp(t, 92) - (difference)(annealing->totals[lane] + half)) *
               0x1p-92;
    const uint128 whole = annealing->totals[lane] / annealing->totals[lane + 1];
    const uint128 rest = annealing->totals[lane] % annealing->totals[lane + 1];

    return (double)((long double)(t - (double)whole) -
                    (long double)rest / (long double)annealing->totals[lane + 1] - 0.5L);
}

/* Returns error / bound (struct attack_limits) of the estimate t. The sign is changed in every
 * second window, so that the search looks for negative errors there. */
static double score_of(struct annealing *annealing, int lane, double t)
{
    const struct attack_limits *limits = &annealing->limits;
    const int window = annealing->path->weighted ? lane / 2 : lane;
    const double bound = (limits->most - limits->least) / 2;

    if (isnan(t))
        return -INFINITY;
    const double error = error_of(annealing, lane, t);
    const double ratio = (error - limits->least) / bound - 1;

    annealing->windows++;
    annealing->wrong += error < limits->from || error >= limits->to;
    annealing->largest = fmax(annealing->largest, fabs(ratio));
    return window % 2 ? -ratio : ratio;
}

static void score(struct annealing *annealing, double *scores)
{
    double t[ATTACK_MAX_LANES];

    annealing->path->estimate(t);
    for (int lane = 0; lane < annealing->lanes; lane += annealing->path->weighted ? 2 : 1)
        scores[lane] = score_of(annealing, lane, t[lane]);
}

/* --- Moves. */

static uint32_t new_value(struct annealing *annealing, uint32_t old)
{
    const uint32_t maxval = annealing->request->maxval;

    switch (below(annealing, 6)) {
    case 0:
        return 0;
    case 1:
        return maxval;
    case 2:
        return old > 0 ? old - 1 : maxval;
    case 3:
        return old < maxval ? old + 1 : 0;
    case 4:
        return maxval - old;
    default:
        return below(annealing, maxval + 1);
    }
}

/* Changes a whole line of a window. The line becomes a copy of another line, or white near its
 * centre and black at its ends, or black near its centre and white at its ends. */
static void move_line(struct annealing *annealing, int line, int lane)
{
    const int other = (int)below(annealing, (uint32_t)annealing->lines);
    const int reach = (int)below(annealing, (uint32_t)annealing->taps), half = annealing->taps / 2;
    const uint32_t bits = below(annealing, 4);

    for (int tap = 0; tap < annealing->taps; tap++) {
        const bool inside = abs(tap - half) <= reach / 2;
        const uint32_t pattern = inside == (bits & 1) ? annealing->request->maxval : 0;

        change(annealing, line, tap, lane,
               bits & 2 ? pattern : *sample(annealing, other, tap, lane));
    }
}

/* Changes the sample at one tap of a line, and sometimes also the sample at the mirrored tap. */
static void move_tap(struct annealing *annealing, int line, int lane)
{
    const int tap = (int)below(annealing, (uint32_t)annealing->taps);

    annealing->moved[lane] = tap;
    change(annealing, line, tap, lane, new_value(annealing, *sample(annealing, line, tap, lane)));
    if (below(annealing, 4) > 0 || 2 * tap + 1 == annealing->taps)
        return;
    annealing->moved[lane] = WHOLE;
    change(annealing, line, annealing->taps - 1 - tap, lane, *sample(annealing, line, tap, lane));
}

static void move(struct annealing *annealing, int line)
{
    const int step = annealing->path->weighted ? 2 : 1;

    for (int window = 0; window < annealing->lanes; window += step) {
        const int lane = window + (int)below(annealing, (uint32_t)step);

        annealing->moved[lane] = WHOLE;
        if (step == 2)
            annealing->moved[lane ^ 1] = WHOLE;
        if (below(annealing, 8) == 0)
            move_line(annealing, line, lane);
        else
            move_tap(annealing, line, lane);
    }
}

static void undo(struct annealing *annealing, int line, int lane)
{
    const int first = annealing->moved[lane] == WHOLE ? 0 : annealing->moved[lane];
    const int last = annealing->moved[lane] == WHOLE ? annealing->taps - 1 : annealing->moved[lane];

    for (int tap = first; tap <= last; tap++)
        *sample(annealing, line, tap, lane) = annealing->before[tap * annealing->lanes + lane];
    annealing->totals[lane] = annealing->totals_before[lane];
}

/* Undoes those changes that lower a window's score (score_of) by more than the temperature allows.
 * Keeps the other changes, and records the new scores of their windows. */
static void settle(struct annealing *annealing, int line, const double *scores, double temperature)
{
    bool undone = false;

    for (int lane = 0; lane < annealing->lanes; lane++) {
        const int window = annealing->path->weighted ? lane - lane % 2 : lane;
        const double slack =
            temperature * annealing->largest * (double)below(annealing, 1000) / 1000;

        if (lane == window && scores[lane] >= annealing->scores[lane] - slack) {
            annealing->scores[lane] = scores[lane];
            lane += annealing->path->weighted ? 1 : 0;
            continue;
        }
        undo(annealing, line, lane);
        undone = true;
    }
    if (undone)
        annealing->path->sum_line(line, sample(annealing, line, 0, 0));
}

static void begin(struct annealing *annealing)
{
    memset(annealing->totals, 0, sizeof annealing->totals);
    memset(annealing->samples, 0,
           (size_t)(annealing->lines * annealing->taps * annealing->lanes) *
               sizeof *annealing->samples);
    for (int line = 0; line < annealing->lines; line++) {
        for (int lane = 0; lane < annealing->lanes; lane++)
            for (int tap = 0; tap < annealing->taps; tap++) {
                const uint32_t noise = below(annealing, annealing->request->maxval + 1);
                const uint32_t rail = noise & 1 ? annealing->request->maxval : 0;

                change(annealing, line, tap, lane, lane % 4 < 2 ? noise : rail);
            }
        annealing->path->sum_line(line, sample(annealing, line, 0, 0));
    }
    score(annealing, annealing->scores);
}

void anneal(struct annealing *annealing, long steps)
{
    const struct request *request = annealing->request;
    const bool columns_first = annealing->path->columns_first;
    double scores[ATTACK_MAX_LANES];

    annealing->lanes = annealing->path->lanes;
    annealing->lines = (int)(2 * (columns_first ? request->halo_x : request->halo_y) + 1);
    annealing->taps = (int)(2 * (columns_first ? request->halo_y : request->halo_x) + 1);
    annealing->largest = 0;
    annealing->windows = annealing->wrong = 0;
    begin(annealing);
    for (long i = 0; i < steps; i++) {
        const int line = (int)below(annealing, (uint32_t)annealing->lines);
        const double left = 1 - (double)i / (double)steps;
        const size_t bytes =
            (size_t)(annealing->taps * annealing->lanes) * sizeof *annealing->before;

        memcpy(annealing->before, sample(annealing, line, 0, 0), bytes);
        memcpy(annealing->totals_before, annealing->totals, sizeof annealing->totals);
        move(annealing, line);
        annealing->path->sum_line(line, sample(annealing, line, 0, 0));
        score(annealing, scores);
        settle(annealing, line, scores, HOT * left * left);
    }
}
