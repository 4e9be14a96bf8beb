/* SPDX-License-Identifier: MIT */
/* Searches for windows of samples that a fast path estimates with the largest error.
 *
 * A path is a kernel's method of estimating results. It estimates `lanes` windows at once, one in
 * each lane, by the kernel's own loops. Its first pass computes a sum of 2 halo_x + 1 taps for each
 * of the 2 halo_y + 1 lines of a window. Its second pass adds the sums of the lines. A line is a
 * row; with columns_first it is a column, and halo_x and halo_y change places.
 *
 * The estimate of an exact value v is t = v + 1/2 + d, which the path truncates to an integer. The
 * path claims that the error d satisfies least <= d <= most. It accepts no wrong sample as long as
 * `from` <= d < `to` (struct attack_limits). */
#ifndef SMOOTHIMG_ATTACK_H
#define SMOOTHIMG_ATTACK_H

#include "kernels/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ATTACK_MAX_LANES 128
#define ATTACK_MAX_HALO 300

/* Limits of an estimate's error d, in grey levels. The path claims that least <= d <= most; it
 * accepts no wrong sample as long as from <= d < to. The bound is (most - least) / 2. "error /
 * bound" is d, minus the middle of least and most, divided by the bound. */
struct attack_limits {
    double least, most, from, to;
};

enum attack_service {
    DECLINES, /* the path does not compute this request; another one may */
    SERVES
};

struct attack_path {
    const char *name;
    /* The path estimates this many windows at once, each in one lane. In a weighted path a window
     * takes two lanes: one for a colour and the next one for its alpha. */
    int lanes;
    bool weighted; /* the exact value is a mean of colours, weighted by alpha */
    /* The range in which the largest error / bound must be. Above 1, the bound is too small. Below
     * `floor`, the search is too weak. Above `ceiling`, somebody has made the bound smaller. Floor
     * and ceiling are less than a factor of 4 apart, so that the test fails if the bound becomes a
     * quarter of what it was. */
    double floor, ceiling;
    double useful; /* the test fails if the bound is larger; in grey levels, below 1/2 */

    /* Prepares for a request, which has halos, weights, maxval, and src without samples. Sets
     * *limits if it returns SERVES. */
    enum attack_service (*open)(const struct request *request, struct attack_limits *limits);
    /* First pass: for the window of each lane, sums the line with this index. The line's samples
     * are samples[tap * lanes + lane]. */
    void (*sum_line)(int64_t line, const uint16_t *samples);
    /* Second pass: sets t[lane] to the estimate of the lane's window, or to NAN if it has none. A
     * weighted path sets only the estimates of the lanes of colours. */
    void (*estimate)(double *t);
    bool columns_first;
};

/* Tests the error bound of each path, prints a table, and returns the exit status. The arguments
 * are EVERY, STEPS and NAME, all optional. Every EVERYth filter is tried (default: `every`). All
 * values of the lists in attack.c are tried if EVERY is less than the length of halos[] there,
 * which is a prime number. STEPS counts the changes to a window. Tests only paths whose names begin
 * with NAME. */
int attack_main(const struct attack_path *const *paths, int count, int every, int argc,
                char **argv);

#ifdef __cplusplus
}
#endif

#endif
