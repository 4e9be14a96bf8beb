/* SPDX-License-Identifier: MIT */
/* Makes text from outside, such as file names, safe to print on a terminal: control characters,
 * those of C1 in UTF-8 too, become octal \ooo, as ls -b prints them. */
#ifndef SMOOTHIMG_ESCAPE_H
#define SMOOTHIMG_ESCAPE_H

#include <stddef.h>
#include <stdio.h>

/* Copies text to `to`, of `room` bytes; cuts what does not fit. */
void escape_copy(char *to, size_t room, const char *text);

void escape_print(FILE *stream, const char *text);

#endif
