/* SPDX-License-Identifier: MIT */
/* A ladder: a bar for each row of a group, and how many times the first row's rate it has. */
#include "cells.h"
#include "plot_lab.h"

#include <math.h>
#include <strings.h>

#define BAR_LEFT 200.0
#define BAR_RIGHT (PAGE_WIDTH - 190.0)
#define BAR_HEIGHT 14.0
#define BAR_STEP 20.0
#define ROOF_REACH                                                                                 \
    3.0 /* a roof that is further above the rows than this would make them specks                  \
         */

/* What the bars of a group show: operations where all rows do the same ones on their bytes and
 * there are many, bytes otherwise. */
struct scale {
    bool flops;
    double most; /* of a row, in the unit; 0: none was timed */
    double roof; /* or 0 */
    const char *roof_name;
    enum place place; /* whose roof it is */
};

static double value_of(const struct scale *scale, const struct lab_row *row)
{
    return scale->flops ? lab_flop_rate(row) : row_rate(&row->row);
}

static bool is_about_flops(const struct lab_group *group)
{
    const double first = lab_intensity(&group->rows[0]);

    for (int i = 0; i < group->row_count; i++)
        if (fabs(lab_intensity(&group->rows[i]) - first) > 0.01 * first)
            return false;
    return first > 2;
}

static bool has_timed(const struct lab_group *group, enum place place)
{
    for (int i = 0; i < group->row_count; i++)
        if (group->rows[i].row.place == place && group->rows[i].row.outcome == ROW_TIMED)
            return true;
    return false;
}

static struct scale scale_of(const struct lab_results *results, const struct lab_group *group)
{
    const enum place place = has_timed(group, ON_GPU) ? ON_GPU : ON_CPU;
    const bool doubles = group->rows[group->row_count - 1].doubles;
    struct scale scale = {.flops = is_about_flops(group), .place = place};

    for (int i = 0; i < group->row_count; i++)
        scale.most = fmax(scale.most, value_of(&scale, &group->rows[i]));
    if (!scale.flops)
        scale.roof = results->roofs.copy[place];
    else if (place == ON_GPU)
        scale.roof = results->roofs.peak[doubles];
    scale.roof_name = !scale.flops ? "copy" : doubles ? "fp64 peak" : "fp32 peak";
    return scale;
}

static const char *unit_of(const struct scale *scale)
{
    return scale->flops ? "GFLOP/s" : "GB/s";
}

/* On a piece of the page of its own, where the roof runs behind it. */
static void draw_value(cairo_t *cairo, double x, double y, const char *value)
{
    cairo_text_extents_t extents;

    cairo_text_extents(cairo, value, &extents);
    draw_page_colour(cairo);
    cairo_rectangle(cairo, x - 3, y - 11, extents.x_advance + 6, 15);
    cairo_fill(cairo);
    draw_ink(cairo, INK_TEXT);
    draw_text(cairo, x, y, 0, value);
}

static void draw_bar(cairo_t *cairo, const struct lab_group *group, const struct scale *scale,
                     const struct lab_row *row, double unit, double y)
{
    const double length = value_of(scale, row) * unit, gain = lab_gain(group, row);
    char value[96], label[96], of_roof[32] = "", of_foot[32] = "";

    snprintf(label, sizeof label, "%.60s%s", row->row.name,
             row->row.place == ON_CPU && strncasecmp(row->row.name, "cpu", 3) != 0 ? " (CPU)" : "");
    draw_ink(cairo, INK_TEXT);
    draw_text(cairo, BAR_LEFT - 8, y + BAR_HEIGHT - 3, 1, label);
    if (row->row.outcome != ROW_TIMED) {
        draw_ink(cairo, row->row.outcome == ROW_LEFT_OUT ? INK_FAINT : INK_BAD);
        draw_text(cairo, BAR_LEFT + 6, y + BAR_HEIGHT - 3, 0,
                  row->row.outcome == ROW_LEFT_OUT    ? "left out"
                  : row->row.outcome == ROW_DIFFERENT ? "wrong, not timed"
                                                      : "failed");
        return;
    }
    draw_ink(cairo, row->row.place == ON_CPU ? INK_PEER : INK_OWN);
    cairo_rectangle(cairo, BAR_LEFT, y, length, BAR_HEIGHT);
    cairo_fill(cairo);
    if (scale->roof > 0 && row->row.place == scale->place)
        snprintf(of_roof, sizeof of_roof, "  %.28s",
                 share_cell(value_of(scale, row) / scale->roof).text);
    if (gain > 0 && gain != 1)
        snprintf(of_foot, sizeof of_foot, "  %.28s", gain_cell(gain).text);
    snprintf(value, sizeof value, "%.20s %s%s%s", number_cell(value_of(scale, row) / 1e9).text,
             unit_of(scale), of_roof, of_foot);
    draw_value(cairo, BAR_LEFT + length + 6, y + BAR_HEIGHT - 3, value);
}

static void draw_roof(cairo_t *cairo, const struct scale *scale, double unit, double top,
                      double bottom)
{
    const double x = BAR_LEFT + scale->roof * unit, dashes[] = {4, 3};
    char text[64];

    snprintf(text, sizeof text, "%s %s %s", scale->roof_name, number_cell(scale->roof / 1e9).text,
             unit_of(scale));
    draw_ink(cairo, INK_ROOF);
    cairo_set_line_width(cairo, 1.5);
    cairo_set_dash(cairo, dashes, 2, 0);
    draw_line(cairo, x, top, x, bottom);
    cairo_set_dash(cairo, NULL, 0, 0);
    draw_text(cairo, x, top - 4, x > (BAR_LEFT + BAR_RIGHT) / 2 ? 1 : 0, text);
}

double draw_ladder(cairo_t *cairo, const struct lab_results *results, const struct lab_group *group,
                   double y)
{
    const struct scale scale = scale_of(results, group);
    const bool near = scale.roof > 0 && scale.roof <= ROOF_REACH * scale.most;
    const double longest = near ? fmax(scale.most, scale.roof) : scale.most;
    const double unit = longest > 0 ? (BAR_RIGHT - BAR_LEFT) / longest : 0;
    char about[256];

    if (near || !(scale.roof > 0))
        snprintf(about, sizeof about, "%s; %.80s", scale.flops ? "operations" : "useful bytes",
                 group->size);
    else
        snprintf(about, sizeof about, "%s; %.80s; the %s, %s %s, is far to the right",
                 scale.flops ? "operations" : "useful bytes", group->size, scale.roof_name,
                 number_cell(scale.roof / 1e9).text, unit_of(&scale));
    y = draw_heading(cairo, group->name, about, y) + (near ? 1.5 : 0.5) * TEXT_SIZE;
    if (near)
        draw_roof(cairo, &scale, unit, y - 3, y - 3 + BAR_STEP * group->row_count);
    for (int i = 0; i < group->row_count; i++, y += BAR_STEP)
        draw_bar(cairo, group, &scale, &group->rows[i], unit, y);
    return y;
}
