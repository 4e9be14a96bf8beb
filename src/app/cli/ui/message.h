/* SPDX-License-Identifier: MIT */
/* Messages for people, on standard error. */
#ifndef SMOOTHIMG_MESSAGE_H
#define SMOOTHIMG_MESSAGE_H

#include <stdio.h>

/* Columns of the terminal that the stream goes to; 80 if it does not tell, 0 if it is none. */
int message_columns(FILE *stream);

/* Prints text and a newline; on a terminal wrapped at spaces, further lines indented. Elsewhere the
 * text stays one line, for grep. Control characters must be escaped already. */
void message_wrap(FILE *stream, const char *text);

/* Prints "smoothimg: " and the text in this way on standard error, while no progress line is there.
 * Escapes control characters of the arguments. Truncates a long text. */
void message_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
