/* SPDX-License-Identifier: MIT */
/* The figures that both suites have. */
#ifndef SMOOTHIMG_FIGURES_H
#define SMOOTHIMG_FIGURES_H

#include "src/bench/core/suite.h"

/* Defines the function `value` of a struct figure by an expression of results, group and row. An
 * expression of 0 means not known. */
#define FIGURE(NAME, EXPRESSION)                                                                   \
    static double NAME(const struct results *results, const struct group *group,                   \
                       const struct row *row)                                                      \
    {                                                                                              \
        const double value = (EXPRESSION);                                                         \
                                                                                                   \
        (void)results, (void)group, (void)row;                                                     \
        return value > 0 ? value : -1;                                                             \
    }

FIGURE(figure_median, row->median)
FIGURE(figure_best, row->best)
FIGURE(figure_gigabytes, row_rate(row) / 1e9)
FIGURE(figure_share, row_share(results, group, row))
FIGURE(figure_repeats, row->repeats)
FIGURE(figure_bytes, (double)row->bytes)

#endif
