/* SPDX-License-Identifier: MIT */
/* A bar for each row: its rate, under the copy's as a roof. */
#include "plot_draw.h"

#define BAR_LEFT 130.0
#define BAR_RIGHT (PAGE_WIDTH - 150.0)
#define BAR_HEIGHT 15.0
#define BAR_STEP 22.0

static double fastest(const struct group *group, enum place place)
{
    double most = 0;

    for (int i = 0; i < group->row_count; i++)
        if (group->rows[i].place == place && row_rate(&group->rows[i]) > most)
            most = row_rate(&group->rows[i]);
    return most;
}

/* A row that was not timed says so, in a word. */
static void draw_excuse(cairo_t *cairo, const struct row *row, double y)
{
    static const char *const words[] = {"", "left out", "wrong, not timed", "failed"};

    draw_ink(cairo, row->outcome == ROW_LEFT_OUT ? INK_FAINT : INK_BAD);
    draw_text(cairo, BAR_LEFT + 6, y + BAR_HEIGHT - 3, 0, words[row->outcome]);
}

static void draw_bar(cairo_t *cairo, const struct group *group, const struct row *row, double unit,
                     double y)
{
    const double length = row_rate(row) * unit, share = row_share(group, row);
    char value[64], of_copy[32] = "";

    draw_ink(cairo, INK_TEXT);
    draw_text(cairo, BAR_LEFT - 8, y + BAR_HEIGHT - 3, 1, row->name);
    if (row->outcome != ROW_TIMED) {
        draw_excuse(cairo, row, y);
        return;
    }
    draw_ink(cairo, row->peer ? INK_PEER : INK_OWN);
    cairo_rectangle(cairo, BAR_LEFT, y, length, BAR_HEIGHT);
    cairo_fill(cairo);
    if (share > 0)
        snprintf(of_copy, sizeof of_copy, "  %.*f %%", share < 0.1 ? 1 : 0, 100 * share);
    snprintf(value, sizeof value, "%.4g GB/s%s", row_rate(row) / 1e9, of_copy);
    draw_ink(cairo, INK_TEXT);
    draw_text(cairo, BAR_LEFT + length + 6, y + BAR_HEIGHT - 3, 0, value);
}

static void draw_roof(cairo_t *cairo, const struct row *roof, double unit, double top,
                      double bottom)
{
    const double x = BAR_LEFT + row_rate(roof) * unit, dashes[] = {4, 3};
    char text[64];

    draw_ink(cairo, INK_ROOF);
    cairo_set_line_width(cairo, 1.5);
    cairo_set_dash(cairo, dashes, 2, 0);
    draw_line(cairo, x, top, x, bottom);
    cairo_set_dash(cairo, NULL, 0, 0);
    snprintf(text, sizeof text, "copy %.4g GB/s", row_rate(roof) / 1e9);
    draw_text(cairo, x, top - 4, x > (BAR_LEFT + BAR_RIGHT) / 2 ? 1 : 0, text);
}

double draw_bars(cairo_t *cairo, const struct panel *panel, double y)
{
    const struct group *group = panel->groups[0];
    const struct row *roof = group_roof(group, panel->place);
    const double most = fastest(group, panel->place);
    const double unit = most > 0 ? (BAR_RIGHT - BAR_LEFT) / most : 0;
    double top;

    y = draw_title(cairo, panel, "bytes read and written, once each", y) + 1.5 * TEXT_SIZE;
    top = y;
    for (int i = 0; i < group->row_count; i++) {
        if (group->rows[i].place != panel->place || group->rows[i].roof)
            continue;
        draw_bar(cairo, group, &group->rows[i], unit, y);
        y += BAR_STEP;
    }
    if (roof)
        draw_roof(cairo, roof, unit, top - 3, y - 3);
    return y;
}
