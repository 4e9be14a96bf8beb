/* SPDX-License-Identifier: MIT */
#include "plot_labels.h"

#include <math.h>

#define POINT 6.0   /* from a point's middle to its label */
#define ASCENT 9.0  /* of the text, above its baseline */
#define DESCENT 3.0 /* below it */
#define RING 11.0   /* between the rings on which labels are tried */
#define MAX_RINGS 14
#define DIRECTIONS 16
#define LINE_STEP 4.0 /* between the boxes along a line */

void boxes_take(struct boxes *boxes, struct box box)
{
    if (boxes->count < MAX_BOXES)
        boxes->list[boxes->count++] = box;
}

void boxes_take_line(struct boxes *boxes, double x1, double y1, double x2, double y2)
{
    const double length = hypot(x2 - x1, y2 - y1);
    const int steps = (int)(length / LINE_STEP) + 1;

    for (int i = 0; i <= steps; i++) {
        const double x = x1 + (x2 - x1) * i / steps, y = y1 + (y2 - y1) * i / steps;

        boxes_take(boxes, (struct box){x - 1, y - 1, x + 1, y + 1});
    }
}

static bool is_free(const struct boxes *boxes, struct box box)
{
    if (box.left < boxes->frame.left || box.right > boxes->frame.right ||
        box.top < boxes->frame.top || box.bottom > boxes->frame.bottom)
        return false;
    for (int i = 0; i < boxes->count; i++)
        if (box.left < boxes->list[i].right && boxes->list[i].left < box.right &&
            box.top < boxes->list[i].bottom && boxes->list[i].top < box.bottom)
            return false;
    return true;
}

/* The box of a text that hangs on the ring's point (x, y), on the side that faces away from the
 * middle. */
static struct box hang(double x, double y, double away, double width)
{
    const double left = away > 0.1 ? x : away < -0.1 ? x - width : x - width / 2;

    return (struct box){left, y - (ASCENT + DESCENT) / 2, left + width, y + (ASCENT + DESCENT) / 2};
}

bool boxes_label(struct boxes *boxes, cairo_t *cairo, double x, double y, const char *text)
{
    cairo_text_extents_t extents;

    cairo_text_extents(cairo, text, &extents);
    for (int ring = 0; ring < MAX_RINGS; ring++)
        for (int i = 0; i < DIRECTIONS; i++) {
            /* To the right first, then to the left, then away from the level, by turns. */
            const double turn = (i / 4) * (M_PI / 8) * (i % 4 < 2 ? 1 : -1);
            const double angle = i % 2 == 0 ? turn : M_PI - turn;
            const double radius = POINT + RING * ring, away = cos(angle);
            const double near_x = x + radius * away, near_y = y - radius * sin(angle);
            const struct box box = hang(near_x, near_y, away, extents.x_advance);

            if (!is_free(boxes, box))
                continue;
            boxes_take(boxes, box);
            if (ring > 0) {
                cairo_set_line_width(cairo, 0.6);
                cairo_move_to(cairo, x + 0.7 * POINT * away, y - 0.7 * POINT * sin(angle));
                cairo_line_to(cairo, near_x - 1.5 * away, near_y);
                cairo_stroke(cairo);
            }
            cairo_move_to(cairo, box.left, box.bottom - DESCENT);
            cairo_show_text(cairo, text);
            return true;
        }
    return false;
}
