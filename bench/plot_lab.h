/* SPDX-License-Identifier: MIT */
/* The panels of the memory suite's page. Each is drawn from y on, and returns the y below it. */
#ifndef SMOOTHIMG_PLOT_LAB_H
#define SMOOTHIMG_PLOT_LAB_H

#include "lab_results.h"
#include "plot_draw.h"

/* Operations a second over operations for a byte, both on logarithmic scales, under the roofs of
 * the GPU's memory and arithmetic, or, without GPU rows, under that of the CPU's memory. Nothing
 * where no row has operations. */
double draw_roofline(cairo_t *cairo, const struct lab_results *results, double y);

/* Bars for a group's rows, from its foot up. */
double draw_ladder(cairo_t *cairo, const struct lab_results *results, const struct lab_group *group,
                   double y);

/* Is it the group that the roofs come from? It is drawn as such, and not as rows. */
bool is_roofs(const struct lab_group *group);

#endif
