/* SPDX-License-Identifier: MIT */
#include "src/files/codec/carried.h"

#include "src/files/codec/exif.h"
#include "src/files/codec/format.h"

#include <stdlib.h>
#include <string.h>

#define NOT_CARRIED (-1)
#define XMP_KEYWORD "XML:com.adobe.xmp" /* an iTXt chunk with XMP begins with this */

/* Kinds of metadata that a user would miss in an output of another format, or after an operation
 * that moves pixels. If several entries match an item of metadata, the first of them applies.
 * Colour profiles of PNG are not copied to other formats, because they are compressed, and this
 * program decompresses no metadata. */
static const struct source {
    const char *items; /* names of the items of this kind, as in struct metadata_item */
    const char *word;  /* what messages call this kind */
    int kind;          /* enum carried_kind, or NOT_CARRIED */
    const char *head;  /* the item begins with these bytes; NULL: with any */
    size_t head_bytes; /* bytes at the item's beginning that are compared with `head`, if it is not
                          NULL, and that are not copied to the output */
} sources[] = {
    {"ICC ", "colour profile", CARRIED_PROFILE, NULL, SEGMENT_PART_BYTES},
    {"8773", "colour profile", CARRIED_PROFILE, NULL, 0},
    {"iCCP,cICP", "colour profile", NOT_CARRIED, NULL, 0},
    {"EXIF,eXIf", "EXIF", CARRIED_EXIF, NULL, 0},
    {"XMP ,02bc", "XMP", CARRIED_XMP, NULL, 0},
    {"iTXt", "XMP", CARRIED_XMP, PNG_XMP_HEAD, PNG_XMP_HEAD_BYTES},
    {"iTXt", "XMP", NOT_CARRIED, XMP_KEYWORD, sizeof XMP_KEYWORD},
    {"iTXt,tEXt,zTXt", "texts", NOT_CARRIED, NULL, 0},
    {METADATA_COMMENT ",COM ", "comments", NOT_CARRIED, NULL, 0},
    {"IPTC", "IPTC", NOT_CARRIED, NULL, 0},
    {"010e", "description", NOT_CARRIED, NULL, 0},
    {"0112", "orientation", NOT_CARRIED, NULL, 0},
    {"830e,8482,85d8,87af,87b0,87b1", "georeference", NOT_CARRIED, NULL, 0}, /* GeoTIFF's tags */
    {"a480,a481", "GDAL metadata", NOT_CARRIED, NULL, 0},
    {"sCAL", "scale", NOT_CARRIED, NULL, 0},
};

/* Returns the first entry of sources[] that matches the item. Returns NULL if no entry matches: a
 * user would not miss such an item. */
static const struct source *source_of(const struct metadata_item *item)
{
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        if (strstr(sources[i].items, item->name) &&
            item->count >= sources[i].head_bytes + (sources[i].kind != NOT_CARRIED) &&
            (!sources[i].head || memcmp(item->bytes, sources[i].head, sources[i].head_bytes) == 0))
            return &sources[i];
    return NULL;
}

/* True if these bytes of EXIF begin with the byte order, "II" or "MM", as PNG requires. */
static bool has_order(const uint8_t *bytes, size_t count)
{
    return count >= 4 && (memcmp(bytes, "II", 2) == 0 || memcmp(bytes, "MM", 2) == 0);
}

/* True if a file of this format can hold these `count` bytes of metadata of this kind. */
static bool takes(enum format output, int kind, const uint8_t *bytes, size_t count)
{
    switch (output) {
    case FORMAT_PNG:
        return kind != CARRIED_EXIF || has_order(bytes, count);
    case FORMAT_TIFF:
        return kind != CARRIED_EXIF;
    case FORMAT_JPEG:
        return kind == CARRIED_PROFILE
                   ? count <= SEGMENT_MAX_PARTS *
                                  (SEGMENT_MAX_BYTES - sizeof SEGMENT_PROFILE - SEGMENT_PART_BYTES)
                   : count <= SEGMENT_MAX_BYTES -
                                  (kind == CARRIED_XMP ? sizeof SEGMENT_XMP : sizeof SEGMENT_EXIF);
    default:
        return false;
    }
}

