/* SPDX-License-Identifier: MIT */
/* Paints charts that make a filter's faults easy to see. */
#include <stdlib.h>
#include <string.h>

#include "images/make/make_images.h"

static uint16_t *pixel(const struct raster *image, int row, int column)
{
    const size_t index = (size_t)row * (size_t)image->width + (size_t)column;
    return image->samples + index * (size_t)image->channels;
}

static void fill(const struct raster *image, int row, int column, int height, int width, int value)
{
    for (int r = row; r < row + height; r++)
        for (int c = column; c < column + width; c++)
            *pixel(image, r, c) = (uint16_t)value;
}

/* Writes the raster as PNG and frees it. */
static bool finish_png(FILE *file, struct raster *image, const struct png_kind *kind)
{
    const bool done = write_png(file, image, kind);
    free(image->samples);
    return done;
}

static const struct png_kind grey8 = {PNG_COLOR_TYPE_GRAY, 8, PNG_INTERLACE_NONE, NULL, 0};

/* A ramp from black at the top left to white at the bottom right. */
bool paint_gradient12(FILE *file)
{
    struct raster image = new_raster(97, 61, 1, 4095);
    for (int r = 0; image.samples && r < 61; r++)
        for (int c = 0; c < 97; c++)
            *pixel(&image, r, c) = (uint16_t)(4095 * (60 * c + 96 * r) / (2 * 60 * 96));
    const bool done = write_pgm(file, &image);
    free(image.samples);
    return done;
}

enum { TURN = 1024 }; /* steps of the cosine table in a full turn */

/* Sets cosines[i] = 2^20 cos(2 pi i / TURN), by rotating a vector of integers by one step for each
 * i. Over the full turn the rounding adds up to less than a thousandth of a grey level. */
static void make_cosines(int64_t *cosines)
{
    /* 2^30 times the cosine and the sine of one step */
    const int64_t step_x = 1073721611, step_y = 6588356;
    int64_t x = (int64_t)1 << 30, y = 0;
    for (int i = 0; i < TURN; i++) {
        cosines[i] = x / 1024;
        const int64_t turned = (x * step_x - y * step_y) / (1 << 30);
        y = (x * step_y + y * step_x) / (1 << 30);
        x = turned;
    }
}

/* Concentric rings that become narrower outwards. In the middle of each side of the image they
 * reach the Nyquist frequency. */
bool paint_zoneplate(FILE *file)
{
    int64_t cosines[TURN];
    struct raster image = new_raster(256, 256, 1, 255);
    make_cosines(cosines);
    for (int r = 0; image.samples && r < 256; r++) {
        for (int c = 0; c < 256; c++) {
            const int x = 2 * c - 255, y = 2 * r - 255; /* from the centre, in half pixels */
            const int64_t wave = cosines[(x * x + y * y) / 2 % TURN];
            *pixel(&image, r, c) = (uint16_t)((wave * 255 / 2 + 255 * (1 << 19)) >> 20);
        }
    }
    return finish_png(file, &image, &grey8);
}

/* Draws three bars of this width side by side, and to their right three bars one above the
 * other. */
static void draw_bars(const struct raster *image, int row, int column, int width)
{
    for (int bar = 0; bar < 3; bar++) {
        fill(image, row, column + 2 * bar * width, 5 * width, width, 0);
        fill(image, row + 2 * bar * width, column + 7 * width, width, 5 * width, 0);
    }
}

static void draw_chequers(const struct raster *image, int row, int column, int size)
{
    for (int r = 0; r < 48; r++)
        for (int c = 0; c < 48; c++)
            *pixel(image, row + r, column + c) = (r / size + c / size) % 2 ? 255 : 0;
}

/* A step wedge, groups of bars as on a resolution target, and chequers of 1, 2, 3 and 4 pixels. */
bool paint_chart(FILE *file)
{
    static const int bars[][3] = {/* row, column, width */
                                  {56, 8, 10},   {56, 136, 7}, {116, 8, 6},  {100, 136, 5},
                                  {134, 136, 4}, {116, 88, 3}, {140, 88, 2}, {100, 204, 3},
                                  {134, 204, 2}, {156, 88, 1}, {56, 228, 1}};
    struct raster image = new_raster(256, 256, 1, 255);
    if (!image.samples)
        return false;
    fill(&image, 0, 0, 256, 256, 255);
    for (int step = 0; step < 16; step++)
        fill(&image, 8, 8 + 15 * step, 32, 15, 17 * step);
    for (size_t i = 0; i < sizeof bars / sizeof bars[0]; i++)
        draw_bars(&image, bars[i][0], bars[i][1], bars[i][2]);
    for (int size = 1; size <= 4; size++)
        draw_chequers(&image, 192, 8 + 64 * (size - 1), size);
    fill(&image, 252, 0, 4, 256, 0); /* a black bar at the edge; edge rules continue it outside */
    return finish_png(file, &image, &grey8);
}

