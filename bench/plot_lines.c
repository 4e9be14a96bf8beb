/* SPDX-License-Identifier: MIT */
/* Time over halo, both on logarithmic scales; a line for each row, named at its right end. */
#include "plot_draw.h"

#include <math.h>
#include <string.h>

#define LEFT 80.0
#define RIGHT (PAGE_WIDTH - 140.0)
#define HEIGHT 300.0
#define LABEL_GAP 14.0 /* between the baselines of labels */

/* Where values are on the page. */
struct axes {
    double least_x, most_x, least_y, most_y; /* logarithms */
    double top;
};

/* A line of the panel: row by row the seconds of each group, or 0. */
struct curve {
    const char *name;
    bool roof;
    double seconds[MAX_SWEEP];
    double label_y;
};

struct curves {
    struct curve list[MAX_ROWS];
    int count;
};

/* Halo 0 has no logarithm; it is drawn where a half would be. */
static double halo_position(int64_t halo)
{
    return log2(halo > 0 ? (double)halo : 0.5);
}

static double x_of(const struct axes *axes, double position)
{
    const double span = axes->most_x - axes->least_x;

    return LEFT + (RIGHT - LEFT) * (span > 0 ? (position - axes->least_x) / span : 0.5);
}

static double y_of(const struct axes *axes, double seconds)
{
    const double span = axes->most_y - axes->least_y;

    return axes->top + HEIGHT * (1 - (log10(seconds) - axes->least_y) / (span > 0 ? span : 1));
}

static struct curve *curve_named(struct curves *curves, const char *name)
{
    for (int i = 0; i < curves->count; i++)
        if (strcmp(curves->list[i].name, name) == 0)
            return &curves->list[i];
    curves->list[curves->count] = (struct curve){.name = name};
    return &curves->list[curves->count++];
}

/* A copy's time is that of the image's bytes at its rate: the GPU's copy is a longer one. */
static void collect(const struct panel *panel, struct curves *curves)
{
    curves->count = 0;
    for (int g = 0; g < panel->count; g++) {
        const struct group *group = panel->groups[g];
        const double bytes =
            2.0 * (double)(group_samples(group) * sample_bytes_of(group->shape.maxval));

        for (int i = 0; i < group->row_count; i++) {
            const struct row *row = &group->rows[i];

            if (row->place != panel->place || row->outcome != ROW_TIMED)
                continue;
            curve_named(curves, row->name)->seconds[g] =
                row->roof ? bytes / row_rate(row) : row->median;
            curve_named(curves, row->name)->roof = row->roof;
        }
    }
}

static struct axes fit(const struct panel *panel, const struct curves *curves, double top)
{
    struct axes axes = {INFINITY, -INFINITY, INFINITY, -INFINITY, top};

    for (int g = 0; g < panel->count; g++) {
        axes.least_x = fmin(axes.least_x, halo_position(panel->groups[g]->halo));
        axes.most_x = fmax(axes.most_x, halo_position(panel->groups[g]->halo));
        for (int i = 0; i < curves->count; i++)
            if (curves->list[i].seconds[g] > 0) {
                axes.least_y = fmin(axes.least_y, log10(curves->list[i].seconds[g]));
                axes.most_y = fmax(axes.most_y, log10(curves->list[i].seconds[g]));
            }
    }
    axes.least_y -= 0.08;
    axes.most_y += 0.08;
    return axes;
}

static void time_text(double seconds, char *text, size_t size)
{
    if (seconds < 0.9e-3)
        snprintf(text, size, "%.3g us", 1e6 * seconds);
    else if (seconds < 0.9)
        snprintf(text, size, "%.3g ms", 1e3 * seconds);
    else
        snprintf(text, size, "%.3g s", seconds);
}

