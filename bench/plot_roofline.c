/* SPDX-License-Identifier: MIT */
/* The roofline: what a kernel can reach, by how many operations it does for a byte of memory. */
#include "cells.h"
#include "plot_lab.h"
#include "plot_labels.h"

#include <math.h>
#include <stdlib.h>

#define LEFT 76.0
#define RIGHT (PAGE_WIDTH - MARGIN)
#define HEIGHT 400.0
#define POINT 3.5
#define LABEL_SIZE 10.5

/* Where values are on the page: x is operations for a byte, y operations a second. */
struct chart {
    double least_x, most_x, least_y, most_y; /* logarithms */
    double top;
    enum place place; /* whose rows are shown */
    double copy;      /* bytes a second, or 0 */
    double peak[2];   /* or 0 */
};

static double x_of(const struct chart *chart, double intensity)
{
    return LEFT +
           (RIGHT - LEFT) * (log10(intensity) - chart->least_x) / (chart->most_x - chart->least_x);
}

static double y_of(const struct chart *chart, double rate)
{
    return chart->top + HEIGHT * (chart->most_y - log10(rate)) / (chart->most_y - chart->least_y);
}

static bool is_shown(const struct chart *chart, const struct lab_row *row)
{
    return row->row.place == chart->place && lab_flop_rate(row) > 0 && lab_asked_intensity(row) > 0;
}

static bool has_shown(const struct chart *chart, const struct lab_group *group)
{
    for (int i = 0; i < group->row_count && !is_roofs(group); i++)
        if (is_shown(chart, &group->rows[i]))
            return true;
    return false;
}

static void include(struct chart *chart, double intensity, double rate)
{
    chart->least_x = fmin(chart->least_x, log10(intensity));
    chart->most_x = fmax(chart->most_x, log10(intensity));
    chart->least_y = fmin(chart->least_y, log10(rate));
    chart->most_y = fmax(chart->most_y, log10(rate));
}

static void fit_rows(struct chart *chart, const struct lab_results *results)
{
    for (int g = 0; g < results->group_count; g++)
        for (int i = 0; i < results->groups[g].row_count && !is_roofs(&results->groups[g]); i++) {
            const struct lab_row *row = &results->groups[g].rows[i];

            if (is_shown(chart, row))
                include(chart, lab_asked_intensity(row), lab_flop_rate(row));
        }
}

/* The GPU's rows, or the CPU's where there are no others. False: nothing is to be shown. */
static bool fit(struct chart *chart, const struct lab_results *results, double top)
{
    *chart = (struct chart){INFINITY, -INFINITY, INFINITY, -INFINITY, .top = top, .place = ON_GPU};
    fit_rows(chart, results);
    if (chart->most_x < chart->least_x) {
        chart->place = ON_CPU;
        fit_rows(chart, results);
    }
    if (chart->most_x < chart->least_x)
        return false;
    chart->copy = results->roofs.copy[chart->place];
    for (int i = 0; i < 2 && chart->place == ON_GPU; i++) {
        chart->peak[i] = results->roofs.peak[i];
        if (chart->peak[i] > 0 && chart->copy > 0)
            include(chart, chart->peak[i] / chart->copy, chart->peak[i]);
    }
    chart->least_x -= 0.35;
    chart->most_x += 0.6;
    chart->least_y -= 0.3;
    chart->most_y += 0.35;
    return true;
}

/* 0.25, 4, 1000. */
static void power_text(int power, char *text, size_t size)
{
    snprintf(text, size, "%.*f", power < 0 ? -power : 0, pow(10, power));
}

