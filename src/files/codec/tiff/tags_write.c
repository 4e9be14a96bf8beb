/* SPDX-License-Identifier: MIT */
/* What operations make of the tags. */
#include "src/files/codec/tiff/tags.h"

#include <string.h>

static const struct metadata_item *item_of(const struct metadata *metadata, uint32_t number)
{
    const struct tiff_tag_name name = tiff_tag_name(number);

    for (size_t i = 0; i < metadata->count; i++)
        if (strcmp(metadata->items[i].name, name.text) == 0)
            return &metadata->items[i];
    return NULL;
}

/* Descriptions that name the sides: of OME-TIFF, and of Python's tifffile. */
static bool names_sides(const struct tiff_tag *tag, const struct metadata_item *item)
{
    const char *text = (const char *)item->bytes;

    return tag->number == TIFFTAG_IMAGEDESCRIPTION &&
           ((*text == '{' && strstr(text, "\"shape\":")) || strstr(text, "<OME"));
}

static bool still_applies(const struct tiff_tag *tag, const struct metadata_item *item,
                          const struct changes *changes)
{
    if (tag->rule == TAG_IN_PLACE)
        return !changes->transposed && !changes->reversed;
    return tag->rule == TAG_ALWAYS || !changes->transposed || !names_sides(tag, item);
}

/* The tag that takes this one's value: of x and y, transpose exchanges the values. */
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

/* The orientation says how a viewer turns the stored image. After transpose it has to turn the
 * other way round, so that what is seen is transposed: turns by 90 and 270 degrees change places,
 * and so do the two mirror images. A turn by 180 degrees goes with all of them. */
static uint16_t orientation_after(uint16_t orientation, const struct changes *changes)
{
    if (!changes->transposed)
        return orientation;
    switch (orientation) {
    case ORIENTATION_TOPRIGHT:
        return ORIENTATION_BOTLEFT;
    case ORIENTATION_BOTLEFT:
        return ORIENTATION_TOPRIGHT;
    case ORIENTATION_RIGHTTOP:
        return ORIENTATION_LEFTBOT;
    case ORIENTATION_LEFTBOT:
        return ORIENTATION_RIGHTTOP;
    default:
        return orientation;
    }
}

static int set(TIFF *tif, const struct tiff_tag *tag, const struct metadata_item *item,
               const struct changes *changes)
{
    const uint32_t number = target_of(tag->number, changes);
    uint16_t shorts[2] = {0};
    uint32_t word;
    float real;

    switch (tag->value) {
    case TAG_TEXT:
        return TIFFSetField(tif, number, item->bytes);
    case TAG_FLOAT:
        memcpy(&real, item->bytes, sizeof real);
        return TIFFSetField(tif, number, (double)real);
    case TAG_LONG:
        memcpy(&word, item->bytes, sizeof word);
        return TIFFSetField(tif, number, word);
    case TAG_SHORT:
    case TAG_PAIR:
        memcpy(shorts, item->bytes, sizeof shorts);
        if (number == TIFFTAG_ORIENTATION)
            shorts[0] = orientation_after(shorts[0], changes);
        return TIFFSetField(tif, number, shorts[0], shorts[1]);
    default:
        return TIFFSetField(tif, number, (uint32_t)(item->count / tiff_value_size(tag->value)),
                            item->bytes);
    }
}

/* Tells libtiff of the tags that it does not know. It forgets them after each image. */
static bool register_tags(TIFF *tif)
{
    TIFFFieldInfo infos[TIFF_TAGS];
    uint32_t count = 0;

    for (size_t i = 0; i < TIFF_TAGS; i++)
        if (tiff_tags[i].name)
            infos[count++] = (TIFFFieldInfo){.field_tag = tiff_tags[i].number,
                                             .field_readcount = TIFF_VARIABLE2,
                                             .field_writecount = TIFF_VARIABLE2,
                                             .field_type = tiff_tag_type(&tiff_tags[i]),
                                             .field_bit = FIELD_CUSTOM,
                                             .field_oktochange = 1,
                                             .field_passcount = tiff_tags[i].value != TAG_TEXT,
                                             .field_name = tiff_tags[i].name};
    return TIFFMergeFieldInfo(tif, infos, count) == 0;
}

enum status tiff_tags_write(struct tiff_handle *handle, const struct image *header,
                            struct error *error)
{
    const bool from_tiff = header->format == FORMAT_TIFF && header->metadata;
    bool good = !from_tiff || register_tags(handle->tif);

    for (size_t i = 0; i < TIFF_TAGS && from_tiff && good; i++) {
        const struct metadata_item *item = item_of(header->metadata, tiff_tags[i].number);

        if (item && still_applies(&tiff_tags[i], item, &header->changes))
            good = set(handle->tif, &tiff_tags[i], item, &header->changes);
    }
    return good ? STATUS_OK : tiff_fault(handle, STATUS_OUTPUT, NULL, error);
}