/* Lines at 1, 2 and 5 of each power of ten, or at its 1 alone where these are many. */
static void draw_grid(cairo_t *cairo, const struct axes *axes)
{
    static const double steps[] = {1, 2, 5};
    const int count = axes->most_y - axes->least_y > 2.5 ? 1 : 3;
    char text[32];

    cairo_set_line_width(cairo, 1);
    for (int power = (int)floor(axes->least_y); power <= (int)ceil(axes->most_y); power++)
        for (int i = 0; i < count; i++) {
            const double seconds = steps[i] * pow(10, power), y = y_of(axes, seconds);

            if (log10(seconds) < axes->least_y || log10(seconds) > axes->most_y)
                continue;
            draw_ink(cairo, INK_GRID);
            draw_line(cairo, LEFT - 6, y, RIGHT, y);
            time_text(seconds, text, sizeof text);
            draw_ink(cairo, INK_FAINT);
            draw_text(cairo, LEFT - 10, y + 4, 1, text);
        }
}

static void draw_halo_scale(cairo_t *cairo, const struct panel *panel, const struct axes *axes)
{
    char text[32];

    draw_ink(cairo, INK_FAINT);
    for (int g = 0; g < panel->count; g++) {
        snprintf(text, sizeof text, "%lld", (long long)panel->groups[g]->halo);
        draw_text(cairo, x_of(axes, halo_position(panel->groups[g]->halo)),
                  axes->top + HEIGHT + 1.5 * TEXT_SIZE, 0.5, text);
    }
    draw_text(cairo, LEFT - 22, axes->top + HEIGHT + 1.5 * TEXT_SIZE, 1, "halo");
}

static void draw_curve(cairo_t *cairo, const struct panel *panel, const struct axes *axes,
                       struct curve *curve)
{
    const double dashes[] = {4, 3};

    cairo_set_line_width(cairo, 1.75);
    cairo_set_dash(cairo, dashes, curve->roof ? 2 : 0, 0);
    cairo_new_path(cairo);
    for (int g = 0; g < panel->count; g++) {
        const double x = x_of(axes, halo_position(panel->groups[g]->halo));

        if (!(curve->seconds[g] > 0))
            continue;
        curve->label_y = y_of(axes, curve->seconds[g]);
        cairo_line_to(cairo, x, curve->label_y);
    }
    cairo_stroke(cairo);
    cairo_set_dash(cairo, NULL, 0, 0);
    for (int g = 0; g < panel->count && !curve->roof; g++) {
        if (!(curve->seconds[g] > 0))
            continue;
        cairo_arc(cairo, x_of(axes, halo_position(panel->groups[g]->halo)),
                  y_of(axes, curve->seconds[g]), 2.5, 0, 6.3);
        cairo_fill(cairo);
    }
}

/* Labels stand beside the curves' ends, moved down where they would lie upon each other. */
static void draw_labels(cairo_t *cairo, const struct axes *axes, const struct curves *curves)
{
    bool done[MAX_ROWS] = {false};
    double free_y = axes->top;

    for (int n = 0; n < curves->count; n++) {
        int next = -1;
        double y;

        for (int i = 0; i < curves->count; i++)
            if (!done[i] && (next < 0 || curves->list[i].label_y < curves->list[next].label_y))
                next = i;
        done[next] = true;
        y = fmax(curves->list[next].label_y + 4, free_y);
        free_y = y + LABEL_GAP;
        if (curves->list[next].roof)
            draw_ink(cairo, INK_ROOF);
        else
            draw_colour(cairo, next);
        draw_text(cairo, RIGHT + 10, y, 0, curves->list[next].name);
    }
}

double draw_halos(cairo_t *cairo, const struct panel *panel, double y)
{
    struct curves curves;
    struct axes axes;

    y = draw_title(cairo, panel, "time of a run", y) + TEXT_SIZE;
    collect(panel, &curves);
    axes = fit(panel, &curves, y);
    draw_grid(cairo, &axes);
    draw_halo_scale(cairo, panel, &axes);
    for (int i = 0; i < curves.count; i++) {
        if (curves.list[i].roof)
            draw_ink(cairo, INK_ROOF);
        else
            draw_colour(cairo, i);
        draw_curve(cairo, panel, &axes, &curves.list[i]);
    }
    draw_labels(cairo, &axes, &curves);
    return y + HEIGHT + 2 * TEXT_SIZE;
}
