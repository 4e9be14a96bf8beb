/* SPDX-License-Identifier: MIT */
/* Formats numbers as the cells of tables, and wraps text. The tables are 80 columns wide. */
#ifndef SMOOTHIMG_CELLS_H
#define SMOOTHIMG_CELLS_H

#include <stdio.h>

struct cell {
    char text[32];
};

/* Returns "12.34 us", "5.678 ms" or "9.012 s". */
struct cell seconds_cell(double seconds);

/* Returns the number with as many decimals as four significant digits need, but at most three, and
 * without exponent: "0.123", "12.35", "123456". */
struct cell number_cell(double value);

struct cell share_cell(double share); /* "12.3 %" for 0.123; more decimals for a small share */
struct cell gain_cell(double gain);   /* "x 3.20" for 3.2 */

/* Returns an integer without a point, and other numbers with `digits` decimals: "4", "12.77". */
struct cell ratio_cell(double ratio, int digits);

/* Prints the text from column `at` on, and a newline at the end. Wraps before column 80, and
 * indents further lines by 4. */
void print_wrapped(FILE *stream, const char *text, int at);

#endif