static void draw_grid(cairo_t *cairo, const struct chart *chart)
{
    char text[32];

    cairo_set_line_width(cairo, 1);
    for (int power = (int)ceil(chart->least_x); power <= (int)floor(chart->most_x); power++) {
        const double x = x_of(chart, pow(10, power));

        power_text(power, text, sizeof text);
        draw_ink(cairo, INK_GRID);
        draw_line(cairo, x, chart->top, x, chart->top + HEIGHT + 5);
        draw_ink(cairo, INK_FAINT);
        draw_text(cairo, x, chart->top + HEIGHT + 1.5 * TEXT_SIZE, 0.5, text);
    }
    for (int power = (int)ceil(chart->least_y); power <= (int)floor(chart->most_y); power++) {
        const double y = y_of(chart, pow(10, power));

        power_text(power - 9, text, sizeof text);
        draw_ink(cairo, INK_GRID);
        draw_line(cairo, LEFT - 5, y, RIGHT, y);
        draw_ink(cairo, INK_FAINT);
        draw_text(cairo, LEFT - 9, y + 4, 1, text);
    }
    draw_text(cairo, RIGHT, chart->top + HEIGHT + 2.9 * TEXT_SIZE, 1,
              "operations for a byte that threads ask for");
    draw_text(cairo, LEFT - 9, chart->top - 8, 1, "GFLOP/s");
}

/* A text along a line that rises to the right, above it. */
static void draw_along(cairo_t *cairo, struct boxes *boxes, double x1, double y1, double x2,
                       double y2, const char *text)
{
    const double angle = atan2(y2 - y1, x2 - x1), shift = 26;
    cairo_text_extents_t extents;
    const double x = x1 + shift * cos(angle), y = y1 + shift * sin(angle);

    cairo_text_extents(cairo, text, &extents);
    cairo_save(cairo);
    cairo_translate(cairo, x, y);
    cairo_rotate(cairo, angle);
    cairo_move_to(cairo, 0, -6);
    cairo_show_text(cairo, text);
    cairo_restore(cairo);
    for (double at = 0; at < extents.x_advance; at += 6) {
        const double middle_x = x + at * cos(angle) + 10 * sin(angle);
        const double middle_y = y + at * sin(angle) - 10 * cos(angle);

        boxes_take(boxes, (struct box){middle_x - 5, middle_y - 7, middle_x + 5, middle_y + 7});
    }
}

/* The slope, from the left edge up to the higher peak, or to the top where no peak is known. */
static void draw_memory_roof(cairo_t *cairo, const struct chart *chart, struct boxes *boxes)
{
    const double most = pow(10, chart->most_y), peak = fmax(chart->peak[0], chart->peak[1]);
    const double end = fmin((peak > 0 ? peak : most) / chart->copy, pow(10, chart->most_x));
    const double start = fmax(pow(10, chart->least_x), pow(10, chart->least_y) / chart->copy);
    const double x1 = x_of(chart, start), y1 = y_of(chart, start * chart->copy);
    const double x2 = x_of(chart, end), y2 = y_of(chart, end * chart->copy);
    char text[64];

    snprintf(text, sizeof text, "copy %s GB/s", number_cell(chart->copy / 1e9).text);
    draw_line(cairo, x1, y1, x2, y2);
    boxes_take_line(boxes, x1, y1, x2, y2);
    draw_along(cairo, boxes, x1, y1, x2, y2, text);
}

static void draw_peak(cairo_t *cairo, const struct chart *chart, int which, struct boxes *boxes)
{
    static const char *const names[] = {"fp32", "fp64"};
    const double y = y_of(chart, chart->peak[which]);
    const double x = chart->copy > 0 ? x_of(chart, chart->peak[which] / chart->copy) : LEFT;
    char text[64];
    cairo_text_extents_t extents;

    snprintf(text, sizeof text, "%s peak, measured: %s GFLOP/s", names[which],
             number_cell(chart->peak[which] / 1e9).text);
    cairo_text_extents(cairo, text, &extents);
    draw_line(cairo, x, y, RIGHT, y);
    boxes_take_line(boxes, x, y, RIGHT, y);
    draw_text(cairo, RIGHT, y - 5, 1, text);
    boxes_take(boxes, (struct box){RIGHT - extents.x_advance, y - 16, RIGHT, y});
}

