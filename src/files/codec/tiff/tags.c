/* SPDX-License-Identifier: MIT */
/* Reads and writes tags that do not describe samples. An item of metadata has the tag's number, in
 * four hexadecimal digits, as its name, and the value as libtiff delivers it. */
#include "src/files/codec/tiff/tiff.h"

#include "src/files/codec/carried.h"
#include "src/files/codec/exif.h"

#include <stdlib.h>
#include <string.h>

/* The type of a value in libtiff's calls. */
enum tiff_value {
    TAG_TEXT,
    TAG_BYTES,
    TAG_SHORT, /* one number or two */
    TAG_LONG,
    TAG_FLOAT,
    TAG_SHORTS,
    TAG_DOUBLES
};

struct tiff_tag {
    uint32_t number;
    enum tiff_value value;
    char *name; /* the tag's name if libtiff does not know the tag (register_tags); else NULL */
};

#define TIFFTAG_GDAL_NODATA 42113

static const struct tiff_tag tiff_tags[] = {
    {TIFFTAG_SUBFILETYPE, TAG_LONG, NULL},
    {TIFFTAG_DOCUMENTNAME, TAG_TEXT, NULL},
    {TIFFTAG_IMAGEDESCRIPTION, TAG_TEXT, NULL},
    {TIFFTAG_MAKE, TAG_TEXT, NULL},
    {TIFFTAG_MODEL, TAG_TEXT, NULL},
    {TIFFTAG_ORIENTATION, TAG_SHORT, NULL},
    {TIFFTAG_XRESOLUTION, TAG_FLOAT, NULL},
    {TIFFTAG_YRESOLUTION, TAG_FLOAT, NULL},
    {TIFFTAG_PAGENAME, TAG_TEXT, NULL},
    {TIFFTAG_XPOSITION, TAG_FLOAT, NULL},
    {TIFFTAG_YPOSITION, TAG_FLOAT, NULL},
    {TIFFTAG_RESOLUTIONUNIT, TAG_SHORT, NULL},
    {TIFFTAG_PAGENUMBER, TAG_SHORT, NULL},
    {TIFFTAG_SOFTWARE, TAG_TEXT, NULL},
    {TIFFTAG_DATETIME, TAG_TEXT, NULL},
    {TIFFTAG_ARTIST, TAG_TEXT, NULL},
    {TIFFTAG_HOSTCOMPUTER, TAG_TEXT, NULL},
    {TIFFTAG_XMLPACKET, TAG_BYTES, NULL},
    {TIFFTAG_COPYRIGHT, TAG_TEXT, NULL},
    {33550, TAG_DOUBLES, "ModelPixelScale"},
    {33922, TAG_DOUBLES, "ModelTiepoint"},
    {34264, TAG_DOUBLES, "ModelTransformation"},
    {TIFFTAG_ICCPROFILE, TAG_BYTES, NULL},
    {34735, TAG_SHORTS, "GeoKeyDirectory"},
    {34736, TAG_DOUBLES, "GeoDoubleParams"},
    {34737, TAG_TEXT, "GeoAsciiParams"},
    {42112, TAG_TEXT, "GDAL_METADATA"},
    {TIFFTAG_GDAL_NODATA, TAG_TEXT, "GDAL_NODATA"},
};

#define TIFF_TAGS (sizeof tiff_tags / sizeof *tiff_tags)

/* Returns the entry of tiff_tags[] with this number, or NULL if the tag is not kept. */
static const struct tiff_tag *tag_of(uint32_t number)
{
    for (size_t i = 0; i < TIFF_TAGS; i++)
        if (tiff_tags[i].number == number)
            return &tiff_tags[i];
    return NULL;
}

static TIFFDataType type_of(const struct tiff_tag *tag)
{
    return tag->value == TAG_TEXT      ? TIFF_ASCII
           : tag->value == TAG_DOUBLES ? TIFF_DOUBLE
                                       : TIFF_SHORT;
}

