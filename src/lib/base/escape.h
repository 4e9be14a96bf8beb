/* SPDX-License-Identifier: MIT */
/* Makes text from outside, such as file names, safe to print on a terminal. Each byte of a control
 * character (C0, DEL, and C1 in UTF-8) becomes octal \ooo. */
#ifndef SMOOTHIMG_ESCAPE_H
#define SMOOTHIMG_ESCAPE_H

#include <stddef.h>
#include <stdio.h>

/* Copies text, escaped, to `to`, an array of `room` bytes; room is at least 1. Truncates a text
 * that does not fit, but never within an escape. The copy always ends with a zero byte. */
void escape_copy(char *to, size_t room, const char *text);

void escape_print(FILE *stream, const char *text);

#endif