static void draw_roofs(cairo_t *cairo, const struct chart *chart, struct boxes *boxes)
{
    draw_ink(cairo, INK_ROOF);
    cairo_set_line_width(cairo, 1.75);
    if (chart->copy > 0)
        draw_memory_roof(cairo, chart, boxes);
    for (int i = 0; i < 2; i++)
        if (chart->peak[i] > 0)
            draw_peak(cairo, chart, i, boxes);
}

/* Groups differ in shape as well as in colour. */
static void draw_point(cairo_t *cairo, int number, double x, double y)
{
    const double corners[] = {4, 3, 4}, turns[] = {M_PI / 4, -M_PI / 2, 0};
    const int shape = number % 4;

    cairo_new_path(cairo);
    if (shape == 0)
        cairo_arc(cairo, x, y, POINT, 0, 2 * M_PI);
    else
        for (int i = 0; i < (int)corners[shape - 1]; i++) {
            const double angle = turns[shape - 1] + 2 * M_PI * i / corners[shape - 1];

            cairo_line_to(cairo, x + 1.3 * POINT * cos(angle), y + 1.3 * POINT * sin(angle));
        }
    cairo_close_path(cairo);
    cairo_fill(cairo);
}

/* Points first: labels then keep clear of all of them. */
static void draw_rows(cairo_t *cairo, const struct chart *chart, const struct lab_results *results,
                      struct boxes *boxes, bool labels)
{
    int number = 0;

    for (int g = 0; g < results->group_count; g++) {
        const struct lab_group *group = &results->groups[g];

        if (!has_shown(chart, group))
            continue;
        draw_colour(cairo, number);
        for (int i = 0; i < group->row_count; i++) {
            const struct lab_row *row = &group->rows[i];
            double x, y;

            if (!is_shown(chart, row))
                continue;
            x = x_of(chart, lab_asked_intensity(row));
            y = y_of(chart, lab_flop_rate(row));
            if (labels) {
                boxes_label(boxes, cairo, x, y, row->row.name);
                continue;
            }
            draw_point(cairo, number, x, y);
            boxes_take(boxes, (struct box){x - POINT, y - POINT, x + POINT, y + POINT});
        }
        number++;
    }
}

/* The groups' names, in lines below the chart. */
static double draw_legend(cairo_t *cairo, const struct chart *chart,
                          const struct lab_results *results, double y)
{
    double x = LEFT;
    int number = 0;

    for (int g = 0; g < results->group_count; g++) {
        const struct lab_group *group = &results->groups[g];
        cairo_text_extents_t extents;

        if (!has_shown(chart, group))
            continue;
        cairo_text_extents(cairo, group->name, &extents);
        if (x + extents.x_advance + 16 > RIGHT) {
            x = LEFT;
            y += 1.5 * TEXT_SIZE;
        }
        draw_colour(cairo, number);
        draw_point(cairo, number++, x, y - 4);
        draw_text(cairo, x + 9, y, 0, group->name);
        x += extents.x_advance + 30;
    }
    return y + 0.5 * TEXT_SIZE;
}

double draw_roofline(cairo_t *cairo, const struct lab_results *results, double y)
{
    struct boxes *boxes = calloc(1, sizeof *boxes);
    struct chart chart;

    if (!boxes || !fit(&chart, results, y + 5 * TEXT_SIZE)) {
        free(boxes);
        return y;
    }
    boxes->frame = (struct box){LEFT + 2, chart.top, RIGHT, chart.top + HEIGHT};
    draw_heading(
        cairo, "Roofline",
        chart.place == ON_GPU
            ? "rows of the GPU, and roofs measured in the same run; above the slope, caches serve"
            : "rows of the CPU, under its copy, measured in the same run",
        y);
    draw_grid(cairo, &chart);
    draw_roofs(cairo, &chart, boxes);
    draw_rows(cairo, &chart, results, boxes, false);
    cairo_set_font_size(cairo, LABEL_SIZE);
    draw_rows(cairo, &chart, results, boxes, true);
    cairo_set_font_size(cairo, TEXT_SIZE);
    y = draw_legend(cairo, &chart, results, chart.top + HEIGHT + 4.5 * TEXT_SIZE);
    free(boxes);
    return y;
}
