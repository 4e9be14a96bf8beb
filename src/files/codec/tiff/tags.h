/* SPDX-License-Identifier: MIT */
/* Tags besides those that describe the samples: which are kept. An item of metadata has the tag's
 * number in four hexadecimal digits as its name, and the value as libtiff gives it. */
#ifndef SMOOTHIMG_CODEC_TIFF_TAGS_H
#define SMOOTHIMG_CODEC_TIFF_TAGS_H

#include "src/files/codec/tiff/tiff.h"

/* How libtiff gives and takes a value. */
enum tiff_value {
    TAG_TEXT,
    TAG_BYTES,
    TAG_SHORT,
    TAG_LONG,
    TAG_FLOAT,
    TAG_PAIR,
    TAG_SHORTS,
    TAG_DOUBLES
};

/* When a tag stays. */
enum tiff_tag_rule {
    TAG_ALWAYS,
    TAG_IN_PLACE,  /* it says where pixels are on the ground: not after transpose or reverse */
    TAG_SAME_SIDES /* it may name width and height: not after transpose */
};

struct tiff_tag {
    uint32_t number;
    enum tiff_value value;
    enum tiff_tag_rule rule;
    char *name; /* of a tag that libtiff does not know: it is registered before it is written */
};

#define TIFF_TAGS 28 /* the number of them */
extern const struct tiff_tag tiff_tags[TIFF_TAGS];

/* The tag of this number; NULL: it is not kept. */
const struct tiff_tag *tiff_tag_of(uint32_t number);

/* The name of its item of metadata. */
struct tiff_tag_name {
    char text[5];
};
struct tiff_tag_name tiff_tag_name(uint32_t number);

/* The type in the file, of a tag that libtiff does not know. */
TIFFDataType tiff_tag_type(const struct tiff_tag *tag);

/* Bytes of each of several values. */
size_t tiff_value_size(enum tiff_value value);

#endif
