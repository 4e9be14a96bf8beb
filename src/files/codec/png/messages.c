/* SPDX-License-Identifier: MIT */
/* libpng's errors and warnings, as messages of this program. */
#include "src/files/codec/png/png.h"

#include <ctype.h>
#include <string.h>

void png_trouble_error(png_structp png, png_const_charp text)
{
    const struct png_trouble *trouble = png_get_error_ptr(png);

    /* First "IHDR: CRC error"; then sentences, unless they begin with an abbreviation. */
    if (strlen(text) > 4 && strcmp(text + 4, ": CRC error") == 0)
        fail(trouble->error, trouble->status, "%s: damaged: wrong checksum in the chunk %.4s",
             trouble->name, text);
    else if (*text && islower((unsigned char)text[1]))
        fail(trouble->error, trouble->status, "%s: %c%s", trouble->name,
             tolower((unsigned char)*text), text + 1);
    else
        fail(trouble->error, trouble->status, "%s: %s", trouble->name, text);
    png_longjmp(png, 1);
}

/* If a warning begins with the name of a chunk ("tRNS: invalid"), libpng has dropped that chunk;
 * else it has dropped nothing. */
void png_trouble_warning(png_structp png, png_const_charp text)
{
    const struct png_trouble *trouble = png_get_error_ptr(png);
    char name[5];

    if (!trouble->metadata)
        return;
    snprintf(name, sizeof name, "%s", text);
    if (strlen(text) > 6 && memcmp(text + 4, ": ", 2) == 0)
        metadata_note(&trouble->metadata->damaged, name, text + 6);
    else
        metadata_note(&trouble->metadata->faults, NULL, text);
}
