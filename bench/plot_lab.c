/* SPDX-License-Identifier: MIT */
/* The page of the memory suite: the roofline, then a ladder for each group. */
#include "lab_roofs.h"
#include "plot_lab.h"

#include <string.h>

#define PANEL_GAP 24.0

/* The peaks are the roofs, and no rungs of a ladder. */
bool is_roofs(const struct lab_group *group)
{
    return strcmp(group->name, PEAK_GROUP) == 0;
}

static double paint(cairo_t *cairo, const void *context)
{
    const struct lab_results *results = context;
    double y = draw_machine(cairo, &results->machine, MARGIN);

    y = draw_roofline(cairo, results, y) + PANEL_GAP;
    for (int i = 0; i < results->group_count; i++)
        if (!is_roofs(&results->groups[i]))
            y = draw_ladder(cairo, results, &results->groups[i], y) + PANEL_GAP;
    return y - PANEL_GAP + MARGIN;
}

enum status plot_write_lab(const char *path, const struct lab_results *results, struct error *error)
{
    return page_write(path, paint, results, error);
}
