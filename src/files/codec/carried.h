/* SPDX-License-Identifier: MIT */
/* Metadata that goes from one format to another: what JPEG, PNG and TIFF all have, in their own
 * places, as the same bytes. */
#ifndef SMOOTHIMG_CARRIED_H
#define SMOOTHIMG_CARRIED_H

#include "src/files/codec/metadata.h"
#include "src/files/image/image.h"

enum carried_kind {
    CARRIED_PROFILE, /* an ICC profile */
    CARRIED_EXIF,    /* a TIFF structure; TIFF takes the orientation of it */
    CARRIED_XMP,     /* a packet */
    CARRIED_KINDS
};

struct carried {
    uint8_t *bytes; /* owned, from malloc */
    size_t count;
};

/* JPEG: the bytes of a segment after its length, at the most. */
#define SEGMENT_MAX_BYTES 65533
#define SEGMENT_EXIF "Exif\0" /* what the segments begin with, each with a zero byte */
#define SEGMENT_XMP "http://ns.adobe.com/xap/1.0/"
#define SEGMENT_PROFILE "ICC_PROFILE"
#define SEGMENT_PART_BYTES 2 /* of a profile, then: the number of the part, from 1, and of all */
#define SEGMENT_MAX_PARTS 255

/* PNG: what a chunk iTXt with XMP begins with: keyword, not compressed, no language. */
#define PNG_XMP_HEAD "XML:com.adobe.xmp\0\0\0\0"
#define PNG_XMP_HEAD_BYTES sizeof PNG_XMP_HEAD

/* Copies what a file of this format takes over of a kind, as the operations have changed it: no
 * bytes if there is nothing. False without memory. */
bool carried_find(const struct image *header, enum format output, enum carried_kind kind,
                  struct carried *carried);

/* The orientation that EXIF among the metadata gives, if there is any, not yet changed by an
 * operation; else ORIENTATION_AS_STORED. */
int carried_orientation(const struct metadata *metadata);

/* Notes the kinds of metadata of an input that an output of another format does not take over, such
 * as "colour profile, EXIF": only what a person would miss. only_moved: the operations only moved
 * pixels, so that the lack of a palette is noted too. */
void carried_note_lost(const struct metadata *metadata, enum format input, enum format output,
                       bool only_moved, struct metadata_notes *notes);

#endif
