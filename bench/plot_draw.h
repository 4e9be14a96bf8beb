/* SPDX-License-Identifier: MIT */
/* What the plots' parts share: a page of panels, and pens. Units are points. */
#ifndef SMOOTHIMG_PLOT_DRAW_H
#define SMOOTHIMG_PLOT_DRAW_H

#include "plot.h"

#include <cairo.h>

#define PAGE_WIDTH 760.0
#define MARGIN 24.0
#define TEXT_SIZE 12.0
#define MAX_SWEEP 32 /* groups in a panel */

/* The rows of one place: of one group, or of several that differ in their halo. */
struct panel {
    const struct group *groups[MAX_SWEEP];
    int count;
    enum place place;
};

enum ink { INK_TEXT, INK_FAINT, INK_GRID, INK_ROOF, INK_BAD, INK_OWN, INK_PEER };

void draw_ink(cairo_t *cairo, enum ink ink);

/* That of the page behind everything. */
void draw_page_colour(cairo_t *cairo);

/* One of a row of colours that can be told apart, by colour-blind eyes too. */
void draw_colour(cairo_t *cairo, int number);

/* Text whose baseline's point (x, y) is at its left (align 0), middle (0.5) or right (1). */
void draw_text(cairo_t *cairo, double x, double y, double align, const char *text);

void draw_line(cairo_t *cairo, double x1, double y1, double x2, double y2);

/* The line that says what was measured where, from (MARGIN, y) on; returns the y below. */
double draw_machine(cairo_t *cairo, const struct machine *machine, double y);

/* A panel's two lines of heading, from (MARGIN, y) on; returns the y below. */
double draw_heading(cairo_t *cairo, const char *title, const char *about, double y);

/* Paints a page of results and returns its height; page_write writes it as SVG or PNG, by the
 * path's ending, whole or not at all. */
typedef double page_painter(cairo_t *cairo, const void *results);
enum status page_write(const char *path, page_painter *paint, const void *results,
                       struct error *error);

/* The heading of a panel of variants. */
double draw_title(cairo_t *cairo, const struct panel *panel, const char *unit, double y);

/* Draw a panel from y on, and return the y below it. */
double draw_bars(cairo_t *cairo, const struct panel *panel, double y);
double draw_halos(cairo_t *cairo, const struct panel *panel, double y);

#endif
