/* SPDX-License-Identifier: MIT */
/* Are two images the same, and if not, where: for --verify and for the tests. */
#ifndef SMOOTHIMG_COMPARE_H
#define SMOOTHIMG_COMPARE_H

#include "kernels/variant.h"

#define MAP_WIDTH 64
#define MAP_HEIGHT 16

struct difference {
    int64_t samples; /* that differ; 0: the images are the same */
    int64_t x, y;    /* the first of them, in reading order */
    int32_t channel;
    uint32_t wanted, got; /* its values; of floats the bits */
    /* The neighbourhood, a line a row: '.' same, 'x' different. It begins at the first difference's
     * row, and at a multiple of MAP_WIDTH pixels to its left, so that a column that goes wrong in
     * every tile is seen. */
    int64_t map_x, map_y;
    char map[MAP_HEIGHT * (MAP_WIDTH + 1) + 1];
};

/* Compares views of the same size, channels and sample_bytes, bit for bit. */
struct difference compare_views(const struct view *wanted, const struct view *got);

/* A sample for people: "137"; of 4 bytes "0.1 (0x3dcccccd)". */
struct sample_text {
    char text[32];
};
struct sample_text sample_text(uint32_t sample, int32_t sample_bytes);

#endif
