/* SPDX-License-Identifier: MIT */
#include "src/lib/base/escape.h"

#include <stdbool.h>

#define SHOWN_BYTES 4 /* the longest form of a byte: \ooo */

/* True if the first byte of text is a control character or part of one. `before` is the byte that
 * precedes text. */
static bool is_control(const unsigned char *text, unsigned char before)
{
    return *text < 0x20 || *text == 0x7f ||
           (text[0] == 0xc2 && text[1] >= 0x80 && text[1] < 0xa0) ||
           (before == 0xc2 && *text >= 0x80 && *text < 0xa0);
}

/* Writes the first byte of text, escaped if it has to be, to `shown`. Returns the number of bytes
 * written. */
static size_t show(const unsigned char *text, unsigned char before, char shown[SHOWN_BYTES + 1])
{
    if (is_control(text, before))
        return (size_t)snprintf(shown, SHOWN_BYTES + 1, "\\%03o", *text);
    shown[0] = (char)*text;
    return 1;
}

void escape_copy(char *to, size_t room, const char *text)
{
    const unsigned char *byte = (const unsigned char *)text;
    char shown[SHOWN_BYTES + 1];
    size_t used = 0;

    for (unsigned char before = 0; *byte; before = *byte++) {
        const size_t length = show(byte, before, shown);

        if (used + length >= room)
            break;
        for (size_t i = 0; i < length; i++)
            to[used++] = shown[i];
    }
    to[used] = '\0';
}

void escape_print(FILE *stream, const char *text)
{
    const unsigned char *byte = (const unsigned char *)text;
    char shown[SHOWN_BYTES + 1];

    for (unsigned char before = 0; *byte; before = *byte++)
        fwrite(shown, 1, show(byte, before, shown), stream);
}
