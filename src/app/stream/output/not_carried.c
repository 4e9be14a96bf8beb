/* SPDX-License-Identifier: MIT */
#include "src/app/stream/output/not_carried.h"

#include <string.h>

static const struct {
    const char *item, *kind;
} kinds[] = {
    {METADATA_COMMENT, "comments"},
    {"iCCP", "colour profile"},
    {"cICP", "colour profile"},
    {"eXIf", "EXIF"},
    {"tEXt", "texts"},
    {"zTXt", "texts"},
    {"iTXt", "texts"},
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
        const bool of_netpbm = strcmp(kinds[i].item, METADATA_COMMENT) == 0;

        if (of_netpbm == (output == FORMAT_PNG) && has(metadata, kinds[i].item) &&
            !strstr(notes->text, kinds[i].kind))
            metadata_note(notes, NULL, kinds[i].kind);
    }
    if (strstr(metadata->left_out.text, "acTL"))
        metadata_note(notes, NULL, "animation (all frames but the still image)");
}
