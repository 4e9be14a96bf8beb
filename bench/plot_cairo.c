/* SPDX-License-Identifier: MIT */
/* The page of the variants: which panels there are. */
#include "plot_draw.h"
#include "registry.h"

#define PANEL_GAP 28.0

double draw_title(cairo_t *cairo, const struct panel *panel, const char *unit, double y)
{
    const struct group *group = panel->groups[0];
    char title[64], about[256], threads[32] = "";

    snprintf(title, sizeof title, "%s on the %s", op_word(group->op), place_word(panel->place));
    if (group->op == OP_SMOOTH && panel->count == 1)
        snprintf(title, sizeof title, "%s on the %s, halo %lld", op_word(group->op),
                 place_word(panel->place), (long long)group->halo);
    if (panel->place == ON_CPU)
        snprintf(threads, sizeof threads, ", %d thread%s", group->threads,
                 group->threads == 1 ? "" : "s");
    snprintf(about, sizeof about, "%s; %.60s, %lld x %lld, maxval %u, %d channel%s%s", unit,
             group->image, (long long)group->shape.width, (long long)group->shape.height,
             (unsigned)group->shape.maxval, (int)group->shape.channels,
             group->shape.channels == 1 ? "" : "s", threads);
    return draw_heading(cairo, title, about, y);
}

static bool has_timed(const struct group *group, enum place place)
{
    for (int i = 0; i < group->row_count; i++)
        if (group->rows[i].place == place && !group->rows[i].roof &&
            group->rows[i].outcome == ROW_TIMED)
            return true;
    return false;
}

static bool differ_in_halo_only(const struct group *a, const struct group *b)
{
    return a->op == b->op && a->op == OP_SMOOTH && a->threads == b->threads &&
           a->shape.width == b->shape.width && a->shape.height == b->shape.height;
}

/* The panel that begins with the group of that number; empty if it is part of an earlier one. */
static struct panel panel_of(const struct results *results, int first, enum place place)
{
    const struct group *group = &results->groups[first];
    struct panel panel = {.place = place};

    for (int i = 0; i < first; i++)
        if (differ_in_halo_only(&results->groups[i], group) &&
            has_timed(&results->groups[i], place))
            return panel;
    for (int i = first; i < results->group_count && panel.count < MAX_SWEEP; i++)
        if (has_timed(&results->groups[i], place) &&
            (i == first || differ_in_halo_only(&results->groups[i], group)))
            panel.groups[panel.count++] = &results->groups[i];
    return panel;
}

/* Draws all there is; returns the height. */
static double paint(cairo_t *cairo, const void *context)
{
    const struct results *results = context;
    double y = draw_machine(cairo, &results->machine, MARGIN);

    for (int i = 0; i < results->group_count; i++)
        for (int place = ON_CPU; place <= ON_GPU; place++) {
            const struct panel panel = panel_of(results, i, (enum place)place);

            if (panel.count == 1)
                y = draw_bars(cairo, &panel, y) + PANEL_GAP;
            else if (panel.count > 1)
                y = draw_halos(cairo, &panel, y) + PANEL_GAP;
        }
    return y - PANEL_GAP + MARGIN;
}

enum status plot_write(const char *path, const struct results *results, struct error *error)
{
    return page_write(path, paint, results, error);
}
