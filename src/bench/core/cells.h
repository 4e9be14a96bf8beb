/* SPDX-License-Identifier: MIT */
/* Pieces of tables for people, within 80 columns. */
#ifndef SMOOTHIMG_CELLS_H
#define SMOOTHIMG_CELLS_H

#include <stdio.h>

/* By value: it needs no care. */
struct cell {
    char text[32];
};

/* "12.34 us", "5.678 ms", "9.012 s". */
struct cell seconds_cell(double seconds);

/* Four significant digits, and no power of ten. */
struct cell number_cell(double value);

/* A share as "12.3 %", a gain as "x 3.2", a whole number. */
struct cell share_cell(double share);
struct cell gain_cell(double gain);
struct cell count_cell(double count);

/* Prints words from column `at`; the rest continues in the next line, indented. */
void print_wrapped(FILE *stream, const char *text, int at);

#endif
