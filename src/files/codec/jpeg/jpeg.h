/* SPDX-License-Identifier: MIT */
/* What reading and writing JPEG share. Includes libjpeg's header: only for this folder. */
#ifndef SMOOTHIMG_CODEC_JPEG_H
#define SMOOTHIMG_CODEC_JPEG_H

#include "src/files/codec/carried.h"
#include "src/files/codec/codec.h"

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

/* Where libjpeg's errors and warnings go. */
struct jpeg_trouble {
    struct jpeg_error_mgr manager; /* first: libjpeg gives a pointer to it */
    jmp_buf jump;                  /* of jpeg_try */
    const char *name;              /* of the file, for messages */
    enum status status;            /* of errors; of those that a call of jpeg_try had */
    struct error *error;
    struct metadata_notes *warnings; /* takes the warnings; NULL: they are dropped */
    /* Among the scans, where all warnings are errors but that of so many bytes before a marker that
     * are no samples; NULL: in the header. */
    bool (*is_padding)(j_common_ptr jpeg, int count);
    char where[64]; /* in the input, such as "row 1 of 9": for messages */
};

/* Prepares it; the caller gives its `manager` to libjpeg. status: of the errors of libjpeg, but for
 * those that say that it does not know such files. */
void jpeg_trouble_open(struct jpeg_trouble *trouble, const char *name, enum status status);

/* Runs `work`, which calls libjpeg. libjpeg's errors jump here from any of these calls, and nowhere
 * else: so work stores what it allocates in its context. Fills *error unless it returns
 * STATUS_OK. */
enum status jpeg_try(struct jpeg_trouble *trouble, void (*work)(void *context), void *context,
                     struct error *error);

/* Ends the work; the caller has filled trouble->error with this status. */
_Noreturn void jpeg_give_up(struct jpeg_trouble *trouble, enum status status);

/* STATUS_UNSUPPORTED: files of this kind. */
enum status jpeg_refuse(const char *name, const char *kind, struct error *error);

/* --- segments.c: metadata. */

/* Keeps a copy of a segment of the header, or notes that it is left out. If no metadata is kept,
 * keeps the orientation of EXIF. bytes: its `count` bytes after the length. STATUS_INPUT beyond
 * reader->max_metadata. */
enum status jpeg_segment_read(struct image_reader *reader, int marker, const uint8_t *bytes,
                              size_t count, struct error *error);

/* After the header: keeps the resolution, if there is one, sorts the parts of a profile, and leaves
 * out one that is not whole, and all EXIF but the first. False without memory. */
bool jpeg_segments_complete(struct image_reader *reader, const struct jpeg_decompress_struct *jpeg);

/* Writes the segments of an image, from whatever format it was read, as the operations have changed
 * them; but for JFIF's, which libjpeg writes when it starts. Call it within jpeg_try. The caller
 * frees the bytes of *carried, which it works with. False without memory. */
bool jpeg_segments_write(struct jpeg_compress_struct *jpeg, const struct image *header,
                         struct carried *carried);

/* Sets what JFIF says: the resolution, of an image that was read from JPEG. Before libjpeg starts.
 */
void jpeg_segments_resolution(struct jpeg_compress_struct *jpeg, const struct image *header);

#endif