/* True if an output of this format gets the item of metadata from an input of another format. What
 * follows the samples (item->late) may be known too late, and so is never taken. */
static bool takes_item(enum format output, const struct metadata_item *item)
{
    const struct source *source = source_of(item);

    return source && source->kind != NOT_CARRIED && !item->late &&
           takes(output, source->kind, item->bytes + source->head_bytes,
                 item->count - source->head_bytes);
}

static bool append(struct carried *carried, const uint8_t *bytes, size_t count)
{
    uint8_t *longer = realloc(carried->bytes, carried->count + count);

    if (!longer)
        return false;
    memcpy(longer + carried->count, bytes, count);
    carried->bytes = longer;
    carried->count += count;
    return true;
}

bool carried_find(const struct image *header, enum format output, enum carried_kind kind,
                  struct carried *carried)
{
    const struct metadata *metadata = header->metadata;

    *carried = (struct carried){NULL, 0};
    for (size_t i = 0; metadata && i < metadata->count; i++) {
        const struct metadata_item *item = &metadata->items[i];
        const struct source *source = source_of(item);

        if (!source || source->kind != (int)kind || !takes_item(output, item))
            continue;
        if (!append(carried, item->bytes + source->head_bytes, item->count - source->head_bytes))
            return false;
        if (kind != CARRIED_PROFILE)
            break;
    }
    if (kind == CARRIED_EXIF && header->changes.transposed)
        exif_transpose(carried->bytes, carried->count);
    return true;
}

int carried_orientation(const struct metadata *metadata)
{
    for (size_t i = 0; metadata && i < metadata->count; i++) {
        const struct source *source = source_of(&metadata->items[i]);

        if (source && source->kind == CARRIED_EXIF && !metadata->items[i].late)
            return exif_orientation(metadata->items[i].bytes, metadata->items[i].count);
    }
    return ORIENTATION_AS_STORED;
}

/* True for an image description (TIFF tag 010e) that contains width and height, as those of
 * OME-TIFF and of Python's tifffile do. */
static bool names_sides(const struct metadata_item *item)
{
    const char *text = (const char *)item->bytes;

    return strcmp(item->name, "010e") == 0 &&
           ((*text == '{' && strstr(text, "\"shape\":")) || strstr(text, "<OME"));
}

bool carried_applies(const struct metadata_item *item, const struct changes *changes)
{
    const struct source *source = source_of(item);
    const char *word = source ? source->word : "";

    if (strcmp(word, "georeference") == 0)
        return !changes->transposed && !changes->reversed;
    return !changes->transposed || (strcmp(word, "scale") != 0 && !names_sides(item));
}

static void note_once(struct metadata_notes *notes, const char *word)
{
    if (!strstr(notes->text, word))
        metadata_note(notes, NULL, word);
}

void carried_note_lost(const struct image *result, enum format output, bool only_moved,
                       struct metadata_notes *notes)
{
    const struct metadata *metadata = result->metadata;
    const bool turns = output == FORMAT_PNG || output == FORMAT_TIFF || output == FORMAT_JPEG;
    const bool same = format_same_family(result->format, output);

    for (size_t i = 0; i < metadata->count; i++) {
        const struct metadata_item *item = &metadata->items[i];
        const struct source *source = source_of(item);

        if (source && !(same ? carried_applies(item, &result->changes) : takes_item(output, item)))
            note_once(notes, source->word);
    }
    if (!turns && carried_orientation(metadata) != ORIENTATION_AS_STORED)
        note_once(notes, "orientation");
    if (output == FORMAT_PNG && only_moved && strstr(metadata->left_out.text, "PLTE"))
        note_once(notes, "palette (the colours are RGB)");
    if (strstr(metadata->left_out.text, "acTL"))
        note_once(notes, "animation (all frames but the still image)");
}
