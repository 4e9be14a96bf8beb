/* SPDX-License-Identifier: MIT */
/* Text from outside, such as names of files, for a person's eyes: no byte of it that a terminal
 * would obey. Control characters, those of C1 in UTF-8 too, become \ooo, octal, as ls -b has them;
 * all else stays. */
#ifndef SMOOTHIMG_VISIBLE_H
#define SMOOTHIMG_VISIBLE_H

#include <stddef.h>
#include <stdio.h>

/* Copies text to `to`, which has room for that many bytes; what does not fit is left out. */
void visible_copy(char *to, size_t room, const char *text);

void visible_print(FILE *stream, const char *text);

#endif