/* Eight patches above four ramps (red, green, blue, grey), and a yellow disc over all. */
bool paint_colours(FILE *file)
{
    static const struct png_kind kind = {PNG_COLOR_TYPE_RGB, 8, PNG_INTERLACE_NONE, NULL, 0};
    struct raster image = new_raster(160, 120, 3, 255);
    for (int r = 0; image.samples && r < 120; r++) {
        for (int c = 0; c < 160; c++) {
            const int ramp = r < 60 ? 0 : (r - 60) / 15;
            const bool disc = (c - 80) * (c - 80) + (r - 60) * (r - 60) < 30 * 30;
            for (int channel = 0; channel < 3; channel++) {
                int value = (c / 20 >> channel) % 2 * 255;
                if (r >= 60)
                    value = ramp == channel || ramp == 3 ? c * 255 / 159 : 0;
                if (disc)
                    value = channel == 2 ? 40 : 250 - 40 * channel;
                pixel(&image, r, c)[channel] = (uint16_t)value;
            }
        }
    }
    return finish_png(file, &image, &kind);
}

/* Tilted stripes of sixteen colours, interlaced. With this odd size the last blocks of the
 * interlacing passes are incomplete. */
bool paint_palette(FILE *file)
{
    png_color palette[16];
    const struct png_kind kind = {PNG_COLOR_TYPE_PALETTE, 4, PNG_INTERLACE_ADAM7, palette, 16};
    for (int i = 0; i < 16; i++)
        palette[i] =
            (png_color){(png_byte)(17 * i), (png_byte)(255 - 13 * i), (png_byte)(i * i % 16 * 17)};
    struct raster image = new_raster(45, 37, 1, 15);
    for (int r = 0; image.samples && r < 37; r++)
        for (int c = 0; c < 45; c++)
            *pixel(&image, r, c) = (uint16_t)((2 * c + 3 * r) / 8 % 16);
    return finish_png(file, &image, &kind);
}

/* Ramps of all 16 bits in each channel; alpha fades from the left to the right. */
bool paint_alpha16(FILE *file)
{
    static const struct png_kind kind = {PNG_COLOR_TYPE_RGB_ALPHA, 16, PNG_INTERLACE_NONE, NULL, 0};
    struct raster image = new_raster(48, 32, 4, 65535);
    for (int r = 0; image.samples && r < 32; r++) {
        for (int c = 0; c < 48; c++) {
            uint16_t *samples = pixel(&image, r, c);
            samples[0] = (uint16_t)(c * 65535 / 47);
            samples[1] = (uint16_t)(r * 65535 / 31);
            samples[2] = (uint16_t)((c * 1031 + r * 4099) % 65536);
            samples[3] = (uint16_t)(65535 - c * c * 29);
        }
    }
    return finish_png(file, &image, &kind);
}

/* A badge whose rim fades to transparent. The transparent pixels around it are green, with one
 * white pixel that is almost transparent. */
bool paint_badge(FILE *file)
{
    static const struct png_kind kind = {PNG_COLOR_TYPE_RGB_ALPHA, 8, PNG_INTERLACE_NONE, NULL, 0};
    struct raster image = new_raster(56, 40, 4, 255);
    for (int r = 0; image.samples && r < 40; r++) {
        for (int c = 0; c < 56; c++) {
            const int x = 2 * c - 55, y = 2 * r - 39, distance = x * x + y * y;
            const bool visible = distance < 32 * 32, grain = r == 4 && c == 50;
            uint16_t *samples = pixel(&image, r, c);
            samples[0] = visible ? 230 : grain ? 255 : 0;
            samples[1] = visible ? (uint16_t)(40 + 3 * r) : 255;
            samples[2] = visible ? 60 : grain ? 255 : 0;
            samples[3] = distance < 26 * 26 ? 255 : visible ? 128 : grain;
        }
    }
    return finish_png(file, &image, &kind);
}
