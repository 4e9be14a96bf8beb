/* SPDX-License-Identifier: MIT */
/* Paints tiny images: the smallest sizes, and the formats related to PGM. */
#include <stdlib.h>

#include "images/make/make_images.h"

/* Writes the raster as PGM and frees it. */
static bool finish_pgm(FILE *file, struct raster *image)
{
    const bool done = write_pgm(file, image);
    free(image->samples);
    return done;
}

static bool paint_list(FILE *file, int width, int height, const uint16_t *samples)
{
    struct raster image = new_raster(width, height, 1, 255);
    for (int i = 0; image.samples && i < width * height; i++)
        image.samples[i] = samples[i];
    return finish_pgm(file, &image);
}

bool paint_dot(FILE *file)
{
    return paint_list(file, 1, 1, (const uint16_t[]){137});
}

bool paint_column(FILE *file)
{
    return paint_list(file, 1, 7, (const uint16_t[]){3, 250, 17, 99, 0, 255, 64});
}

bool paint_row(FILE *file)
{
    return paint_list(file, 5, 1, (const uint16_t[]){255, 0, 31, 200, 7});
}

bool paint_impulse(FILE *file)
{
    struct raster image = new_raster(17, 17, 1, 255);
    if (image.samples)
        image.samples[8 * 17 + 8] = 255;
    return finish_pgm(file, &image);
}

bool paint_flat(FILE *file)
{
    struct raster image = new_raster(64, 48, 1, 255);
    for (int i = 0; image.samples && i < 64 * 48; i++)
        image.samples[i] = 200;
    return finish_pgm(file, &image);
}

/* This plain PBM file has what the format allows: a comment, and digits with and without blanks
 * between them. */
bool paint_letters(FILE *file)
{
    fputs("P1\n# black is 1\n20 10\n"
          "00000000000000000000\n"
          "0 1 1 1 1 0 0 0 1 1 1 1 0 0 1 0 0 0 1 0\n"
          "01000100100010110110\n"
          "01000100100010101010\n"
          "01111000111100101010\n"
          "01000000100010100010\n"
          "01000000100010100010\n"
          "01000000111100100010\n"
          "00000000000000000000\n"
          "11111111111111111111\n",
          file);
    return true;
}

bool paint_rgb(FILE *file)
{
    fputs("P3 # a comment in the header\n4 3 255\n"
          "255 0 0   0 255 0   0 0 255   255 255 255\n"
          "0 0 0   128 64 32   32 64 128   1 2 3\n"
          "250 251 252   9 99 199   77 77 77   5 0 250\n",
          file);
    return true;
}

/* Two images of different sizes, one after the other, in one file. */
bool paint_two(FILE *file)
{
    return paint_list(file, 3, 2, (const uint16_t[]){10, 60, 110, 160, 210, 255}) &&
           paint_list(file, 2, 4, (const uint16_t[]){0, 255, 255, 0, 0, 255, 128, 127});
}

bool paint_alpha(FILE *file)
{
    fputs("P7\nWIDTH 6\nHEIGHT 5\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n", file);
    for (int i = 0; i < 6 * 5; i++) {
        putc(i * 37 % 256, file);
        putc(255 - i * 8, file);
    }
    return true;
}
