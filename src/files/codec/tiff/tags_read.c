/* SPDX-License-Identifier: MIT */
#include "src/files/codec/tiff/tags.h"

#include <stdlib.h>
#include <string.h>

/* A value in memory: either of these. */
struct value_bytes {
    const void *bytes;
    size_t count;
    uint16_t shorts[2];
    uint32_t word;
    float real;
};

/* A tag that libtiff made a field for when it met it. False: absent, or of another type. */
static bool get_unknown(TIFF *tif, const struct tiff_tag *tag, struct value_bytes *value)
{
    const TIFFField *field = TIFFFindField(tif, tag->number, TIFF_ANY);
    uint32_t count = 0;
    const void *bytes = NULL;

    if (!field || TIFFFieldDataType(field) != tiff_tag_type(tag) || !TIFFFieldPassCount(field) ||
        TIFFFieldReadCount(field) != TIFF_VARIABLE2 ||
        !TIFFGetField(tif, tag->number, &count, &bytes))
        return false;
    value->bytes = bytes;
    value->count = count * tiff_value_size(tag->value);
    return count > 0 && (tag->value != TAG_TEXT || memchr(bytes, '\0', count));
}

static bool get_known(TIFF *tif, const struct tiff_tag *tag, struct value_bytes *value)
{
    uint32_t count = 0;

    switch (tag->value) {
    case TAG_TEXT:
        if (!TIFFGetField(tif, tag->number, &value->bytes))
            return false;
        value->count = strlen(value->bytes) + 1;
        return true;
    case TAG_BYTES:
        if (!TIFFGetField(tif, tag->number, &count, &value->bytes))
            return false;
        value->count = count;
        return count > 0;
    case TAG_FLOAT:
        value->bytes = &value->real;
        value->count = sizeof value->real;
        return TIFFGetField(tif, tag->number, &value->real) != 0;
    case TAG_LONG:
        value->bytes = &value->word;
        value->count = sizeof value->word;
        return TIFFGetField(tif, tag->number, &value->word) != 0;
    default:
        value->bytes = value->shorts;
        value->count = sizeof value->shorts;
        return TIFFGetField(tif, tag->number, &value->shorts[0], &value->shorts[1]) != 0;
    }
}

/* Most files say that they are not turned, which is nothing to miss. */
static bool is_default(const struct tiff_tag *tag, const struct value_bytes *value)
{
    return tag->number == TIFFTAG_ORIENTATION && value->shorts[0] == ORIENTATION_TOPLEFT;
}

static enum status keep(struct image_reader *reader, const struct tiff_tag *tag,
                        const struct value_bytes *value, struct error *error)
{
    char what[32];
    uint8_t *copy;

    snprintf(what, sizeof what, "the tag %u", (unsigned)tag->number);
    if (!metadata_has_room(&reader->metadata, value->count, reader->max_metadata))
        return metadata_too_large(reader->name, what, reader->max_metadata, error);
    copy = malloc(value->count > 0 ? value->count : 1);
    if (copy && value->count > 0)
        memcpy(copy, value->bytes, value->count);
    if (copy &&
        metadata_add(&reader->metadata, tiff_tag_name(tag->number).text, false, copy, value->count))
        return STATUS_OK;
    return fail(error, STATUS_INPUT, "%s: no memory for its metadata", reader->name);
}

/* Names what is not kept: unknown tags, those with an offset of other directories, and the rest. */
static void note_others(TIFF *tif, struct metadata_notes *left_out)
{
    const int count = TIFFGetTagListCount(tif);
    uint16_t directories;
    const void *offsets;

    for (int i = 0; i < count; i++) {
        const uint32_t number = TIFFGetTagListEntry(tif, i);
        const TIFFField *field = TIFFFindField(tif, number, TIFF_ANY);

        if (!tiff_tag_of(number) && field)
            metadata_note(left_out, TIFFFieldName(field), "not kept");
    }
    if (TIFFGetField(tif, TIFFTAG_SUBIFD, &directories, &offsets))
        metadata_note(left_out, "SubIFDs", "not kept");
}

enum status tiff_tags_read(struct tiff_handle *handle, struct image_reader *reader,
                           struct error *error)
{
    enum status status = STATUS_OK;

    for (size_t i = 0; i < TIFF_TAGS && status == STATUS_OK; i++) {
        struct value_bytes value = {.bytes = NULL};
        const bool found = tiff_tags[i].name ? get_unknown(handle->tif, &tiff_tags[i], &value)
                                             : get_known(handle->tif, &tiff_tags[i], &value);

        if (found && !is_default(&tiff_tags[i], &value))
            status = keep(reader, &tiff_tags[i], &value, error);
    }
    note_others(handle->tif, &reader->metadata.left_out);
    return status;
}
