/* SPDX-License-Identifier: MIT */
/* Searches the windows of one filter, by simulated annealing, for the largest error of a path (a
 * kernel's method of estimating results, attack.h). */
#ifndef SMOOTHIMG_ANNEALING_H
#define SMOOTHIMG_ANNEALING_H

#include "tests/bounds/attack/attack.h"
#include "kernels/common/u128.h"

#define ATTACK_MAX_TAPS (2 * ATTACK_MAX_HALO + 1)

/* The windows of one filter. The search pushes the errors of even windows upwards, and the errors
 * of odd windows downwards. */
struct annealing {
    const struct attack_path *path;
    const struct request *request;
    struct attack_limits limits;
    /* How many lanes the path has, lines a window has, and taps a line has. The path estimates one
     * window in each lane; a weighted path, which computes means, one in every two lanes. */
    int lanes, lines, taps;
    uint16_t *samples; /* [line][tap][lane] */
    /* The samples of the line that the current step changes, before the step: [tap][lane]. */
    uint16_t before[ATTACK_MAX_TAPS * ATTACK_MAX_LANES];
    /* By lane: the only tap of this line whose sample the step has changed; or -1 if the step may
     * have changed several. */
    int moved[ATTACK_MAX_LANES];
    /* The exact weighted sum over each lane's window, in units of 2^-92. In a weighted path, a
     * colour's samples are multiplied by alpha, and the next lane has the weighted sum of alpha. */
    uint128 totals[ATTACK_MAX_LANES], totals_before[ATTACK_MAX_LANES];
    double scores[ATTACK_MAX_LANES]; /* error / bound, negated for odd windows */
    /* How many random numbers have been drawn; number i is the hash of i. */
    uint64_t random;

    /* The results. */
    double largest; /* |error| / bound */
    long windows;   /* windows that were estimated */
    long wrong;     /* windows whose error is so large that the path may round them wrongly */
};

/* Changes the windows of a filter `steps` times. The caller sets path, request, limits, random and
 * samples, which has space for all windows. Sets the results to 0 first. */
void anneal(struct annealing *annealing, long steps);

#endif
