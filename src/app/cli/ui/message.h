/* SPDX-License-Identifier: MIT */
/* Messages for people, on standard error. */
#ifndef SMOOTHIMG_MESSAGE_H
#define SMOOTHIMG_MESSAGE_H

#include <stdio.h>

/* Columns of the terminal that the stream goes to; 80 if it does not tell, 0 if it is none. */
int message_columns(FILE *stream);

/* Prints text and a newline, wrapped at spaces, with further lines indented; columns 0: in one
 * line, for grep. Control characters must be escaped already. */
void message_wrap(FILE *stream, int columns, const char *text);

/* Prints "smoothimg: " and the text on standard error, wrapped on a terminal, while no progress
 * line is there. Escapes control characters of the arguments. Truncates a long text. */
void message_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
