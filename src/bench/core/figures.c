/* SPDX-License-Identifier: MIT */
/* Computes the numbers, such as GB/s, that the table and the JSON document have for each row. */
#include "src/bench/core/suite.h"

/* Defines a function NAME that computes a figure of a row, for the member `value` of struct figure.
 * EXPRESSION computes the figure from results, group and row. Its value 0 means that the figure is
 * unknown: NAME then returns -1. */
#define FIGURE(NAME, EXPRESSION)                                                                   \
    static double NAME(const struct results *results, const struct group *group,                   \
                       const struct row *row)                                                      \
    {                                                                                              \
        const double value = (EXPRESSION);                                                         \
                                                                                                   \
        (void)results, (void)group, (void)row;                                                     \
        return value > 0 ? value : -1;                                                             \
    }

FIGURE(median, row->median)
FIGURE(best, row->best)
FIGURE(gigabytes, row_rate(row) / 1e9)
FIGURE(share, row_share(results, group, row))
FIGURE(gain, row_gain(results, group, row))
FIGURE(repeats, row->repeats)
FIGURE(pixels, (double)row->pixels)
FIGURE(gigapixels, row->median > 0 ? (double)row->pixels / row->median / 1e9 : 0)
FIGURE(bytes, (double)row->bytes)
FIGURE(flops, row->flops)
FIGURE(gigaflops, row_flop_rate(row) / 1e9)
FIGURE(intensity, row_intensity(row))
FIGURE(asked_bytes, row->asked)
FIGURE(asked_intensity, row_asked_intensity(row))

/* Returns the largest error of the row's result as a share of its allowed bound. Does not use
 * FIGURE, because here 0 is a valid value. */
static double share_of_bound(const struct results *results, const struct group *group,
                             const struct row *row)
{
    (void)results, (void)group;
    return row->exact || !row->shows ? -1 : row->worst;
}

const struct figure figures[] = {
    {"median", 10, seconds_cell, "median_s", median},
    {"best", 11, seconds_cell, "best_s", best},
    {"GB/s", 9, number_cell, "gb_per_s", gigabytes},
    {"of copy", 9, share_cell, "share_of_copy", share},
    {"gain", 8, gain_cell, "gain", gain},
    {NULL, 0, NULL, "repeats", repeats},
    {NULL, 0, NULL, "pixels", pixels},
    {NULL, 0, NULL, "gpx_per_s", gigapixels},
    {NULL, 0, NULL, "bytes", bytes},
    {NULL, 0, NULL, "flops", flops},
    {NULL, 0, NULL, "gflop_per_s", gigaflops},
    {NULL, 0, NULL, "flop_per_byte", intensity},
    {NULL, 0, NULL, "asked_bytes", asked_bytes},
    {NULL, 0, NULL, "flop_per_asked_byte", asked_intensity},
    {NULL, 0, NULL, "share_of_bound", share_of_bound},
    {.value = NULL},
};
