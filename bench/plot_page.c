/* SPDX-License-Identifier: MIT */
/* Pens, and the file. A page is painted twice: first on nothing, to learn its height. */
#include "output.h"
#include "plot_draw.h"

#include <cairo-svg.h>
#include <string.h>
#include <strings.h>

#define PNG_SCALE 2.0 /* pixels for a point */

/* On an opaque light page of its own, text is legible whatever is behind the picture. */
void draw_ink(cairo_t *cairo, enum ink ink)
{
    static const unsigned inks[] = {0x1f2328, 0x59636e, 0xd5dae0, 0x8250df,
                                    0xc4320a, 0x0072b2, 0xb08800};
    const unsigned rgb = inks[ink];

    cairo_set_source_rgb(cairo, (rgb >> 16) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0);
}

/* After Okabe and Ito (2008), without their yellow. */
void draw_colour(cairo_t *cairo, int number)
{
    static const unsigned colours[] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7,
                                       0x56b4e9, 0xe69f00, 0x000000, 0x7a5c99};
    const unsigned rgb = colours[(size_t)number % (sizeof colours / sizeof *colours)];

    cairo_set_source_rgb(cairo, (rgb >> 16) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0);
}

void draw_text(cairo_t *cairo, double x, double y, double align, const char *text)
{
    cairo_text_extents_t extents;

    cairo_text_extents(cairo, text, &extents);
    cairo_move_to(cairo, x - align * extents.x_advance, y);
    cairo_show_text(cairo, text);
}

void draw_line(cairo_t *cairo, double x1, double y1, double x2, double y2)
{
    cairo_move_to(cairo, x1, y1);
    cairo_line_to(cairo, x2, y2);
    cairo_stroke(cairo);
}

double draw_machine(cairo_t *cairo, const struct machine *machine, double y)
{
    char text[512];

    snprintf(text, sizeof text, "smoothimg-bench %s: %s%s%s", SMOOTHIMG_VERSION, machine->cpu,
             machine->has_gpu ? ", " : "", machine->has_gpu ? machine->gpu.name : "");
    draw_ink(cairo, INK_FAINT);
    draw_text(cairo, MARGIN, y + TEXT_SIZE, 0, text);
    return y + 2.5 * TEXT_SIZE;
}

double draw_heading(cairo_t *cairo, const char *title, const char *about, double y)
{
    draw_ink(cairo, INK_TEXT);
    cairo_set_font_size(cairo, 1.25 * TEXT_SIZE);
    draw_text(cairo, MARGIN, y + 1.25 * TEXT_SIZE, 0, title);
    cairo_set_font_size(cairo, TEXT_SIZE);
    draw_ink(cairo, INK_FAINT);
    draw_text(cairo, MARGIN, y + 2.75 * TEXT_SIZE, 0, about);
    return y + 3.5 * TEXT_SIZE;
}

void draw_page_colour(cairo_t *cairo)
{
    cairo_set_source_rgb(cairo, 0.99, 0.99, 0.985);
}

static double paint_page(cairo_t *cairo, page_painter *paint, const void *results)
{
    cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, TEXT_SIZE);
    draw_page_colour(cairo);
    cairo_paint(cairo);
    return paint(cairo, results);
}

static double page_height(page_painter *paint, const void *results)
{
    cairo_surface_t *surface = cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, NULL);
    cairo_t *cairo = cairo_create(surface);
    const double height = paint_page(cairo, paint, results);

    cairo_destroy(cairo);
    cairo_surface_destroy(surface);
    return height;
}

static cairo_status_t write_bytes(void *file, const unsigned char *bytes, unsigned int count)
{
    return fwrite(bytes, 1, count, file) == count ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static bool is_svg(const char *path)
{
    const char *dot = strrchr(path, '.');

    return dot && strcasecmp(dot, ".svg") == 0;
}

enum status plot_check(const char *path, struct error *error)
{
    const char *dot = strrchr(path, '.');

    if (is_svg(path) || (dot && strcasecmp(dot, ".png") == 0))
        return STATUS_OK;
    return fail(error, STATUS_USAGE, "--plot %s: the name must end in .svg or .png", path);
}

static cairo_status_t draw_file(FILE *file, bool svg, page_painter *paint, const void *results)
{
    const double height = page_height(paint, results);
    cairo_surface_t *surface =
        svg ? cairo_svg_surface_create_for_stream(write_bytes, file, PAGE_WIDTH, height)
            : cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(PNG_SCALE * PAGE_WIDTH),
                                         (int)(PNG_SCALE * height));
    cairo_t *cairo = cairo_create(surface);
    cairo_status_t status;

    if (!svg)
        cairo_scale(cairo, PNG_SCALE, PNG_SCALE);
    paint_page(cairo, paint, results);
    status = cairo_status(cairo);
    cairo_destroy(cairo);
    if (status == CAIRO_STATUS_SUCCESS && !svg)
        status = cairo_surface_write_to_png_stream(surface, write_bytes, file);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    return status;
}

enum status page_write(const char *path, page_painter *paint, const void *results,
                       struct error *error)
{
    struct output output;
    enum status status = output_open(&output, path, false, error);
    cairo_status_t drawn;

    if (status != STATUS_OK)
        return status;
    drawn = draw_file(output.file, is_svg(path), paint, results);
    if (drawn != CAIRO_STATUS_SUCCESS && !ferror(output.file)) {
        output_abandon(&output);
        return fail(error, STATUS_OUTPUT, "%s: cannot be drawn: %s", path,
                    cairo_status_to_string(drawn));
    }
    return output_commit(&output, error); /* which sees a failed write */
}

const char *plot_cairo_version(void)
{
    return cairo_version_string();
}
