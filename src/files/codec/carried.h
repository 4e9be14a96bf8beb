/* SPDX-License-Identifier: MIT */
/* Metadata that passes from one format to another: the kinds that JPEG, PNG and TIFF all have, each
 * in its own place, with the same bytes. */
#ifndef SMOOTHIMG_CARRIED_H
#define SMOOTHIMG_CARRIED_H

#include "src/files/codec/metadata.h"
#include "src/files/image/image.h"

enum carried_kind {
    CARRIED_PROFILE, /* an ICC profile */
    CARRIED_EXIF,    /* a TIFF structure; a TIFF file takes over only its orientation */
    CARRIED_XMP,     /* a packet */
    CARRIED_KINDS
};

struct carried {
    uint8_t *bytes; /* owned, from malloc */
    size_t count;
};

/* JPEG: the most bytes of a segment after its length. */
#define SEGMENT_MAX_BYTES 65533
#define SEGMENT_EXIF "Exif\0" /* the segments' first bytes, which include a zero byte */
#define SEGMENT_XMP "http://ns.adobe.com/xap/1.0/"
#define SEGMENT_PROFILE "ICC_PROFILE"
/* In a profile, after that: the part's number, from 1, and the number of parts. */
#define SEGMENT_PART_BYTES 2
#define SEGMENT_MAX_PARTS 255

/* PNG: the first bytes of a chunk iTXt with XMP: keyword, not compressed, no language. */
#define PNG_XMP_HEAD "XML:com.adobe.xmp\0\0\0\0"
#define PNG_XMP_HEAD_BYTES sizeof PNG_XMP_HEAD

/* Copies the metadata of a kind that a file of this format takes over, as the operations have
 * changed it; no bytes if there is none. Returns false without memory. */
bool carried_find(const struct image *header, enum format output, enum carried_kind kind,
                  struct carried *carried);

/* Returns the orientation in the metadata's EXIF before any operation, or ORIENTATION_AS_STORED if
 * there is none. */
int carried_orientation(const struct metadata *metadata);

/* Notes the kinds of metadata of an input that an output of another format does not take over, such
 * as "colour profile, EXIF": only those that people would miss. only_moved: the operations only
 * moved pixels, so a lost palette is noted too. */
void carried_note_lost(const struct metadata *metadata, enum format input, enum format output,
                       bool only_moved, struct metadata_notes *notes);

#endif
