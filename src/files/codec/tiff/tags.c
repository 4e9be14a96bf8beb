/* SPDX-License-Identifier: MIT */
#include "src/files/codec/tiff/tags.h"

const struct tiff_tag tiff_tags[TIFF_TAGS] = {
    {TIFFTAG_SUBFILETYPE, TAG_LONG, TAG_ALWAYS, NULL},
    {TIFFTAG_DOCUMENTNAME, TAG_TEXT, TAG_ALWAYS, NULL},
    {TIFFTAG_IMAGEDESCRIPTION, TAG_TEXT, TAG_SAME_SIDES, NULL},
    {TIFFTAG_MAKE, TAG_TEXT, TAG_ALWAYS, NULL},
    {TIFFTAG_MODEL, TAG_TEXT, TAG_ALWAYS, NULL},
    {TIFFTAG_ORIENTATION, TAG_SHORT, TAG_ALWAYS, NULL},
    {TIFFTAG_XRESOLUTION, TAG_FLOAT, TAG_ALWAYS, NULL},
    {TIFFTAG_YRESOLUTION, TAG_FLOAT, TAG_ALWAYS, NULL},
    {TIFFTAG_PAGENAME, TAG_TEXT, TAG_ALWAYS, NULL},
    {TIFFTAG_XPOSITION, TAG_FLOAT, TAG_ALWAYS, NULL},
    {TIFFTAG_YPOSITION, TAG_FLOAT, TAG_ALWAYS, NULL},
    {TIFFTAG_RESOLUTIONUNIT, TAG_SHORT, TAG_ALWAYS, NULL},
    {TIFFTAG_PAGENUMBER, TAG_PAIR, TAG_ALWAYS, NULL},
    {TIFFTAG_SOFTWARE, TAG_TEXT, TAG_ALWAYS, NULL},
    {TIFFTAG_DATETIME, TAG_TEXT, TAG_ALWAYS, NULL},
    {TIFFTAG_ARTIST, TAG_TEXT, TAG_ALWAYS, NULL},
    {TIFFTAG_HOSTCOMPUTER, TAG_TEXT, TAG_ALWAYS, NULL},
    {TIFFTAG_XMLPACKET, TAG_BYTES, TAG_ALWAYS, NULL},
    {TIFFTAG_COPYRIGHT, TAG_TEXT, TAG_ALWAYS, NULL},
    {33550, TAG_DOUBLES, TAG_IN_PLACE, "ModelPixelScale"},
    {33922, TAG_DOUBLES, TAG_IN_PLACE, "ModelTiepoint"},
    {34264, TAG_DOUBLES, TAG_IN_PLACE, "ModelTransformation"},
    {TIFFTAG_ICCPROFILE, TAG_BYTES, TAG_ALWAYS, NULL},
    {34735, TAG_SHORTS, TAG_IN_PLACE, "GeoKeyDirectory"},
    {34736, TAG_DOUBLES, TAG_IN_PLACE, "GeoDoubleParams"},
    {34737, TAG_TEXT, TAG_IN_PLACE, "GeoAsciiParams"},
    {42112, TAG_TEXT, TAG_ALWAYS, "GDAL_METADATA"},
    {42113, TAG_TEXT, TAG_ALWAYS, "GDAL_NODATA"},
};

const struct tiff_tag *tiff_tag_of(uint32_t number)
{
    for (size_t i = 0; i < TIFF_TAGS; i++)
        if (tiff_tags[i].number == number)
            return &tiff_tags[i];
    return NULL;
}

TIFFDataType tiff_tag_type(const struct tiff_tag *tag)
{
    return tag->value == TAG_TEXT      ? TIFF_ASCII
           : tag->value == TAG_DOUBLES ? TIFF_DOUBLE
                                       : TIFF_SHORT;
}

size_t tiff_value_size(enum tiff_value value)
{
    return value == TAG_DOUBLES ? sizeof(double) : value == TAG_SHORTS ? sizeof(uint16_t) : 1;
}

struct tiff_tag_name tiff_tag_name(uint32_t number)
{
    struct tiff_tag_name name;

    snprintf(name.text, sizeof name.text, "%04x", (unsigned)number & 0xffff);
    return name;
}
