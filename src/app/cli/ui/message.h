/* SPDX-License-Identifier: MIT */
/* Messages for people, on standard error. */
#ifndef SMOOTHIMG_MESSAGE_H
#define SMOOTHIMG_MESSAGE_H

#include <stdio.h>

/* Columns of the terminal that the stream goes to; 80 if it does not tell, 0 if it is none. */
int message_columns(FILE *stream);

#define MESSAGE_BYTES 4096

/* The text and a newline, but no zero byte: wrapped at spaces, with further lines indented; columns
 * 0: in one line, for grep. Returns its length; a long text is truncated. */
size_t message_wrap(const char *text, int columns, char wrapped[MESSAGE_BYTES]);

/* Prints "smoothimg: " and the text on standard error, wrapped on a terminal, while no progress
 * line is there. Escapes control characters of the arguments. Truncates a long text. */
void message_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
