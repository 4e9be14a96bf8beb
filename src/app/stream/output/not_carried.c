/* SPDX-License-Identifier: MIT */
#include "src/app/stream/output/not_carried.h"

#include <string.h>

/* The metadata of a format that a person would miss. */
static const struct {
    enum format format;
    const char *item, *kind;
} kinds[] = {
    {FORMAT_PAM, METADATA_COMMENT, "comments"},
    {FORMAT_PNG, "iCCP", "colour profile"},
    {FORMAT_PNG, "cICP", "colour profile"},
    {FORMAT_PNG, "eXIf", "EXIF"},
    {FORMAT_PNG, "tEXt", "texts"},
    {FORMAT_PNG, "zTXt", "texts"},
    {FORMAT_PNG, "iTXt", "texts"},
    {FORMAT_TIFF, "8773", "colour profile"},
    {FORMAT_TIFF, "010e", "description"},
    {FORMAT_TIFF, "0112", "orientation"},
    {FORMAT_TIFF, "02bc", "XMP"},
};

static bool has(const struct metadata *metadata, const char *item)
{
    for (size_t i = 0; i < metadata->count; i++)
        if (strcmp(metadata->items[i].name, item) == 0)
            return true;
    return false;
}

void not_carried_note(const struct metadata *metadata, enum format output,
                      struct metadata_notes *notes)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!format_same_family(kinds[i].format, output) && has(metadata, kinds[i].item) &&
            !strstr(notes->text, kinds[i].kind))
            metadata_note(notes, NULL, kinds[i].kind);
    }
    if (strstr(metadata->left_out.text, "acTL"))
        metadata_note(notes, NULL, "animation (all frames but the still image)");
}