/* Returns the size in bytes of one element of the tag's value: of a number in a list, else of a
 * character or byte. */
static size_t value_size(enum tiff_value value)
{
    return value == TAG_DOUBLES ? sizeof(double) : value == TAG_SHORTS ? sizeof(uint16_t) : 1;
}

struct tag_name {
    char text[5];
};

static struct tag_name tag_name(uint32_t number)
{
    struct tag_name name;

    snprintf(name.text, sizeof name.text, "%04x", (unsigned)number & 0xffff);
    return name;
}

union number {
    uint16_t shorts[2];
    uint32_t word;
    float real;
};

struct value_bytes {
    const void *bytes;
    size_t count;
    union number number; /* a value of TAG_SHORT (one or two numbers), TAG_LONG or TAG_FLOAT:
                            `bytes` then points here */
};

/* Gets the value of a tag that libtiff does not know. Returns false if the tag is absent, has
 * another type, is empty, or is a text without a zero byte. */
static bool get_unknown(TIFF *tif, const struct tiff_tag *tag, struct value_bytes *value)
{
    const TIFFField *field = TIFFFindField(tif, tag->number, TIFF_ANY);
    uint32_t count = 0;
    const void *bytes = NULL;

    if (!field || TIFFFieldDataType(field) != type_of(tag) || !TIFFFieldPassCount(field) ||
        TIFFFieldReadCount(field) != TIFF_VARIABLE2 ||
        !TIFFGetField(tif, tag->number, &count, &bytes))
        return false;
    value->bytes = bytes;
    value->count = count * value_size(tag->value);
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
    default:
        value->bytes = &value->number;
        value->count = sizeof value->number;
        return TIFFGetField(tif, tag->number, &value->number, &value->number.shorts[1]) != 0;
    }
}

/* True for the orientation "not turned", which is not kept: it is the default if the tag is
 * missing, and most files have it. */
static bool is_default(const struct tiff_tag *tag, const struct value_bytes *value)
{
    return tag->number == TIFFTAG_ORIENTATION && value->number.shorts[0] == ORIENTATION_TOPLEFT;
}

static enum status keep(struct image_reader *reader, const struct tiff_tag *tag,
                        const struct value_bytes *value, struct error *error)
{
    char what[32];

    snprintf(what, sizeof what, "the tag %u", (unsigned)tag->number);
    return image_reader_keep(reader, tag_name(tag->number).text, what, value->bytes, value->count,
                             error);
}

/* Notes the tags that are not kept. Asks for the tag SubIFDs separately, because libtiff's list
 * lacks it. */
static void note_others(TIFF *tif, struct metadata_notes *left_out)
{
    const int count = TIFFGetTagListCount(tif);
    uint16_t directories;
    const void *offsets;

    for (int i = 0; i < count; i++) {
        const uint32_t number = TIFFGetTagListEntry(tif, i);
        const TIFFField *field = TIFFFindField(tif, number, TIFF_ANY);

        if (!tag_of(number) && field)
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

        if (found && tiff_tags[i].number == TIFFTAG_GDAL_NODATA)
            snprintf(reader->no_data, sizeof reader->no_data, "%s", (const char *)value.bytes);
        if (found && !is_default(&tiff_tags[i], &value) &&
            (reader->max_metadata > 0 || tiff_tags[i].number == TIFFTAG_ORIENTATION))
            status = keep(reader, &tiff_tags[i], &value, error);
    }
    if (reader->max_metadata > 0)
        note_others(handle->tif, &reader->metadata.left_out);
    return status;
}

/* Returns the number of the output's tag that gets the value of the input's tag `number`: another
 * tag after a transpose, which exchanges x and y. */
static uint32_t target_of(uint32_t number, const struct changes *changes)
{
    static const uint32_t pairs[][2] = {{TIFFTAG_XRESOLUTION, TIFFTAG_YRESOLUTION},
                                        {TIFFTAG_XPOSITION, TIFFTAG_YPOSITION}};

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs && changes->transposed; i++)
        for (int j = 0; j < 2; j++)
            if (pairs[i][j] == number)
                return pairs[i][1 - j];
    return number;
}

