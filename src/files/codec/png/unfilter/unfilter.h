/* SPDX-License-Identifier: MIT */
/* Undoes the filters of PNG's rows, several rows at once. */
#ifndef SMOOTHIMG_CODEC_PNG_UNFILTER_H
#define SMOOTHIMG_CODEC_PNG_UNFILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UNFILTER_VECTOR 16 /* bytes: a pixel of each row */
#define UNFILTER_STEPS 8   /* pixels of each row that are gathered at a time */

struct unfilter {
    size_t pixel_bytes; /* 1, 2, 3, 4, 6 or 8 */
    size_t pixels;      /* in a row */
    size_t pitch;       /* from a row to the next */
    size_t rows;        /* at once */
    uint8_t *memory;    /* owned: the row above, then the rows, with room around each */
    uint8_t filters[UNFILTER_VECTOR]; /* enum png_filter of each row */
};

/* The bytes that unfilter_open allocates. */
size_t unfilter_bytes(size_t pixel_bytes, size_t pixels);

/* The row above the first is zero. False without memory. unfilter_close is harmless on zeros. */
bool unfilter_open(struct unfilter *unfilter, size_t pixel_bytes, size_t pixels);
void unfilter_close(struct unfilter *unfilter);

/* Row i of the next rows. The byte before it is there for its filter, and is lost. */
uint8_t *unfilter_row(const struct unfilter *unfilter, size_t i);

/* The row above the next rows. */
const uint8_t *unfilter_above(const struct unfilter *unfilter);

/* Undoes unfilter->filters of rows 0..count-1, in their places. The last of them becomes the row
 * above the next ones. 1 <= count <= unfilter->rows. */
void unfilter_run(struct unfilter *unfilter, size_t count);

/* For unfilter_run, in diagonals.c: undoes any filters of unfilter->rows rows. */
void unfilter_diagonals(const struct unfilter *unfilter);

#endif
