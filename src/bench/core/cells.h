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

/* factor * value and the unit, or "-" where the value is not above 0. */
struct cell optional_cell(double value, double factor, const char *unit);

/* A share as "12.3 %", a gain as "x 3.2"; "-" for 0, where it is not known. */
struct cell share_cell(double share);
struct cell gain_cell(double gain);

/* Prints words from column `at`; what does not fit goes on in the next line, indented. */
void print_wrapped(FILE *stream, const char *text, int at);

#endif