static int set(TIFF *tif, const struct tiff_tag *tag, const struct metadata_item *item,
               const struct changes *changes)
{
    const uint32_t number = target_of(tag->number, changes);
    union number value = {{0}};

    if (item->count == sizeof value) /* a single number */
        memcpy(&value, item->bytes, sizeof value);
    switch (tag->value) {
    case TAG_TEXT:
        return TIFFSetField(tif, number, item->bytes);
    case TAG_FLOAT:
        return TIFFSetField(tif, number, (double)value.real);
    case TAG_LONG:
        return TIFFSetField(tif, number, value.word);
    case TAG_SHORT:
        if (number == TIFFTAG_ORIENTATION && changes->transposed)
            value.shorts[0] = (uint16_t)orientation_transposed(value.shorts[0]);
        return TIFFSetField(tif, number, value.shorts[0], value.shorts[1]);
    default:
        return TIFFSetField(tif, number, (uint32_t)(item->count / value_size(tag->value)),
                            item->bytes);
    }
}

/* Registers the tags of tiff_tags[] that libtiff does not know. libtiff forgets them after each
 * image. */
static bool register_tags(TIFF *tif)
{
    TIFFFieldInfo infos[TIFF_TAGS];
    uint32_t count = 0;

    for (size_t i = 0; i < TIFF_TAGS; i++)
        if (tiff_tags[i].name)
            infos[count++] = (TIFFFieldInfo){.field_tag = tiff_tags[i].number,
                                             .field_readcount = TIFF_VARIABLE2,
                                             .field_writecount = TIFF_VARIABLE2,
                                             .field_type = type_of(&tiff_tags[i]),
                                             .field_bit = FIELD_CUSTOM,
                                             .field_oktochange = 1,
                                             .field_passcount = tiff_tags[i].value != TAG_TEXT,
                                             .field_name = tiff_tags[i].name};
    return TIFFMergeFieldInfo(tif, infos, count) == 0;
}

static bool set_bytes(TIFF *tif, uint32_t number, const struct carried *carried)
{
    return carried->count == 0 ||
           TIFFSetField(tif, number, (uint32_t)carried->count, carried->bytes);
}

/* Writes the metadata of an image that was read from another format. */
static bool write_carried(TIFF *tif, const struct image *header)
{
    int orientation = carried_orientation(header->metadata);
    struct carried profile, xmp;
    bool good = carried_find(header, FORMAT_TIFF, CARRIED_PROFILE, &profile);

    good = carried_find(header, FORMAT_TIFF, CARRIED_XMP, &xmp) && good &&
           set_bytes(tif, TIFFTAG_ICCPROFILE, &profile) && set_bytes(tif, TIFFTAG_XMLPACKET, &xmp);
    free(profile.bytes);
    free(xmp.bytes);
    if (header->changes.transposed)
        orientation = orientation_transposed(orientation);
    return good && (orientation == ORIENTATION_AS_STORED ||
                    TIFFSetField(tif, TIFFTAG_ORIENTATION, (uint16_t)orientation));
}

enum status tiff_tags_write(struct tiff_handle *handle, const struct image *header,
                            struct error *error)
{
    const bool from_tiff = header->format == FORMAT_TIFF && header->metadata;
    bool good = from_tiff ? register_tags(handle->tif) : write_carried(handle->tif, header);

    for (size_t i = 0; i < TIFF_TAGS && from_tiff && good; i++) {
        const struct metadata_item *item =
            metadata_find(header->metadata, tag_name(tiff_tags[i].number).text);

        if (item && carried_applies(item, &header->changes))
            good = set(handle->tif, &tiff_tags[i], item, &header->changes);
    }
    return good ? STATUS_OK : tiff_fault(handle, NULL, error);
}
