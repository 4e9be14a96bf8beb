/* SPDX-License-Identifier: MIT */
/* Values as JSON, the same in every locale. What is around them is the caller's. */
#ifndef SMOOTHIMG_JSON_H
#define SMOOTHIMG_JSON_H

#include <stdio.h>

/* A string in its quotes, in UTF-8. A name of a file may be any bytes: one that is no part of a
 * character in UTF-8 becomes \udc80 to \udcff, as Python's surrogateescape has it, so that the name
 * can be had back. */
void json_string(FILE *stream, const char *text);

/* The shortest number of so many digits or fewer (17 tell every double apart); null for what is not
 * finite. */
void json_number(FILE *stream, double value, int digits);

/* "key": and the value. The key is written as it stands. */
void json_text_pair(FILE *stream, const char *key, const char *text);
void json_number_pair(FILE *stream, const char *key, double value, int digits);
void json_integer_pair(FILE *stream, const char *key, long long value);

#endif
