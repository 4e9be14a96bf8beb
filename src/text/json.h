/* SPDX-License-Identifier: MIT */
/* Writes JSON values; the locale makes no difference. The caller writes braces and brackets, and
 * the commas that these functions do not write. */
#ifndef SMOOTHIMG_JSON_H
#define SMOOTHIMG_JSON_H

#include <stdio.h>

/* Writes a quoted string in UTF-8. File names may contain any bytes: a byte that is not valid UTF-8
 * becomes \udc80 to \udcff, as with Python's surrogateescape, so that a reader can recover the
 * name. */
void json_string(FILE *stream, const char *text);

/* Writes a number with up to `digits` significant digits (17 are exact for a double), or null for
 * an infinity or a NaN. */
void json_number(FILE *stream, double value, int digits);

/* Writes "key": "text". Does not escape the key. */
void json_text_pair(FILE *stream, const char *key, const char *text);

/* These functions write ", " and then a pair, for the second and later pairs of an object. */
void json_next_text(FILE *stream, const char *key, const char *text);
void json_next_number(FILE *stream, const char *key, double value, int digits);

#endif
