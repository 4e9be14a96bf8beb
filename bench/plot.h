/* SPDX-License-Identifier: MIT */
/* Pictures of the results, drawn by cairo: SVG and PNG from the same lines. plot_none.c stands in
 * where cairo is not built in, and says so. */
#ifndef SMOOTHIMG_PLOT_H
#define SMOOTHIMG_PLOT_H

#include "lab_results.h"
#include "results.h"

/* Can a plot of that name be drawn? STATUS_USAGE for another ending than .svg and .png,
 * STATUS_UNSUPPORTED without cairo. To be asked before hours of measuring. */
enum status plot_check(const char *path, struct error *error);

/* Draws all groups: bars for the rows of a place, with the copy's rate as their roof; and where a
 * group was measured with several halos, time over halo instead. STATUS_OUTPUT if the file cannot
 * be written: it appears whole or not at all. */
enum status plot_write(const char *path, const struct results *results, struct error *error);

/* Draws the memory suite: its roofline and its ladders. As plot_write. */
enum status plot_write_lab(const char *path, const struct lab_results *results,
                           struct error *error);

/* Of the cairo in use, or NULL. */
const char *plot_cairo_version(void);

#endif
