/* SPDX-License-Identifier: MIT */
/* Metadata that is kept even if the output's format is not the input's: ICC profile, EXIF and XMP.
 * JPEG, PNG and TIFF store the same bytes, each in its own place; PNG compresses the profile. */
#ifndef SMOOTHIMG_CARRIED_H
#define SMOOTHIMG_CARRIED_H

#include "src/files/codec/metadata.h"
#include "src/files/image/image.h"

enum carried_kind {
    CARRIED_PROFILE, /* an ICC profile */
    CARRIED_EXIF,    /* EXIF, which has TIFF's structure; a TIFF output gets only the EXIF's
                        orientation */
    CARRIED_XMP,     /* XML text */
    CARRIED_KINDS
};

struct carried {
    uint8_t *bytes; /* owned, from malloc */
    size_t count;
};

/* JPEG: the maximum number of bytes in a segment after its length field. */
#define SEGMENT_MAX_BYTES 65533
/* JPEG: the first bytes of a segment of each kind; the string's final zero byte is one of them. */
#define SEGMENT_EXIF "Exif\0"
#define SEGMENT_XMP "http://ns.adobe.com/xap/1.0/"
#define SEGMENT_PROFILE "ICC_PROFILE"
/* A profile may be split over several segments. After SEGMENT_PROFILE each segment has two bytes:
 * the number of its part, from 1, and the number of all parts. */
#define SEGMENT_PART_BYTES 2
#define SEGMENT_MAX_PARTS 255

/* PNG: an iTXt chunk with XMP begins with this keyword, and with zeros that mean: not compressed,
 * no language. */
#define PNG_XMP_HEAD "XML:com.adobe.xmp\0\0\0\0"
#define PNG_XMP_HEAD_BYTES sizeof PNG_XMP_HEAD

/* Copies the image's metadata of this kind to *carried, which stays empty if the image has none, or
 * if the output's format cannot hold it. EXIF is updated if the image was transposed. Returns false
 * if memory runs out. The caller frees carried->bytes, after a failure too. */
bool carried_find(const struct image *header, enum format output, enum carried_kind kind,
                  struct carried *carried);

/* Returns the orientation that the input's EXIF gives, before any transpose; ORIENTATION_AS_STORED
 * if there is no EXIF. */
int carried_orientation(const struct metadata *metadata);

/* Returns false if an output of the same format does not get the item, because the pixels have
 * moved: the item says where the pixels are on the ground, or, after a transpose, what the image's
 * width and height or its scales in x and y are. */
bool carried_applies(const struct metadata_item *item, const struct changes *changes);

/* Adds to *notes the metadata that a user would miss in an output of this format, such as "colour
 * profile, EXIF", unless the notes have it already. If only_moved is true (the operations only
 * moved pixels), a lost palette is noted too. */
void carried_note_lost(const struct image *result, enum format output, bool only_moved,
                       struct metadata_notes *notes);

#endif
