/* SPDX-License-Identifier: MIT */
/* Searches for the windows on which a fast path's estimate is furthest off. For C and C++. A path
 * estimates `lanes` windows at once, with its own loops: a first pass over the 2 halo_y + 1 lines
 * of a window, with 2 halo_x + 1 taps each, then a second one over the sums of the lines. With
 * columns_first, lines are columns instead. Its result, before it is cut to a whole number, is t =
 * v + 1/2 + d, with least <= d <= most for the exact value v, where least and most are the path's
 * claimed bounds. The path is right as long as `from` <= d < `to`: outside it accepts wrong
 * samples. */
#ifndef SMOOTHIMG_ATTACK_H
#define SMOOTHIMG_ATTACK_H

#include "kernels/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ATTACK_MAX_LANES 128
#define ATTACK_MAX_HALO 300

/* In grey levels. */
struct attack_limits {
    double least, most, from, to;
};

enum attack_service {
    DECLINES,    /* another path takes the request */
    REPAIRS_ALL, /* no estimate is believed */
    SERVES
};

struct attack_path {
    const char *name;
    int lanes;     /* windows; where alpha weighs samples, a colour and its alpha are two lanes */
    bool weighted; /* alpha weighs: v is a mean */
    /* The limits of the largest ratio of error to bound. Above 1 the bound is too small. Below the
     * floor the attack finds nothing; above the ceiling the bound is less careful than it was. They
     * are less than a factor of 4 apart, so that a bound divided by 4 fails. */
    double floor, ceiling;
    double useful; /* no bound may be larger, in grey levels; below 1/2 */

    /* Begins a request: halos, weights, maxval, and src without samples. */
    enum attack_service (*open)(const struct request *request, struct attack_limits *limits);
    /* First pass: samples[tap * lanes + lane] of a line. */
    void (*sum_line)(int64_t line, const uint16_t *samples);
    /* Second pass: t of each lane; for a weighted path, of the colours' lanes only. NAN: no value.
     */
    void (*estimate)(double *t);
    bool columns_first;
};

/* Attacks each path, prints a table, and returns the program's exit status. It takes up to three
 * arguments: EVERY (default: `every`), to try each EVERYth filter, prime to the lengths of the
 * lists in attack.c; STEPS, the number of changes to each window; and NAME, to attack only the
 * paths whose names begin so. */
int attack_main(const struct attack_path *const *paths, int count, int every, int argc,
                char **argv);

#ifdef __cplusplus
}
#endif

#endif
