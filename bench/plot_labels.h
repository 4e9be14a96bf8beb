/* SPDX-License-Identifier: MIT */
/* Labels beside points, placed so that none lies on another, on a point or on a line. */
#ifndef SMOOTHIMG_PLOT_LABELS_H
#define SMOOTHIMG_PLOT_LABELS_H

#include <cairo.h>
#include <stdbool.h>

#define MAX_BOXES 1024

struct box {
    double left, top, right, bottom;
};

/* What is taken already, and the frame that labels stay in. */
struct boxes {
    struct box frame;
    struct box list[MAX_BOXES];
    int count;
};

/* Takes a place; what does not fit into the list is not minded. */
void boxes_take(struct boxes *boxes, struct box box);

/* Takes the places along a line. */
void boxes_take_line(struct boxes *boxes, double x1, double y1, double x2, double y2);

/* Draws the text near the point (x, y), in the cairo's colour, where there is room, with a thin
 * line to the point where that is not right beside it; takes its place. False, and nothing drawn,
 * where there is no room at all. */
bool boxes_label(struct boxes *boxes, cairo_t *cairo, double x, double y, const char *text);

#endif
