/* SPDX-License-Identifier: MIT */
#include "src/text/json.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Returns the number of bytes of the UTF-8 character at the start of `text`, or 0 if the character
 * is not valid. An overlong form, a surrogate and a number above U+10FFFF are not valid. */
static int character_bytes(const unsigned char *text)
{
    /* The first byte gives the length, and restricts the range of the second byte. */
    const unsigned char first = *text;
    const int bytes = first < 0x80                    ? 1
                      : first >= 0xc2 && first < 0xe0 ? 2
                      : first >= 0xe0 && first < 0xf0 ? 3
                      : first >= 0xf0 && first < 0xf5 ? 4
                                                      : 0;
    const unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const unsigned char high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;

    if (bytes > 1 && (text[1] < low || text[1] > high))
        return 0;
    /* The 0 that ends the text is outside of 0x80..0xbf, so the loop reads no byte after that 0. */
    for (int i = 2; i < bytes; i++)
        if (text[i] < 0x80 || text[i] > 0xbf)
            return 0;
    return bytes;
}

void json_string(FILE *stream, const char *text)
{
    const unsigned char *c = (const unsigned char *)text;

    fputc('"', stream);
    while (*c) {
        const int bytes = character_bytes(c);

        if (bytes == 0)
            fprintf(stream, "\\udc%02x", *c);
        else if (*c == '"' || *c == '\\')
            fprintf(stream, "\\%c", *c);
        else if (*c < 0x20 || *c == 0x7f)
            fprintf(stream, "\\u%04x", *c);
        else
            fwrite(c, 1, (size_t)bytes, stream);
        c += bytes > 0 ? bytes : 1;
    }
    fputc('"', stream);
}

/* printf writes the locale's decimal separator, which has one or several bytes. This function
 * replaces it by a point. */
void json_number(FILE *stream, double value, int digits)
{
    char text[64];
    bool within = false;

    if (!isfinite(value)) {
        fputs("null", stream);
        return;
    }
    snprintf(text, sizeof text, "%.*g", digits, value);
    for (const char *c = text; *c; c++) {
        const bool usual = strchr("0123456789+-e", *c) != NULL;

        if (usual)
            fputc(*c, stream);
        else if (!within)
            fputc('.', stream);
        within = !usual;
    }
}

void json_text_pair(FILE *stream, const char *key, const char *text)
{
    fprintf(stream, "\"%s\": ", key);
    json_string(stream, text);
}

void json_next_text(FILE *stream, const char *key, const char *text)
{
    fputs(", ", stream);
    json_text_pair(stream, key, text);
}

void json_next_number(FILE *stream, const char *key, double value, int digits)
{
    fprintf(stream, ", \"%s\": ", key);
    json_number(stream, value, digits);
}
